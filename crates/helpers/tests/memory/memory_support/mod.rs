//! A wave with memory, on which instructions given as words are executed. Their helpers are called as compiled code
//! calls them.
#![allow(dead_code, reason = "not every test crate asks for all")]

use std::sync::Arc;

use gcnsim_helpers::Level;
use gcnsim_helpers::frame::Frame;
use gcnsim_helpers::memory::{DONE, MemoryOp, REFUSED};
use gcnsim_isa::{Arch, Note, Notes, Src, Vgpr, decode};
use gcnsim_machine::{Backing, Context, Mapping};

/// Guest address of 0x1000 bytes of memory, in which dword i is [`dword`]`(i)`.
pub const DATA: u32 = 0x1_0000;
/// Guest address of 256 read-only bytes of zeros.
pub const READ_ONLY: u32 = 0x2_0000;
/// Guest address of 0x4000 bytes of zeros.
pub const SCRATCH: u32 = 0x4_0000;

/// Returns dword `i` of memory. No two are equal. The top bit of bytes 0 to 2 is set in half of the dwords, that of
/// byte 3 in all.
pub fn dword(i: usize) -> u32 {
    let low = (4 * i) as u32 & 0xff;
    (0xd0 + i as u32 / 64) << 24 | ((low + 0x82) % 256) << 16 | (low + 1) << 8 | low
}

/// A wave of 16 VGPRs with memory and 256 bytes of LDS.
pub struct Bench {
    pub arch: Arch,
    pub vgprs: Vec<Vgpr>,
    pub context: Context,
    pub frame: Box<Frame>,
    pub notes: Notes,
}

impl Bench {
    pub fn new(arch: Arch) -> Bench {
        let mut context = Context::ready(256);
        let backing = Backing::zeroed(0x1000).unwrap();
        (0..0x400).for_each(|i| backing.write(4 * i, &dword(i).to_le_bytes()));
        context.space.map(Mapping::new(DATA as u64, "data", Arc::new(backing)));
        let mut map = |at: u32, len, name: &str, writable| {
            context
                .space
                .map(Mapping { writable, ..Mapping::new(at as u64, name, Arc::new(Backing::zeroed(len).unwrap())) });
        };
        map(READ_ONLY, 0x100, "constants", false);
        map(SCRATCH, 0x4000, "scratch", true);
        Bench::with(arch, context)
    }

    /// Returns a wave in a context of the caller's.
    pub fn with(arch: Arch, context: Context) -> Bench {
        let mut frame = Box::<Frame>::default();
        frame.memory.exec = !0;
        Bench { arch, vgprs: vec![Vgpr([0; 64]); 16], context, frame, notes: Notes::NONE }
    }

    /// Sets a VGPR by lane.
    pub fn set(&mut self, n: usize, value: impl Fn(u32) -> u32) -> &mut Bench {
        self.vgprs[n].0 = std::array::from_fn(|lane| value(lane as u32));
        self
    }

    /// Executes an instruction, whose text must be `text`, on every level; all levels must do the same. Returns whether
    /// it was executed, not refused.
    #[track_caller]
    pub fn run(&mut self, text: &str, words: [u32; 2]) -> bool {
        let before = self.state();
        let mut done = self.run_on(Level::Portable, text, words);
        // A journal would record the writes of each level, so a recording context is used on one level only.
        let is_recording = self.context.is_recording();
        for level in Level::available().skip(1).filter(|_| !is_recording) {
            let expected = (done, self.notes, self.state());
            self.restore(&before);
            let snapshot = self.context.snapshot();
            done = self.run_on(level, text, words);
            let after = self.state();
            self.context.restore(&snapshot);
            assert!(self.all() == before.0, "{text}: {} stores to a page that was not kept", level.name());
            self.restore(&after);
            assert!((done, self.notes, self.state()) == expected, "{text}: {} is different", level.name());
        }
        done
    }

