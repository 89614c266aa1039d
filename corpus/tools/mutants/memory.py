"""Mistakes in memory instructions, in the interpreter and in compiled code: (file, text that precedes it, right, wrong, what is wrong)."""

I, J = "src/interp/memory", "jit/src/memory"
M = "machine/src"

INTERPRETER = [
    # --- buffers: addresses, range checks, formats
    (f"{I}/buffer/address.rs", "fn choose_check(", "records.saturating_sub(self.soffset as u64)", "records", "buffers: range checks without SOFFSET"),
    (f"{I}/buffer/address.rs", "fn choose_check(", "idxen || adds_lane", "idxen", "buffers: ADD_TID_ENABLE alone is no index"),
    (f"{I}/buffer/address.rs", "fn choose_check(", "stride == 0 || !is_swizzled", "stride == 0", "buffers, GCN 1.2: linear ones checked by index"),
    (f"{I}/buffer/address.rs", "fn position(", "m.vgpr(access.vaddr, access.idxen as u8, lane)", "m.vgpr(access.vaddr, 0, lane)", "buffers: the index for the offset, too"),
    (f"{I}/buffer/address.rs", "fn position(", "voffset as u64 + access.offset as u64", "voffset.wrapping_add(access.offset) as u64", "buffers: offsets that wrap are in range"),
    (f"{I}/buffer/address.rs", "fn buffer_offset(", "index % group * element", "index % group", "buffers, swizzled: elements of one byte"),
    (f"{I}/buffer/address.rs", "fn buffer_offset(", "offset / element * element", "offset / element", "buffers, swizzled: rows not of whole elements"),
    (f"{I}/buffer/address.rs", "fn has(", "position.index < self.descriptor.num_records()", "position.index <= self.descriptor.num_records()", "buffers: one record too many"),
    (f"{I}/buffer/address.rs", "fn has(", "let is_inside = start < limit.chosen", "@let is_inside = start < limit.chosen + u64::from(gcnsim_isa::mutant() == @)", "buffers: one byte too many"),
    (f"{I}/buffer/address.rs", "pub fn new(", "extends_stride && descriptor.extends_stride(arch)", "false", "buffers: DATA_FORMAT is no part of the stride"),
    (f"{I}/buffer/address.rs", "fn aligned(", "bytes as u64 - 1", "0", "buffers, GCN 1.0: misaligned addresses"),
    (f"{I}/buffer.rs", "fn load_format(", "*dword & 0xffff | half << 16", "half << 16", "buffers, D16: the lower half is lost"),
    (f"{I}/buffer.rs", "fn components(", "format.one()", "1", "buffers: the constant 1 of floats is an integer"),
    (f"{I}/buffer.rs", "fn exchange(", "m.check(lane, &pieces, Access::Atomic)?", "()", "buffers, atomics: memory is not checked before"),
    (f"{I}/buffer.rs", "fn store(&self", "m.check(lane, &pieces, Access::Store)?", "()", "buffers, stores: memory is not checked before"),
    (f"{I}/format.rs", "fn loaded(", "signed.max(-(positive as i32))", "signed", "formats, SNORM: below -1"),
    (f"{I}/format.rs", "fn stored(", "value.clamp(least, most).round_ties_even()", "value.clamp(least, most).trunc()", "formats, NORM: stores truncate"),
    (f"{I}/format.rs", "fn stored(", "NumFormat::Sint => {", "@NumFormat::Sint if gcnsim_isa::mutant() == @ => value, NumFormat::Sint => {", "formats, SINT: stores do not saturate"),
    (f"{I}/format.rs", "fn nearest_half(", "up == down && below & 1 == 1", "up == down", "formats, D16: ties away from zero"),
    (f"{I}/format.rs", "pub fn new(", "!arch.is_gcn14_or_later()", "true", "formats: fields of two bits are unsigned on all generations"),
    # --- atomics
    (f"{I}/atomics.rs", "Atomic::Smin =>", "signed(d) < signed(old)", "d < old", "atomic smin: unsigned"),
    (f"{I}/atomics.rs", "Atomic::Inc =>", "old >= d", "old > d", "atomic inc: wraps one too late"),
    (f"{I}/atomics.rs", "Atomic::Dec =>", "old == 0 || old > d", "old == 0", "atomic dec: greater values are not replaced"),
    (f"{I}/atomics.rs", "Atomic::Cmpswap =>", "old == second", "old == d", "atomic cmpswap: compared with the new value"),
    (f"{I}/atomics.rs", "fn min_max_f(", "[true, false] => d", "@[true, false] if gcnsim_isa::mutant() == @ => old, [true, false] => d", "DS min, max of floats: a NaN in memory stays"),
    (f"{I}/atomics.rs", "pub fn of_mode(", "if width == Width::B32 { 4 } else { 6 }", "4", "DS floats of 64 bits: denormals by the bits of binary32"),
    # --- LDS, GDS
    (f"{I}/ds.rs", "fn offsets(", "if far { 64 } else { 1 }", "1", "ds_*2st64: units of one element"),
    (f"{I}/ds.rs", "fn window(", "allocated.min((m0 & 0x1_ffff) as u64)", "allocated", "DS before GCN 1.4: M0 does not limit"),
    (f"{I}/ds.rs", "fn window(", "m0 >> 16", "m0 & 0xffff", "GDS: base and size exchanged"),
    (f"{I}/ds.rs", "fn locate(", "address >> 31 == 1 && offset != 0", "false", "DS, GCN 1.0: negative addresses and an offset"),
    (f"{I}/ds.rs", "fn has(", "address as u64 + bytes as u64 <= self.limit", "address as u64 + (bytes as u64) < self.limit", "DS: the last element is out of range"),
    (f"{I}/ds.rs", "fn append_consume(", "exec.count_ones()", "64", "ds_append: inactive lanes count"),
    (f"{I}/ds.rs", "fn src2(", "4 * distance", "distance", "ds_*_src2: distance in bytes"),
    (f"{I}/lane_exchange.rs", "fn pull(", "exec >> source & 1 == 1", "true", "ds_swizzle, ds_bpermute: inactive lanes give their values"),
    (f"{I}/lane_exchange.rs", "fn swizzled(", "_ => (i & low | pattern >> 5 & 31) ^ pattern >> 10 & 31", "@_ if gcnsim_isa::mutant() == @ => (i & low | pattern >> 10 & 31) ^ pattern >> 5 & 31, _ => (i & low | pattern >> 5 & 31) ^ pattern >> 10 & 31", "ds_swizzle: OR and XOR exchanged"),
    # --- FLAT, GLOBAL, SCRATCH
    (f"{I}/flat.rs", "fn address(", "base.wrapping_add_signed(offset as i64)", "base.wrapping_add(offset as u64 & 0x1fff)", "GLOBAL: offset without a sign"),
    (f"{I}/flat.rs", "fn locate(", "256 * blocks", "blocks", "FLAT scratch: base in bytes"),
    (f"{I}/flat.rs", "fn locate(", "offset as u64 + bytes as u64 > share as u64", "offset as u64 > share as u64", "FLAT scratch: the last element may reach out"),
    (f"{I}/flat.rs", "fn window(", "(address >> 32) as u32 == apertures.shared", "(address >> 32) as u32 == apertures.private", "FLAT: LDS at the aperture of scratch"),
    (f"{I}/flat.rs", "fn private(", "byte / 4 * 256 + 4 * lane as u64", "byte / 4 * 256 + lane as u64", "scratch: lanes not interleaved by dwords"),
    # --- scalar
    (f"{I}/smem.rs", "fn dwords_in_range(", "descriptor.stride() as u64 * records", "records", "s_buffer_load: records of one byte"),
    (f"{I}/smem.rs", "fn locate(", "(imm & !3) + (reg_bytes & !3)", "(imm + reg_bytes) & !3", "s_load: offsets aligned as a whole"),
    (f"{I}/smem.rs", "fn locate(", "64 * (reg & !3)", "reg & !3", "s_scratch_load: offset in bytes"),
    # --- registers
    (f"{I}/transfer.rs", "fn extended(", "data[0] as i8 as u32", "data[0] as u32", "narrow loads: no sign"),
    (f"{I}/transfer.rs", "high: true } =>", "old & 0xffff | extended(data, bytes, signed) << 16", "extended(data, bytes, signed) << 16", "narrow loads, D16_HI: the lower half is lost"),
    (f"{I}/lanes.rs", "fn has_registers(", "first as usize + count as usize <= self.vgprs.len()", "(first as usize) < self.vgprs.len()", "loads: past the last VGPR"),
]

