//! Code that a file lacks, and that the environment supplies behind its own.
//!
//! - Fetch shaders load vertices. A vertex shader of a PlayStation 4 calls one at its beginning, by an address in user
//!   SGPRs. The one that is supplied returns at once.
//! - Callers of device functions. What a function returns to ends the wave.

use std::sync::Arc;

use gcnsim_isa::encode::Builder;
use gcnsim_isa::{Inst, Opcode, Program, Sop1, Sopp, Src};
use gcnsim_loader::Stage;
use gcnsim_loader::reached::reached;

/// Code that was put behind that of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetch {
    /// The first of the two SGPRs in which the shader has the address.
    pub sgpr: u8,
    /// The address.
    pub address: u64,
}

/// Returns the program of a shader of the stage `stage` with a fetch shader behind it, if it calls one.
pub(crate) fn supply(program: Program, stage: Stage) -> (Program, Option<Fetch>) {
    let calls = matches!(stage, Stage::Vertex | Stage::Local | Stage::Export).then(|| call(&program)).flatten();
    let Some((sgpr, return_to)) = calls else { return (program, None) };
    let jump = Builder::new(program.arch(), Opcode::Sop1(Sop1::SSetpcB64)).src(0, return_to.into());
    let Ok((word, _)) = jump.words() else { return (program, None) };
    append(program, sgpr, word)
}

/// Returns the program of a device function with a place to return to behind it: S_ENDPGM. `None` if it never returns.
pub(crate) fn supply_caller(program: Program) -> (Program, Option<Fetch>) {
    // Code that is not optimised keeps the address somewhere else.
    let returns = |inst: &Inst| inst.opcode == Opcode::Sop1(Sop1::SSetpcB64);
    if !reached(&program).sites.iter().any(|site| returns(&site.inst)) {
        return (program, None);
    }
    match Builder::new(program.arch(), Opcode::Sopp(Sopp::SEndpgm)).words() {
        Ok((word, _)) => append(program, RETURN_TO, word),
        Err(_) => (program, None),
    }
}

/// The first of the two SGPRs in which a function of LLVM has the address to return to.
const RETURN_TO: u8 = 30;

/// Returns a program with a word behind it, whose address is in SGPRs from `sgpr` on.
fn append(program: Program, sgpr: u8, word: u32) -> (Program, Option<Fetch>) {
    let mut code = program.bytes().to_vec();
    code.resize(code.len().next_multiple_of(4), 0);
    let address = program.base().wrapping_add(code.len() as u64);
    code.extend(word.to_le_bytes());
    let entry = program.entry().wrapping_sub(program.base());
    (Program::new(program.arch(), Arc::new(code), program.base(), entry), Some(Fetch { sgpr, address }))
}

/// Returns the registers of the first call by an address that nothing before it has written: that of the address, and
/// that of the return address.
fn call(program: &Program) -> Option<(u8, u8)> {
    let mut written = 0u128;
    for inst in reached(program).sites.iter().map(|site| &site.inst) {
        if inst.opcode == Opcode::Sop1(Sop1::SSwappcB64)
            && let (Src::Sgpr(sgpr), Some(return_to)) = (inst.src(0), inst.dst())
        {
            let is_initial = sgpr < 32 && written >> sgpr & 3 == 0;
            return is_initial.then_some((sgpr, return_to));
        }
        written |= inst.writes().sgprs;
    }
    None
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    /// Encodings of S_SWAPPC_B64 s[0:1], s[0:1], of S_SETPC_B64 s[0:1], which a fetch shader ends with, and of
    /// S_MOV_B32 s1, 0, after which the address is the caller's own.
    #[test]
    fn a_call_by_user_sgprs_gets_a_fetch_shader() {
        let end = 0xbf81_0000;
        for (arch, call, jump, mov) in
            [(Arch::Gcn11, 0xbe80_2100, 0xbe80_2000, 0xbe81_0380), (Arch::Gcn12, 0xbe80_1e00, 0xbe80_1d00, 0xbe81_0080)]
        {
            let program = Program::from_words(arch, &[call, end]);
            let (with, fetch) = supply(program.clone(), Stage::Vertex);
            assert_eq!(fetch, Some(Fetch { sgpr: 0, address: 8 }));
            assert_eq!((with.word_count(), with.word(2), with.entry()), (3, Some(jump), 0));
            assert_eq!(supply(program, Stage::Pixel).1, None);
            assert_eq!(supply(Program::from_words(arch, &[mov, call, end]), Stage::Vertex).1, None);
        }
    }

    /// Encodings of S_SETPC_B64 s[30:31].
    #[test]
    fn a_function_returns_to_an_end() {
        for (arch, jump) in [(Arch::Gcn11, 0xbe80_201e), (Arch::Gcn12, 0xbe80_1d1e)] {
            let (with, caller) = supply_caller(Program::from_words(arch, &[jump]));
            assert_eq!((caller, with.word(1)), (Some(Fetch { sgpr: 30, address: 4 }), Some(0xbf81_0000)));
            assert_eq!(supply_caller(Program::from_words(arch, &[0xbf81_0000])).1, None);
        }
    }
}