    /// Executes an instruction on one level, like [`Bench::run`].
    #[allow(unsafe_code)]
    #[track_caller]
    fn run_on(&mut self, level: Level, text: &str, words: [u32; 2]) -> bool {
        let op = self.op(text, words);
        if let Some(Src::Imm(value)) = op.uses().offset {
            self.frame.memory.offset = value as u32;
        }
        self.frame.context = &mut self.context;
        self.frame.vgpr_count = self.vgprs.len() as u64;
        self.notes = Notes::NONE;
        // SAFETY: the wave has these VGPRs, and the context outlives the call.
        match unsafe { op.helper(level)(&op, &mut self.notes, self.vgprs.as_mut_ptr(), &mut *self.frame) } {
            DONE => true,
            code => {
                assert_eq!((code, self.notes), (REFUSED, Notes::NONE), "a fault has no notes");
                false
            }
        }
    }

    /// Returns the instruction of these words, whose text must be `text`.
    #[track_caller]
    pub fn op(&self, text: &str, words: [u32; 2]) -> MemoryOp {
        let inst = decode(self.arch, words[0], Some(words[1])).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(inst.to_string(), text);
        MemoryOp::new(&inst).unwrap_or_else(|| panic!("{text} has no helper"))
    }

    /// Executes an instruction that must be refused and leave everything as it is.
    #[track_caller]
    pub fn refuses(&mut self, text: &str, words: [u32; 2]) {
        let before = self.state();
        assert!(!self.run(text, words), "{text}");
        assert!(self.state() == before, "{text} changed something");
    }

    /// Executes an instruction. The active lanes of VGPR n are then `value`, all others as they were.
    #[track_caller]
    pub fn gives(&mut self, text: &str, words: [u32; 2], n: usize, value: impl Fn(usize) -> u32) {
        let (before, exec) = (self.vgprs[n], self.frame.memory.exec);
        assert!(self.run(text, words), "{text}");
        for lane in 0..64 {
            let expected = if exec >> lane & 1 == 1 { value(lane) } else { before.0[lane] };
            assert_eq!(self.vgprs[n].0[lane], expected, "{text}: v{n}[{lane}]");
        }
    }

    /// Executes a load with all lanes active, like [`Bench::gives`]. Memory, which may be large, is neither copied nor
    /// compared.
    #[track_caller]
    pub fn loads(&mut self, text: &str, words: [u32; 2], n: usize, value: impl Fn(usize) -> u32) {
        let before = self.vgprs.clone();
        for level in Level::available() {
            self.vgprs.clone_from(&before);
            assert!(self.run_on(level, text, words), "{text}");
            (0..64).for_each(|lane| assert_eq!(self.vgprs[n].0[lane], value(lane), "{text}: v{n}[{lane}]"));
        }
    }

    /// Checks that the last instruction has raised these notes.
    #[track_caller]
    pub fn noted(&self, notes: &[Note]) {
        assert_eq!(self.notes, notes.iter().fold(Notes::NONE, |all, note| all.or(Notes::of(*note))));
    }

    /// Returns the dword of memory at an address.
    pub fn memory(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        self.context.load(address as u64, &mut bytes, None).unwrap();
        u32::from_le_bytes(bytes)
    }

    /// Returns the contents of all mappings.
    pub fn all(&self) -> Vec<Vec<u8>> {
        self.context.space.mappings().iter().map(|mapping| mapping.backing.to_vec()).collect()
    }

    /// Returns all that instructions can change.
    fn state(&self) -> State {
        let shares = [self.context.lds.to_vec(), self.context.gds.clone()];
        (self.all(), shares, self.vgprs.clone(), self.frame.memory.data)
    }

    fn restore(&mut self, (memory, [lds, gds], vgprs, data): &State) {
        let mappings = self.context.space.mappings().iter();
        mappings.zip(memory).for_each(|(mapping, bytes)| mapping.backing.write(0, bytes));
        (self.context.lds, self.context.gds) = (lds.clone().into(), gds.clone());
        (self.vgprs, self.frame.memory.data) = (vgprs.clone(), *data);
    }
}

/// The contents of memory, LDS, GDS and VGPRs, and the scalars that an instruction stores or returns.
type State = (Vec<Vec<u8>>, [Vec<u8>; 2], Vec<Vgpr>, [u32; 16]);
