"""Mistakes in segments and memory kernels for AVX2: (file, text that precedes it, right, wrong, what is wrong)."""

V, P = "jit/src/segments", "crates/helpers/src/host"
H, L = f"{P}/avx2/mod.rs", f"{P}/lanes.rs"
A, E, N, X = f"{V}/allocate/mod.rs", f"{V}/allocate/emit.rs", f"{V}/narrow.rs", f"{V}/encode.rs"

MUTANTS = [
    # --- encoder
    (X, "fn vex_vector(", "(reg >> 3 ^ 1) << 7", "1 << 7", "VEX: destinations from ymm8 are those below"),
    (X, "fn vex_vector(", "(base >> 3 ^ 1) << 5", "1 << 5", "VEX: last sources from ymm8 are those below"),
    (X, "fn vex_vector(", "(form.wide as u8) << 7", "0", "VEX: 64-bit forms are those of 32 bits"),
    (X, "pub fn choose(", "choice << 4", "0", "choices: always by ymm0"),
    (X, "pub fn join_mask(", "64 - self.width.lanes() as u8", "48", "masks: joined in the wrong place"),
    (X, "fn signs_to_edx(", "vector & 7", "vector & 3", "masks: of ymm12 and up, those of others"),
    # --- allocation and code
    (A, "let (vectors, masks)", "(Width::Ymm, true) => (0..14, 0..0)", "@(Width::Ymm, true) => (if gcnsim_isa::mutant() == @ { 0..15 } else { 0..14 }, 0..0)", "allocation: the mask of tests given to values"),
    (A, "fn qword(&self", "4 * self.copies.max(2) * i as u32", "4 * self.copies * i as u32 / 2", "constants: 64-bit ones overlap"),
    (A, "fn last_source(", "is_shift && self.width == Width::Ymm", "false", "allocation: shifts of what is in memory"),
    (X, "pub fn store_some(", "self.choose(scratch, scratch, Rm::Register(vector), mask)", "self.op(Op::Copy, scratch, 0, Rm::Register(vector), Masking::default(), 0)", "stores: inactive lanes, too"),
    (E, "fn jump_if_wrong(", "self.code.jump_unless_within(self.exec, self.ok)", "self.code.jump_unless_within(self.ok, self.ok)", "tests: never leave"),
    (E, "let (numbers, plain)", "self.code.op(Op::And, self.ok, self.ok, Rm::Register(numbers), plain, 0)", "()", "tests: NaNs are not looked for"),
    # --- operations by others
    (N, "Op::Sar64 | Op::SarVar64", "self.binary(Op::Xor, shifted, signs)", "shifted", "arithmetic shifts of 64 bits: negative numbers inverted"),
    (N, "Op::NarrowTo16", "0b1000", "0b0100", "binary16: the upper four lanes are the lower ones"),
    (N, "Logic::Select =>", "self.binary(Op::AndNot, a, c)", "self.binary(Op::AndNot, a, b)", "choice of bits: the wrong source"),
    (N, "Logic::Majority =>", "self.binary(Op::And, either, c)", "self.binary(Op::And, both, c)", "majority: of two that differ, 0"),
    (N, "fn rotated(", "(i + by / 8) & 3", "(i + 4 - by / 8) & 3", "rotations by whole bytes: to the left"),
    (N, "fn leading_zeros(", "self.binary(Op::AndNot, below, a)", "{ let _ = below; a }", "leading zeros: rounding up to the next power"),
    (N, "fn leading_zeros(", "self.binary(Op::MinI16, zeros, all)", "{ let _ = all; zeros }", "leading zeros: of 0, 158"),
    (N, "fn ones(", "self.binary(Op::Add32, low, high)", "{ let _ = high; low }", "bit counts: of the lower halves of bytes"),
    (N, "fn float_of_unsigned(", "65536f32", "65535f32", "unsigned to binary32: the upper half too small"),
    (N, "fn unsigned_of_positive(", "self.binary(Op::Or, integer, is_beyond)", "{ let _ = is_beyond; integer }", "binary32 to unsigned: too large gives 0"),
    (N, "fn unsigned_of_positive(", "self.binary(Op::SubF32, a, taken)", "{ let _ = taken; a }", "binary32 to unsigned: from 2^31 on"),
    (N, "fn power_of_two(", "self.binary(Op::MinF64, n, most)", "{ let _ = most; n }", "powers of two: no upper limit"),
    (N, "fn scaled(", "400.0", "100.0", "v_ldexp: powers limited too early"),
    (N, "fn lesser(", "self.binary(op, b, a)", "self.binary(op, a, b)", "least and greatest: of zeros the second"),
    (N, "fn lesser(", "self.binary(Op::Or, number, nan)", "{ let _ = nan; number }", "greatest: NaNs hidden"),
    (N, "pub(super) fn odd_dwords(", "self.shift(Op::Shr64, even, 32)", "even", "upper halves of products: of even lanes the lower ones"),
    # --- masks
    (N, "pub(super) fn narrow_merged(", "(Op::Sub32, Some(u32::MAX)) if old == a => self.binary(Op::Sub32, a, mask)", "@(Op::Sub32, Some(u32::MAX)) if old == a => self.binary(if gcnsim_isa::mutant() == @ { Op::Add32 } else { Op::Sub32 }, a, mask)", "carries in: subtracted"),
    (N, "pub(super) fn narrow_merged(", "self.choose(mask, old, then)", "{ let _ = old; then }", "masked operations: all lanes"),
    (N, "pub(super) fn narrow_zeroed(", "self.binary(Op::And, mask, then)", "then", "masked operations: no zeros"),
    (N, "pub(super) fn narrow_blend(", "(_, Some(0)) => self.binary(Op::AndNot, mask, a)", "@(_, Some(0)) => self.binary(if gcnsim_isa::mutant() == @ { Op::And } else { Op::AndNot }, mask, a)", "v_cndmask with 0: the other lanes"),
    (N, "pub(super) fn narrow_test(", "((lanes, true), mask) => self.binary(Op::AndNot, lanes, mask)", "@((lanes, true), mask) => self.binary(if gcnsim_isa::mutant() == @ { Op::And } else { Op::AndNot }, lanes, mask)", "compares: the opposite ones are not"),
    (N, "pub(super) fn narrow_require(", "self.narrow_right(KOp::AndNot, lanes, Value::OK)", "self.narrow_right(KOp::And, lanes, Value::OK)", "tests: the opposite ones are not"),
    (N, "pub(super) fn narrow_convert_mask(", "self.shift(Op::Sar, from, 31)", "from", "masks from signs: other bits stay"),
    (N, "fn lanes(&mut self", "self.binary(Op::MaxU32, a, b)", "self.binary(Op::MaxI32, a, b)", "unsigned less: signed"),
    (N, "fn lanes(&mut self", "self.binary(Op::MinU32, a, b)", "self.binary(Op::MinI32, a, b)", "unsigned at most: signed"),
    (N, "fn signed_order(", "self.qwords[i as usize] ^ SIGN_64", "self.qwords[i as usize]", "unsigned 64-bit compares with constants: signed"),
    (N, "fn signed_order(", "self.binary(Op::Xor64, x, sign)", "{ let _ = sign; x }", "unsigned 64-bit compares: signed"),
    # --- memory
    (L, "fn is_ramp(", "step.wrapping_mul(lane as u32)", "step.wrapping_mul(lane as u32 % 8)", "consecutive lanes: every chunk like the first"),
    (L, "fn are_within(", "values[lane].wrapping_sub(least) > span", "false && values[lane].wrapping_sub(least) > span", "bounds: not compared"),
    (L, "fn union(", "|all, one| all | one", "|all, one| all ^ one", "bits of lanes: those that two have are lost"),
    (H, "fn readable_places<", "if active[lane] == 0 { first } else { at[lane] }", "{ let _ = (first, active); at[lane] }", "gathers: read for inactive lanes"),
    (H, "unsafe fn load_chunk<", "at[8 * n] <= u32::MAX - 32 * N as u32", "true", "rows within eight lanes: places wrap"),
    (L, "fn are_ascending(", "value.wrapping_sub(before).wrapping_sub(bytes)", "value.wrapping_sub(before)", "stores of ascending lanes: overlapping ones are not read back"),
    (H, "unsafe fn gather_chunk<", "[place(0), place(1), place(4), place(5)]", "[place(0), place(1), place(2), place(3)]", "gathers of two dwords: wrong lanes"),
    (H, "unsafe fn gather_chunk<", "place(lane + 4)", "place(lane)", "gathers of four dwords: the lower lanes twice"),
    (H, "unsafe fn holds<", "or_different(different, elements[k], chunk(values[k], n), mask, n)", "or_different(different, elements[0], chunk(values[0], n), mask, n)", "stores: only the first dword is compared"),
    (H, "unsafe fn load_elements<", "_mm256_permute4x64_epi64::<0b11_01_10_00>(odd)", "odd", "consecutive pairs: upper dwords out of order"),
    (H, "unsafe fn store_elements<", "_mm256_permute2x128_si256::<0x31>(low, high)", "_mm256_permute2x128_si256::<0x13>(low, high)", "consecutive pairs: stored out of order"),
    (H, "unsafe fn load_parts<", "if BYTES == 1 { read_bytes(from) } else { read_shorts(from) }", "read_bytes(from)", "consecutive shorts: loaded as bytes"),
    (f"{P}/mod.rs", "fn nonzero(", "values[lane] != 0", "values[lane / 4 * 4] != 0", "lanes that are not zero: those of every fourth"),
]
