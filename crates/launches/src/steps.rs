//! What an instruction of a wave has changed: registers, memory, LDS. Traces show it.

use std::fmt::{self, Write as _};

use gcnsim_engine::quote;
use gcnsim_isa::{Arch, FetchError, Inst, LANES, Program, WaveState, scalar_register_name};
use gcnsim_machine::{Place, Space, VgprFile, Wave, Write};

/// Most groups of equal lanes that the text of a vector register shows.
const MOST_RUNS: usize = 3;

/// A change that an instruction has made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A scalar register, or `scc`, `mode` or `trapsts`.
    Scalar {
        /// Name of the register.
        name: String,
        /// Its new value.
        value: u32,
    },
    /// A vector register.
    Vector {
        /// Number of the register.
        number: usize,
        /// Values of its lanes before.
        was: Box<[u32; LANES]>,
        /// Values of its lanes now.
        is: Box<[u32; LANES]>,
    },
    /// Bytes outside the wave.
    Written {
        /// The place: `y+0x10` in a buffer, `lds+0x0`, `gds+0x0`, an address.
        place: String,
        /// The value, of up to 8 bytes.
        value: u64,
    },
}

impl fmt::Display for Change {
    /// Writes `s4=0x1`; `v3=0x1` if all lanes have changed to one value, else groups of changed lanes
    /// (`v3[0..15]=0x1,[16]=0x2`) and the number of further changed lanes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Scalar { name, value } => write!(f, "{name}={value:#x}"),
            Change::Vector { number, was, is } => write!(f, "v{number}{}", lanes(was, is)),
            Change::Written { place, value } => write!(f, "{place}={value:#x}"),
        }
    }
}

fn lanes(was: &[u32; LANES], is: &[u32; LANES]) -> String {
    // `runs` are groups of lanes that changed to the same value: first lane, number of lanes, value.
    let mut runs: Vec<(usize, usize, u32)> = Vec::new();
    for lane in (0..LANES).filter(|&lane| was[lane] != is[lane]) {
        match runs.last_mut() {
            Some((first, len, value)) if *first + *len == lane && *value == is[lane] => *len += 1,
            _ => runs.push((lane, 1, is[lane])),
        }
    }
    if let [(0, LANES, value)] = runs[..] {
        return format!("={value:#x}");
    }
    let show = |&(first, len, value): &(usize, usize, u32)| match len {
        1 => format!("[{first}]={value:#x}"),
        _ => format!("[{first}..{}]={value:#x}", first + len - 1),
    };
    let mut text = runs.iter().take(MOST_RUNS).map(show).collect::<Vec<_>>().join(",");
    let more: usize = runs.iter().skip(MOST_RUNS).map(|(_, len, _)| len).sum();
    if more > 0 {
        let _ = write!(text, ",+{more} lanes");
    }
    text
}

/// The state of a wave before an instruction.
pub struct Before {
    arch: Arch,
    /// Scalar state.
    pub state: WaveState,
    /// The instruction.
    pub inst: Result<Inst, FetchError>,
    /// The vector registers. `None` if the instruction cannot write any: copying and comparing them is slow.
    vgprs: Option<VgprFile>,
}

impl Before {
    /// Takes the state before the next instruction of `wave`.
    pub fn of(program: &Program, wave: &Wave) -> Before {
        let inst = program.fetch(wave.state.pc & !3);
        let vgprs = inst.as_ref().is_ok_and(writes_vgprs).then(|| wave.vgprs.clone());
        Before { arch: program.arch(), state: wave.state.clone(), inst, vgprs }
    }

    /// Returns the registers that differ now: scalar ones in order of code, then vector ones.
    pub fn registers(&self, wave: &Wave) -> Vec<Change> {
        let mut changed = scalars(self.arch, &self.state, &wave.state);
        changed.extend(self.vgprs.iter().flat_map(|vgprs| vectors(vgprs, &wave.vgprs)));
        changed
    }
}

/// Whether the instruction may write vector registers.
fn writes_vgprs(inst: &Inst) -> bool {
    !inst.desc().encoding.is_core()
}

fn vectors(before: &VgprFile, after: &VgprFile) -> Vec<Change> {
    let registers = before.regs().iter().zip(after.regs()).enumerate();
    let changed = registers.filter(|(_, (was, is))| was != is);
    changed.map(|(number, (was, is))| Change::Vector { number, was: Box::new(was.0), is: Box::new(is.0) }).collect()
}

fn scalars(arch: Arch, before: &WaveState, after: &WaveState) -> Vec<Change> {
    let registers = before.sgpr.iter().zip(&after.sgpr).enumerate().filter(|(_, (was, is))| was != is);
    let name = |code: usize| scalar_register_name(arch, code as u8).to_string();
    let mut changed: Vec<Change> =
        registers.map(|(code, (_, &value))| Change::Scalar { name: name(code), value }).collect();
    for (name, was, is) in
        [("scc", before.scc, after.scc), ("mode", before.mode, after.mode), ("trapsts", before.trapsts, after.trapsts)]
    {
        if was != is {
            changed.push(Change::Scalar { name: name.to_owned(), value: is });
        }
    }
    changed
}

/// Returns what an instruction has written outside its wave.
pub fn written(writes: &[Write], space: &Space) -> Vec<Change> {
    let change = |write: &Write| Change::Written { place: place(write, space), value: u64::from_le_bytes(write.new) };
    writes.iter().map(change).collect()
}

fn place(write: &Write, space: &Space) -> String {
    match write.place {
        Place::Memory => match space.mappings().iter().find(|m| m.place(write.address, 1).is_some()) {
            Some(mapping) => format!("{}+{:#x}", quote::text(&mapping.name), write.address - mapping.base),
            None => format!("{:#x}", write.address),
        },
        Place::Lds => format!("lds+{:#x}", write.address),
        Place::Gds => format!("gds+{:#x}", write.address),
        Place::Image => format!("image {}+{:#x}", write.address >> 32, write.address as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_shown_in_runs() {
        let zero = [0; LANES];
        let filled = |f: &dyn Fn(usize) -> u32| std::array::from_fn::<u32, LANES, _>(f);
        assert_eq!(lanes(&zero, &[5; LANES]), "=0x5");
        assert_eq!(lanes(&zero, &filled(&|lane| (lane < 16) as u32)), "[0..15]=0x1");
        assert_eq!(lanes(&zero, &filled(&|lane| if lane == 63 { 9 } else { 0 })), "[63]=0x9");
        assert_eq!(lanes(&zero, &filled(&|lane| lane as u32)), "[1]=0x1,[2]=0x2,[3]=0x3,+60 lanes");
    }
}
