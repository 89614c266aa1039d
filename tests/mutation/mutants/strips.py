"""Mistakes in strips of loops: (file, text that precedes it, right, wrong, what is wrong)."""

S, R = "jit/src/segments/segment/strip.rs", "jit/src/segments/allocate/rounds.rs"
L, H = "jit/src/lower/strips.rs", "crates/helpers/src/memory/scalar.rs"

MUTANTS = [
    # --- registers that go around the loop
    (R, "fn end_round(", "fixed >> register & 1 == 0", "true", "rounds: a result lies in a register of what goes around"),
    (R, "fn end_round(", "moves.retain(|&(from, to)| from != NOWHERE && from != to)", "moves.clear()", "rounds: values do not get back to their registers"),
    (R, "fn end_round(", "i != but && from == to", "{ let _ = (i, but, from, to); false }", "rounds: moves overwrite what later ones read"),
    (R, "fn end_round(", "loads.into_iter().for_each(|(value, to)| self.load(to, value))", "drop(loads)", "rounds: values in slots do not get back to their registers"),
    (R, "fn begin_rounds(", "self.load(register, first)", "()", "rounds: the first one begins with anything"),
    (R, "fn keep_lanes(", "self.code.store(register, Gpr::Rdx, at, mask)", "{ let _ = mask; self.code.store(register, Gpr::Rdx, at, 0) }", "results: of lanes that left before"),
    # --- chunks
    (S, "fn commit(", "offset::strip_result(number) - 64", "offset::strip_result(number)", "results: of another chunk"),
    (S, "fn commit(", "code.store(0, Gpr::Rdi, 256 * i32::from(n) - BIAS, exec)", "code.store(0, Gpr::Rdi, 256 * i32::from(n) - BIAS, 0)", "results: in inactive lanes, too"),
    (S, "fn compile(", "allocator.test_number(value).ok()?", "{ let _ = value; }", "tests: sums that go around may be no numbers"),
    (S, "fn compile(", "declines.push(allocator.jump_if_wrong().ok()?)", "()", "tests: wrong lanes do not decline"),
    # --- the end of the loop
    (S, "fn close(", "self == Ending::WhileVcc(true)", "self != Ending::WhileVcc(true)", "VCC: the loop goes on where it should end"),
    (S, "let first = code.jump(&[0x0f, 0x84]);", "declines.push(code.jump(&[0x0f, 0x85]))", "{ code.jump(&[0x0f, 0x85]); }", "VCC: chunks have rounds of their own"),
    (S, "impl Leave", "code.k_op(KOp::AndNot, exec, leaving, exec)", "()", "EXEC: lanes do not leave"),
    (S, "fn end(&self", "code.k_op(KOp::Or, kept, kept, left)", "()", "EXEC: lanes that were done before are forgotten"),
    (S, "fn end(&self", "code.k_store(exec, Gpr::R8, offset::mask(reg::EXEC_LO))", "()", "EXEC: is not handed back"),
    (L, "fn lanes_leave(", "!insts[at..].iter().any(is_late)", "true", "EXEC: the mask of leaving lanes is overwritten"),
    # --- operands
    (S, "fn strip(", "meets(reads)", "false", "operands: lane masks of the round before"),
    (S, "fn records(", "Home::Mask(slot) => varies(slot) || varies(slot + 1)", "@Home::Mask(slot) => gcnsim_isa::mutant() != @ && (varies(slot) || varies(slot + 1))", "operands: lane masks that vary are those of the first round"),
    (L, "fn scalar_round(", "varying[i].at <= number", "{ let _ = number; true }", "operands: of the beginning of a round"),
    (S, "fn strip(", "reads & 3 << reg::EXEC_LO != 0", "false", "operands: EXEC of the first round"),
    # --- the region
    (L, "pub(super) fn strip(", "len + need", "2 * len", "fuel: none for what follows the loop"),
    (L, "fn scalar_rounds(", "self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, fuel, need)", "self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, fuel, 1)", "fuel: rounds without any"),
    (L, "fn go_back(", "before.variables.into_iter().for_each(|(var, value)| self.b.def_var(var, value))", "drop(before.variables)", "declined: rounds are charged all the same"),
    (L, "fn go_back(", "self.regs.write32(self.b, code, value)", "{ let _ = (code, value); }", "declined: registers are those of later rounds"),
    (H, "fn run<H: Host>(_: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {\n        let Action::Scalar(op) = &op.action else { return Err(Refused) };\n        let register", "is_misaligned(i64::from(m.scalars.base[0]) | op.offset | register) || op.offset < 0", "false", "loads ahead: raise notes"),
    (L, "fn behind_rounds(", "self.load_written(writes)", "{ let _ = writes; }", "masks: are not taken back"),
]