COMPILED = [
    # --- buffers
    (f"{J}/descriptor.rs", "impl Swizzle", "index % indices * element", "index % indices", "buffers, swizzled: elements of one byte"),
    (f"{J}/descriptor.rs", "fn is_in_range(", "records.saturating_sub(soffset)", "records", "buffers: range checks without SOFFSET"),
    (f"{J}/descriptor.rs", "fn is_in_range(", "Check::Index => return (index as u64) < records", "@Check::Index => return (index as u64) < records + u64::from(gcnsim_isa::mutant() == @)", "buffers: one record too many"),
    (f"{J}/descriptor.rs", "fn check(", "stride == 0 || !is_swizzled", "stride == 0", "buffers, GCN 1.2: linear ones checked by index"),
    (f"{J}/descriptor.rs", "fn check(", "mode.idxen || adds_lane", "mode.idxen", "buffers: ADD_TID_ENABLE alone is no index"),
    (f"{J}/descriptor.rs", "pub fn new(", "if is_long { v.long_stride() } else { v.stride() }", "v.stride()", "buffers: DATA_FORMAT is no part of the stride"),
    (f"{J}/buffer.rs", "fn align(", "2 => 1", "@2 => if gcnsim_isa::mutant() == @ { 0 } else { 1 }", "buffers, GCN 1.0: misaligned halfwords"),
    (f"{J}/buffer.rs", "pub fn spots(", "(true, true) => (first, second)", "@(true, true) => if gcnsim_isa::mutant() == @ { (second, first) } else { (first, second) }", "buffers: index and offset exchanged"),
    (f"{J}/buffer_fast.rs", "fn has(", "spot.place + bytes + soffset <= records", "spot.place + bytes <= records", "buffers, whole registers: range checks without SOFFSET"),
    (f"{J}/buffer_fast.rs", "fn has(", "(spot.index < records) & (spot.offset + bytes <= self.stride as u64)", "spot.index < records", "buffers, whole registers: past the end of a record"),
    (f"{J}/fast.rs", "pub(super) fn locate<", "bytes.div_ceil(4)", "1", "scratch, whole registers: one row"),
    (f"{J}/buffer_format.rs", "fn write_components(", "if is_packed { part } else { Part::Whole }", "part", "buffers, D16 of GCN 1.2: the upper half is kept"),
    (f"{J}/convert.rs", "pub(super) fn load(", "signed(width, bits).max(-((max >> 1) as i32))", "signed(width, bits)", "formats, SNORM: below -1"),
    (f"{J}/convert.rs", "let number_of =", "value + INTEGERS", "value.trunc() + INTEGERS", "formats, NORM: stores truncate"),
    (f"{J}/convert.rs", "pub(super) fn to_f16_nearest(", "rest == half && bits & 1 == 1", "rest == half", "formats, D16: ties away from zero"),
    (f"{J}/format.rs", "pub fn load(", "(false, false) => 1.0f32.to_bits()", "@(false, false) => if gcnsim_isa::mutant() == @ { 1 } else { 1.0f32.to_bits() }", "buffers: the constant 1 of floats is an integer"),
    # --- whole registers
    (f"{J}/fast.rs", "pub fn new(", "first.wrapping_sub((step * lowest) as usize)", "first", "rows: begin at the first active lane"),
    (f"{J}/fast.rs", "pub fn new(", "H::is_ramp(&at, start.wrapping_sub(step * lowest), step, mask)", "H::lanes(&at)[highest as usize] == start.wrapping_add(step * (highest - lowest))", "rows: by the first and last lane alone"),
    (f"{J}/fast.rs", "pub(super) fn high<", "H::are_equal(&H::values(values), value, mask)", "true", "rows: upper halves of addresses are not compared"),
    (f"{J}/fast/load.rs", "fn blend(", "register[lane] & !active[lane] | values[lane] & active[lane]", "values[lane] & active[lane]", "loads: inactive lanes are 0"),
    (f"{J}/fast.rs", "fn last(&self)", "63 - self.mask.leading_zeros() as usize", "self.mask.trailing_zeros() as usize", "stores to one address: the first lane wins"),
    (f"{J}/host/avx512.rs", "unsafe fn scatter<", "N > 2 && is_lost", "false", "stores of wide elements anywhere: in the order of dwords, not of lanes"),
    (f"{J}/fast.rs", "pub(super) fn interleave<", "all & 3 != 0", "false", "scratch, whole registers: misaligned elements"),
    # --- atomics
    (f"{J}/atomics.rs", "macro_rules! integer", "Atomic::Inc if old >= d => 0", "@Atomic::Inc if old > d || old == d && gcnsim_isa::mutant() != @ => 0", "atomic inc: wraps one too late"),
    (f"{J}/atomics.rs", "macro_rules! integer", "Atomic::Dec if old == 0 || old > d => d", "@Atomic::Dec if old == 0 || old > d && gcnsim_isa::mutant() != @ => d", "atomic dec: greater values are not replaced"),
    (f"{J}/atomics.rs", "fn flushes_sources(", "self.mode >> format.denormal_bit & 1 == 0", "self.mode >> 4 & 1 == 0", "DS floats of 64 bits: denormals by the bit of binary32"),
    (f"{J}/atomics.rs", "fn share_choose(", "(true, false) => d", "@(true, false) if gcnsim_isa::mutant() == @ => old, (true, false) => d", "DS min, max of floats: a NaN in memory stays"),
    (f"{J}/exchange.rs", "pub(super) fn atomic(", "!piece.address.is_multiple_of(piece.len as u64)", "false", "atomics: misaligned addresses"),
    (f"{J}/exchange.rs", "pub(super) fn store(", "check(context, mask, Access::Store, &locate)?", "()", "stores: memory is not checked before"),
    # --- LDS
    (f"{J}/ds.rs", "pub fn new(", "offset * u32::from(scale) * u32::from(bytes)", "offset * u32::from(bytes)", "ds_*2st64: units of one element"),
    (f"{J}/ds/place.rs", "pub fn find(", "register >> 31 == 1", "false", "DS, GCN 1.0: negative addresses"),
    (f"{J}/ds/place.rs", "fn is_below(", "at <= self.limit - bytes", "at < self.limit - bytes", "DS: the last element is out of range"),
    (f"{J}/ds/fast.rs", "fn most<", "share.min((m.scalars.m0 & 0x1_ffff).into())", "share", "DS before GCN 1.4, whole registers: M0 does not limit"),
    (f"{J}/ds/fast.rs", "fn alignment(", "bytes.next_power_of_two()", "1", "DS before GCN 1.4, whole registers: low bits of addresses count"),
    (f"{J}/ds/fast.rs", "let result = match op.act", "fast::blend(&mut m.vgprs[usize::from(op.vdst.0)].0, exec, &result)", "fast::blend(&mut m.vgprs[usize::from(op.vdst.0)].0, !0, &result)", "DS swizzle and permutes: inactive lanes are written"),
    (f"{J}/ds/fast.rs", "fn locate_both<", "most.checked_sub(a.max(b))", "most.checked_sub(a)", "ds_read2, ds_write2: only the first element is in range"),
    (f"{J}/ds/fast.rs", "for Write2<", "!is_lost && is_there", "{ let _ = (is_lost, is_there); true }", "ds_write2: the second elements of all lanes behind the first ones"),
    (f"{J}/ds/fast.rs", "fn update_elements<", "matches!(atomic, Atomic::Cmpswap | Atomic::ShareFcmpswap)", "matches!(atomic, Atomic::Cmpswap)", "ds_cmpst_f32, whole registers: operands exchanged"),
    (f"{J}/ds/update.rs", "pub(super) fn count(", "m.scalars.exec.count_ones()", "64", "ds_append: inactive lanes count"),
    (f"{J}/ds/exchange.rs", "fn set_from(", "m.scalars.exec >> from & 1 == 1", "true", "ds_swizzle, ds_bpermute: inactive lanes give their values"),
    # --- FLAT, GLOBAL, SCRATCH, scalar
    (f"{J}/flat.rs", "fn form<", "self.offset as i64 as u64", "self.offset as u64 & 0x1fff", "GLOBAL, whole registers: offset without a sign"),
    (f"{J}/flat.rs", "impl Private", "high as u64 * 256", "high as u64", "FLAT scratch: base in bytes"),
    (f"{J}/flat.rs", "fn pieces(", "place + len > limit as u64", "place > limit as u64", "FLAT scratch: the last element may reach out"),
    (f"{J}/flat.rs", "fn window(", "apertures.shared == high", "apertures.private == high", "FLAT: LDS at the aperture of scratch"),
    (f"{J}/scalar.rs", "fn reach_in_buffer(", "if stride == 0 { records.into() } else { stride * u64::from(records) }", "records.into()", "s_buffer_load: records of one byte"),
    (f"{J}/scalar.rs", "fn address(", "aligned(self.offset).wrapping_add(aligned(register))", "aligned(self.offset + register)", "s_load: offsets aligned as a whole"),
    (f"{J}/registers.rs", "fn read_atomic(", "operation.bytes << operation.has_comparand() as u8", "operation.bytes", "cmpswap: the second operand is not read"),
    (f"{J}/element.rs", "pub fn extend(", "(2, true) => dword as u16 as i16 as u32", "@(2, true) if gcnsim_isa::mutant() != @ => dword as u16 as i16 as u32", "narrow loads: no sign"),
    ("jit/src/lower/memory.rs", "fn scalar_offset(", "self.is_zero_pair(reg::EXEC_LO, types::I32)", "self.is_zero_pair(reg::VCC_LO, types::I32)", "SOFFSET = EXECZ: VCCZ"),
    ("jit/src/lower/memory.rs", "fn load_result(", "self.regs.write32(self.b, code, value)", "{ let _ = (code, value); }", "s_load: results of odd registers are dropped"),
    # --- guest memory, of both engines
    (f"{M}/space.rs", "pub fn place(", "self.len - at >= bytes", "true", "mappings: the last element may reach out"),
    (f"{M}/space.rs", "pub fn find(", "mapping.writable || access == Access::Load", "true", "mappings: all can be written"),
    (f"{M}/context.rs", "pub fn undo(", "for write in journal.writes().iter().rev()", "@let mut writes: Vec<_> = journal.writes().iter().rev().collect(); if gcnsim_isa::mutant() == @ { writes.reverse(); } for write in writes", "cross-check: writes taken back in the wrong order"),
]

MUTANTS = INTERPRETER + COMPILED
