//! Translates a program to C text: the instructions in order, with labels, and the flow of control.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gcnsim_isa::table::{Sop1, Sopp};
use gcnsim_isa::{FetchError, Flow, Inst, Opcode, Program, Src, reg};

use crate::registers::Registers;
use crate::{compare, scalar};

/// Why a program has no C text.
#[derive(Debug, thiserror::Error)]
pub enum Untranslatable {
    /// There is no instruction at an address where control can go.
    #[error("at {0:#x}: {1}")]
    Fetch(u64, FetchError),
    /// The translator does not support the instruction.
    #[error("at {0:#x}: {1} is not translated")]
    Instruction(u64, &'static str),
}

/// The beginning of every text.
const PRELUDE: &str = include_str!("prelude.h");

/// The C text of a program: a function `uint32_t run(struct state *st, const uint32_t (*v)[64])` that executes it from
/// its entry to its end. It returns one of the `EXIT_` codes of the prelude. The same program gives the same text.
///
/// `targets` are the addresses that computed jumps may reach, besides return sites (which are found). A jump to another
/// address ends the run with `EXIT_UNKNOWN_TARGET`.
///
/// # Errors
/// [`Untranslatable`] names the instruction.
pub fn translate(program: &Program, targets: &[u64]) -> Result<String, Untranslatable> {
    let code = Code::find(program, targets)?;
    let registers = Registers::of(code.insts.values());
    let mut text = PRELUDE.to_string();
    text += "\nuint32_t run(struct state *st, const uint32_t (*v)[64])\n{\n";
    text += &registers.declare();
    text += "    uint32_t scc = st->scc, mode = st->mode, trapsts = st->trapsts, outcome;\n";
    text += "    uint64_t pc;\n    (void)v;\n";
    let _ = writeln!(text, "    goto L{:x};", program.entry());
    for (&pc, inst) in &code.insts {
        if code.labels.contains(&pc) {
            let _ = writeln!(text, "L{pc:x}:");
        }
        let statement = statement(inst, pc, &registers, &code)?;
        let _ = writeln!(text, "    {statement:<90} // {pc:#x} {}", inst.desc().mnemonic);
        let next = pc + inst.size() as u64;
        if inst.flow() == Flow::Next && !code.insts.contains_key(&next) || falls_elsewhere(inst, next, &code) {
            let _ = writeln!(text, "    goto L{next:x};");
        }
    }
    text += "leave:\n";
    text += &registers.store();
    text += "    st->scc = scc; st->mode = mode; st->trapsts = trapsts; st->pc = pc;\n    return outcome;\n}\n";
    Ok(text)
}

/// Whether the instruction that is printed after this one is not its successor.
fn falls_elsewhere(inst: &Inst, next: u64, code: &Code) -> bool {
    let falls = matches!(inst.flow(), Flow::Next | Flow::CondBranch);
    let printed_next = code.insts.range(next + 1 - inst.size() as u64..).next();
    falls && printed_next.is_none_or(|(&pc, _)| pc != next)
}

/// The instructions that control can reach, by address.
pub(crate) struct Code {
    insts: BTreeMap<u64, Inst>,
    /// Addresses where jumps can arrive.
    labels: BTreeSet<u64>,
    /// The possible targets of computed jumps.
    targets: BTreeSet<u64>,
}

impl Code {
    /// Follows the flow of control from the entry and from `targets`.
    fn find(program: &Program, targets: &[u64]) -> Result<Code, Untranslatable> {
        let mut code = Code {
            insts: BTreeMap::new(),
            labels: BTreeSet::from([program.entry()]),
            targets: targets.iter().copied().collect(),
        };
        let mut todo = vec![program.entry()];
        todo.extend(targets);
        code.labels.extend(targets);
        while let Some(pc) = todo.pop() {
            if code.insts.contains_key(&pc) {
                continue;
            }
            let inst = program.fetch(pc).map_err(|error| Untranslatable::Fetch(pc, error))?;
            code.insts.insert(pc, inst);
            let next = pc + inst.size() as u64;
            let target = pc.wrapping_add_signed(inst.branch_offset());
            match inst.flow() {
                Flow::Next => todo.push(next),
                Flow::Branch => code.label(target, &mut todo),
                Flow::CondBranch => {
                    todo.push(next);
                    code.label(target, &mut todo);
                }
                Flow::Call => {
                    code.label(target, &mut todo);
                    code.label(next, &mut todo);
                    code.targets.insert(next);
                }
                Flow::SwapPc => {
                    code.label(next, &mut todo);
                    code.targets.insert(next);
                }
                Flow::Indirect | Flow::End | Flow::Halt => {}
                Flow::Fork | Flow::Join | Flow::Trap => {
                    return Err(Untranslatable::Instruction(pc, inst.desc().mnemonic));
                }
            }
        }
        Ok(code)
    }

