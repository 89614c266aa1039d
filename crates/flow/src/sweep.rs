//! Code that is read in order, as listings show it, and the computed jumps in it.
//!
//! Jumps and calls to addresses in registers are resolved where straight-line code tells the target: it computes an
//! address from S_GETPC_B64, or loads it from a pointer that a relocation fills in. If a function writes one such
//! address and no other value to a register pair, all jumps by that pair are resolved. (By the calling convention,
//! callees keep a pair that is used after the call.)

use gcnsim_isa::{Encoding, Inst, Opcode, Program, Sop1};

use crate::constants::Constants;
use crate::search::Site;
use crate::ways::{Ways, is_computed, scalar_writes, source_pair};

/// Returns the instructions of a program from the dword `first` on, in order. Dwords that do not decode are left out.
pub fn in_order(program: &Program, first: usize) -> impl Iterator<Item = Site> + '_ {
    let mut next = first;
    std::iter::from_fn(move || {
        while next < program.word_count() {
            let number = next;
            next += 1;
            if let Ok(inst) = program.decode_word(number) {
                next = number + inst.size() as usize / 4;
                return Some(Site { address: program.address(number), number: number as u32, inst });
            }
        }
        None
    })
}

/// The values that a function writes to a register pair.
#[derive(Clone, Copy, Default, Debug)]
struct History {
    /// The last address that was recorded as written.
    address: Option<u64>,
    /// Whether the function also writes another value.
    mixed: bool,
}

/// What an instruction changes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Made {
    /// First register and value of an address that it completes in a register pair.
    pub address: Option<(u8, u64)>,
    /// An instruction before it that did not complete an address after all.
    pub unmade: Option<usize>,
}

/// The computed jumps of a function or of other code without entries in the middle, which is read in order.
#[derive(Debug)]
pub struct Sweep {
    /// Register values of straight-line code.
    straight: Constants,
    /// Register values, assuming that nothing jumps to the middle of the code.
    loose: Constants,
    histories: [History; 64],
    /// Jumps that straight-line code does not resolve: instruction number and register pair.
    open: Vec<(usize, u8)>,
    /// The instruction before, if it made an address: its number, and the first register.
    last: Option<(usize, u8)>,
    /// The address made last: first register, and value. The next instruction may still change it.
    unfinished: Option<(u8, u64)>,
}

impl Default for Sweep {
    fn default() -> Sweep {
        Sweep {
            straight: Constants::default(),
            loose: Constants::default(),
            histories: [History::default(); 64],
            open: Vec::new(),
            last: None,
            unfinished: None,
        }
    }
}

impl Sweep {
    /// Notes that a jump may lead to the next instruction.
    pub fn join(&mut self) {
        self.straight = Constants::default();
    }

    /// Notes a dword that is no instruction.
    pub fn skip(&mut self) {
        self.join();
        self.last = None;
    }

    /// Returns the target of the computed jump `inst`, which is the next instruction, if straight-line code tells it.
    /// If it is `wanted`, [`Sweep::close`] tries again.
    pub fn target(&mut self, number: usize, inst: &Inst, wanted: bool) -> Option<u64> {
        let target = self.straight.jump_target(inst).map(|target| target & !3);
        if target.is_none() && wanted && is_computed(inst) {
            self.open.extend(source_pair(inst).map(|pair| (number, pair)));
        }
        target
    }

    /// Takes the next instruction. `pointer_at` returns the pointer at an address that a relocation fills in.
    pub fn step(&mut self, number: usize, inst: &Inst, pc: u64, pointer_at: impl Fn(u64) -> Option<u64>) -> Made {
        let before = self.last.take();
        step(&mut self.straight, inst, pc, &pointer_at);
        let mut made = Made { address: step(&mut self.loose, inst, pc, &pointer_at), unmade: None };
        if let Some((n, _)) = made.address {
            self.last = Some((number, n));
            // S_ADD_U32 makes an address, and S_ADDC_U32 after it changes the high half: only the result counts.
            if let Some((number, _)) = before.filter(|(_, other)| *other == n) {
                made.unmade = Some(number);
                self.unfinished = None;
            }
        }
        self.finish();
        self.remember(inst, made.address);
        if !Ways::of(inst).goes_on() {
            self.join();
        }
        made
    }

    /// Ends the code: returns the jumps that all of it resolves, and their targets.
    pub fn close(mut self) -> impl Iterator<Item = (usize, u64)> {
        self.finish();
        let histories = self.histories;
        self.open.into_iter().filter_map(move |(number, pair)| {
            let history = histories.get(pair as usize / 2).filter(|history| !history.mixed)?;
            history.address.map(|address| (number, address & !3))
        })
    }

    fn remember(&mut self, inst: &Inst, completed: Option<(u8, u64)>) {
        let mut written = scalar_writes(inst);
        while written != 0 {
            let pair = written.trailing_zeros() / 2;
            written &= !(3 << (2 * pair));
            match self.loose.pair(2 * pair as u8) {
                Some((address, true)) if inst.opcode == Opcode::Sop1(Sop1::SMovB64) => {
                    self.unfinished = Some((2 * pair as u8, address));
                }
                // The value is an address, or an intermediate step to one.
                Some((_, true)) => {}
                _ => self.histories[pair as usize].mixed = true,
            }
        }
        self.unfinished = self.unfinished.or(completed);
    }

    /// Records the unfinished address as one that its register pair received.
    fn finish(&mut self) {
        let Some((n, address)) = self.unfinished.take() else { return };
        let history = &mut self.histories[n as usize / 2 % 64];
        match history.address {
            Some(before) if before != address => history.mixed = true,
            _ => history.address = Some(address),
        }
    }
}

/// Updates `constants` by `inst`. Returns the address that it completes in a register pair, with the first register.
fn step(
    constants: &mut Constants,
    inst: &Inst,
    pc: u64,
    pointer_at: &impl Fn(u64) -> Option<u64>,
) -> Option<(u8, u64)> {
    if inst.unsupported().is_none() && !inst.desc().is_memory() {
        let completed = constants.step(inst, pc)?;
        return Some((inst.dst()? & !1, completed));
    }
    let pointer = pair_load(inst, constants).and_then(|(n, slot)| Some((n, pointer_at(slot)?)));
    constants.forget(scalar_writes(inst));
    if let Some((n, address)) = pointer {
        constants.set_pair(n, address, true);
    }
    pointer
}

/// First register and source address of a load of a register pair, if `inst` is one and the address is known.
fn pair_load(inst: &Inst, constants: &Constants) -> Option<(u8, u64)> {
    if inst.desc().mnemonic != "s_load_dwordx2" {
        return None;
    }
    let [w, w1] = inst.words;
    let (base, dst, offset) = match inst.desc().encoding {
        Encoding::Smrd if w >> 8 & 1 == 1 => (w >> 9 & 0x3f, w >> 15 & 0x7f, 4 * (w & 0xff)),
        Encoding::Smem if w >> 17 & 1 == 1 && w >> 14 & 1 == 0 => (w & 0x3f, w >> 6 & 0x7f, w1 & 0xf_ffff),
        _ => return None,
    };
    let (address, is_address) = constants.pair(2 * base as u8)?;
    is_address.then(|| (dst as u8, address.wrapping_add(offset.into())))
}