    /// Adds a label, from which the code has to be followed.
    fn label(&mut self, pc: u64, todo: &mut Vec<u64>) {
        self.labels.insert(pc);
        todo.push(pc);
    }
}

/// The C statement of an instruction.
fn statement(inst: &Inst, pc: u64, registers: &Registers, code: &Code) -> Result<String, Untranslatable> {
    let next = pc + inst.size() as u64;
    let target = pc.wrapping_add_signed(inst.branch_offset());
    Ok(match inst.flow() {
        Flow::Next => {
            let translated = match inst.opcode {
                Opcode::Sop1(op) => scalar::sop1(op, inst, pc, registers),
                Opcode::Sop2(op) => scalar::sop2(op, inst, registers),
                Opcode::Sopc(op) => scalar::sopc(op, inst, registers),
                Opcode::Sopk(op) => scalar::sopk(op, inst, registers),
                Opcode::Sopp(op) => scalar::sopp(op),
                Opcode::Vopc(op) => compare::statement(op, inst, registers),
                // The loops of the suite do not have these.
                Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) | Opcode::Vintrp(_) => None,
                Opcode::Smrd(_) | Opcode::Smem(_) | Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => None,
                Opcode::Mubuf(_) | Opcode::Mtbuf(_) | Opcode::Ds(_) | Opcode::Mimg(_) | Opcode::Exp(_) => None,
            };
            translated.ok_or(Untranslatable::Instruction(pc, inst.desc().mnemonic))?
        }
        Flow::Branch => format!("goto L{target:x};"),
        Flow::CondBranch => format!("if ({}) goto L{target:x};", condition(inst, registers)),
        Flow::Call => {
            let link = inst.dst().map(|dst| registers.write64(dst, &format!("{next:#x}ull"))).unwrap_or_default();
            format!("{{ {link} goto L{target:x}; }}")
        }
        Flow::SwapPc | Flow::Indirect => computed_jump(inst, next, registers, code),
        Flow::End => format!("{{ pc = {pc:#x}ull; outcome = EXIT_ENDED; goto leave; }}"),
        Flow::Halt => format!("{{ pc = {next:#x}ull; outcome = EXIT_HALTED; goto leave; }}"),
        Flow::Fork | Flow::Join | Flow::Trap => {
            return Err(Untranslatable::Instruction(pc, inst.desc().mnemonic));
        }
    })
}

/// The C expression for the condition of a branch.
fn condition(inst: &Inst, registers: &Registers) -> String {
    match inst.opcode {
        Opcode::Sopp(Sopp::SCbranchScc0) => "!scc".to_string(),
        Opcode::Sopp(Sopp::SCbranchScc1) => "scc".to_string(),
        Opcode::Sopp(Sopp::SCbranchVccz) => format!("{} == 0", registers.read64(reg::VCC_LO)),
        Opcode::Sopp(Sopp::SCbranchVccnz) => format!("{} != 0", registers.read64(reg::VCC_LO)),
        Opcode::Sopp(Sopp::SCbranchExecz) => format!("{} == 0", registers.read64(reg::EXEC_LO)),
        Opcode::Sopp(Sopp::SCbranchExecnz) => format!("{} != 0", registers.read64(reg::EXEC_LO)),
        // The other branches depend on debug flags, which are 0.
        _ => "0".to_string(),
    }
}

/// The C statement of a jump to a computed address: a switch over all targets.
fn computed_jump(inst: &Inst, next: u64, registers: &Registers, code: &Code) -> String {
    let address = match inst.src(0) {
        Src::Sgpr(n) => registers.read64(n),
        Src::Imm(v) => format!("{v:#x}ull"),
        _ => "0".to_string(),
    };
    let link = match (inst.opcode, inst.dst()) {
        (Opcode::Sop1(Sop1::SSwappcB64), Some(dst)) => registers.write64(dst, &format!("{next:#x}ull")) + " ",
        _ => String::new(),
    };
    let cases = code.targets.iter().fold(String::new(), |cases, pc| cases + &format!("case {pc:#x}: goto L{pc:x}; "));
    format!(
        "{{ pc = {address} & ~3ull; {link}switch (pc) {{ {cases}default: outcome = EXIT_UNKNOWN_TARGET; goto leave; \
         }} }}"
    )
}
