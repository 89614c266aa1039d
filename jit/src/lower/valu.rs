//! VOP1, VOP2, VOP3 and VOP3P: a call of a helper for all lanes, with the steps of SDWA and DPP around it. Moves of one
//! lane have code of their own.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::table::{Opcode, Sopp, Vop1, Vop2, Vop3};
use gcnsim_isa::{Fx, Inst, Note, Src, Vgpr};

use super::Lower;
use super::vector::{Index, Place, Vector, lane_0, scratch};
use crate::abi::offset;
use gcnsim_helpers::valu::{self, Chosen, sdwa};

/// The number of the destination in [`Index::Mode`].
pub(super) const DST: u32 = 3;
/// The number of the scratch lanes for results.
const RESULTS: usize = 2;

/// Lowers an instruction.
pub(super) fn lower(l: &mut Lower<'_, '_>, inst: &Inst) {
    match inst.opcode {
        Opcode::Vop1(Vop1::VNop | Vop1::VClrexcp) => {}
        Opcode::Vop1(Vop1::VReadfirstlaneB32) => lower_v_readfirstlane(l, inst),
        Opcode::Vop2(Vop2::VReadlaneB32) | Opcode::Vop3(Vop3::VReadlaneB32) => lower_v_readlane(l, inst),
        Opcode::Vop2(Vop2::VWritelaneB32) | Opcode::Vop3(Vop3::VWritelaneB32) => lower_v_writelane(l, inst),
        Opcode::Vop1(Vop1::VSwapB32) => lower_v_swap(l, inst),
        Opcode::Vop1(Vop1::VMovrelsB32) => lower_moved(l, inst, Index::M0, Index::None),
        Opcode::Vop1(Vop1::VMovreldB32) => lower_moved(l, inst, Index::None, Index::M0),
        Opcode::Vop1(Vop1::VMovrelsdB32) => lower_moved(l, inst, Index::M0, Index::M0),
        _ => lower_lanes(l, inst),
    }
}

/// Whether the instruction is a call of a helper.
pub(crate) fn is_call(opcode: Opcode) -> bool {
    match opcode {
        Opcode::Vop1(Vop1::VNop | Vop1::VClrexcp | Vop1::VReadfirstlaneB32) => false,
        Opcode::Vop2(Vop2::VReadlaneB32 | Vop2::VWritelaneB32) => false,
        Opcode::Vop3(Vop3::VReadlaneB32 | Vop3::VWritelaneB32) => false,
        Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) | Opcode::Vintrp(_) => true,
        Opcode::Sopp(Sopp::SSendmsg | Sopp::SSendmsghalt) => true,
        _ => false,
    }
}

pub(super) fn chosen(l: &Lower<'_, '_>, inst: &Inst) -> Chosen {
    valu::helper(l.options.level, inst).unwrap_or_else(|| unreachable!("{} is not executed", inst.desc().mnemonic))
}

pub(super) fn vdst(inst: &Inst) -> u8 {
    inst.vdst().unwrap_or_else(|| unreachable!("{} writes no VGPR", inst.desc().mnemonic))
}

/// The address for results: the destination, or lanes that nobody reads if its number is past the last VGPR.
pub(super) fn write_place(l: &mut Lower<'_, '_>, place: Place) -> Value {
    match place.past {
        Some(past) => {
            let dropped = l.pointer_at(l.frame, offset::DROPPED_LANES as i64);
            l.b.ins().select(past, dropped, place.lanes)
        }
        None => place.lanes,
    }
}

/// Zeroes the lanes that nobody reads.
fn clear_dropped(l: &mut Lower<'_, '_>) {
    let (dropped, zero) = (l.pointer_at(l.frame, offset::DROPPED_LANES as i64), l.const64(0));
    for at in (0..size_of::<Vgpr>() as i32).step_by(8) {
        l.b.ins().store(MemFlagsData::trusted(), zero, dropped, at);
    }
}

/// Lowers an instruction that computes lanes.
fn lower_lanes(l: &mut Lower<'_, '_>, inst: &Inst) {
    let chosen = chosen(l, inst);
    let v = Vector::new(l, Note::GpridxRange);
    v.note_odd_form(l, inst);
    let active = v.active(l);

    let destination = v.place(l, vdst(inst), inst.desc().dst.dwords(), Index::Mode(DST));
    let d = write_place(l, destination);
    if destination.past.is_some() && chosen.flags.is_some_and(|flags| flags.half_note() != 0) {
        // Results that are dropped have no upper half that could be in doubt.
        clear_dropped(l);
    }
    let (mut sources, active) = sources(l, &v, inst, active, 0);
    if inst.desc().fx.has(Fx::RDST) {
        // This is an accumulator.
        sources[inst.src_count()] = destination.lanes;
        // (V_CVT_PKACCUM is VOP3 where there is GPR-index mode.)
        if let (Some(indexed), Opcode::Vop2(_)) = (v.is_indexed(l, DST), inst.opcode) {
            v.note_if(l, indexed, Note::GpridxMac);
        }
    }

    let part = inst.sdwa().filter(|selectors| selectors.dst_sel != 6);
    let results = if part.is_some() { scratch(l, RESULTS) } else { d };
    store_control(l, inst, &chosen);
    let mask = call(l, &chosen, results, sources, active);
    if let Some(selectors) = part {
        let how = l.const32(selectors.dst_sel as u32 | (selectors.dst_unused as u32) << 3);
        l.call_host(sdwa::finish_sdwa as *const u8 as usize, &[d, results, active, how], None);
    }
    if let Some(code) = inst.mask_dst() {
        v.write_mask(l, code, mask);
    }
}

/// The sources in the form that helpers take, and the lanes that take part. Parts are selected and lanes moved. Bit `i`
/// of
/// `by_value` says that source `i` is a scalar and wanted as an I64.
pub(super) fn sources(
    l: &mut Lower<'_, '_>,
    v: &Vector,
    inst: &Inst,
    active: Value,
    by_value: u8,
) -> ([Value; 3], Value) {
    let mut sources = [l.frame; 3];
    for (i, source) in sources.iter_mut().enumerate().take(inst.src_count()) {
        if by_value >> i & 1 == 1 {
            let value = l.src(inst, i);
            let is_wide = l.b.func.dfg.value_type(value) == types::I64;
            *source = if is_wide { value } else { l.b.ins().uextend(types::I64, value) };
            continue;
        }
        *source = v.source(l, inst, i, Index::Mode(i as u32));
        if let Some(part) = v.select_part(l, inst, i, *source) {
            *source = part;
        }
    }
    let Some((lanes, mask)) = v.move_lanes(l, inst, sources[0], active) else { return (sources, active) };
    sources[0] = lanes;
    (sources, mask)
}

/// Calls a helper. The result has one bit per lane.
pub(super) fn call(l: &mut Lower<'_, '_>, chosen: &Chosen, d: Value, [s0, s1, s2]: [Value; 3], active: Value) -> Value {
    let control = l.pointer_at(l.frame, offset::CONTROL as i64);
    let mask = l.call_host(chosen.helper as *const u8 as usize, &[d, s0, s1, s2, active, control], Some(types::I64));
    mask.unwrap_or_else(|| unreachable!("helpers return a mask"))
}

/// Stores the inputs of the helper.
pub(super) fn store_control(l: &mut Lower<'_, '_>, inst: &Inst, chosen: &Chosen) {
    let store = |l: &mut Lower<'_, '_>, value: Value, at: i32| {
        l.b.ins().store(MemFlagsData::trusted(), value, l.frame, at);
    };
    if let Some(flags) = chosen.flags {
        let flags = l.const64(flags.0);
        store(l, flags, offset::CONTROL_FLAGS);
    }
    if let (Some(code), true) = (inst.mask_src(), chosen.mask_in) {
        let mask = l.regs.read64(l.b, code);
        store(l, mask, offset::CONTROL_MASK_IN);
    }
    if let Some(fast) = chosen.fast {
        let (mode, arch) = (l.mode(), l.const32(inst.arch as u32));
        store(l, mode, offset::CONTROL_MODE);
        store(l, arch, offset::CONTROL_ARCH);
        let fast = l.b.ins().iconst(l.pointer, fast.map_or(0, |fast| fast as usize as i64));
        store(l, fast, offset::CONTROL_FAST);
    }
}

/// Lowers V_MOVREL: a move, with M0 added to the number of the source, of the destination or of both.
fn lower_moved(l: &mut Lower<'_, '_>, inst: &Inst, source: Index, destination: Index) {
    let v = Vector::new(l, Note::MovrelRange);
    v.note_if_indexed(l, Note::GpridxOdd);
    let active = v.active(l);
    let s0 = v.source(l, inst, 0, source);
    let place = v.place(l, vdst(inst), 1, destination);
    let d = write_place(l, place);
    let (chosen, unused) = (chosen(l, inst), l.frame);
    call(l, &chosen, d, [s0, unused, unused], active);
}

/// Lowers V_SWAP, which writes both operands. In GPR-index mode operands past the last VGPR are a copy of VGPR0.
fn lower_v_swap(l: &mut Lower<'_, '_>, inst: &Inst) {
    let v = Vector::new(l, Note::GpridxRange);
    let active = v.active(l);
    let Src::Vgpr(source) = inst.src(0) else { unreachable!("V_SWAP_B32 exchanges VGPRs") };
    let places = [v.place(l, vdst(inst), 1, Index::Mode(DST)), v.place(l, source, 1, Index::Mode(0))];
    let mut operands = places.map(|place| place.lanes);
    if places.iter().any(|place| place.past.is_some()) {
        let copy = [scratch(l, 0), scratch(l, 1)];
        for (i, place) in places.iter().enumerate() {
            let select = l.const32(6);
            l.call_host(sdwa::prepare_sdwa as *const u8 as usize, &[l.vgprs, copy[i], select], None);
            if let Some(past) = place.past {
                operands[i] = l.b.ins().select(past, copy[i], operands[i]);
            }
        }
    }
    let (chosen, unused) = (chosen(l, inst), l.frame);
    call(l, &chosen, operands[0], [operands[1], unused, unused], active);
}

// Moves of one lane.

/// The address of the dword of lane `lane` (an I64 below 64) of VGPR `n`.
fn lane_address(l: &mut Lower<'_, '_>, n: u8, lane: Value) -> Value {
    let base = lane_0(l, n);
    let bytes = l.b.ins().ishl_imm_u(lane, 2);
    l.b.ins().iadd(base, bytes)
}

fn load_lane(l: &mut Lower<'_, '_>, n: u8, lane: Value) -> Value {
    let address = lane_address(l, n, lane);
    l.b.ins().load(types::I32, MemFlagsData::trusted(), address, 0)
}

/// Source `i` as a scalar. For a VGPR it is lane 0.
fn scalar_or_lane_0(l: &mut Lower<'_, '_>, inst: &Inst, i: usize) -> Value {
    match inst.src(i) {
        Src::Vgpr(n) => {
            let address = lane_0(l, n);
            l.b.ins().load(types::I32, MemFlagsData::trusted(), address, 0)
        }
        _ => l.src32(inst, i),
    }
}

/// The lane that source 1 names.
fn named_lane(l: &mut Lower<'_, '_>, inst: &Inst) -> Value {
    let lane = scalar_or_lane_0(l, inst, 1);
    let lane = l.b.ins().band_imm_u(lane, 63);
    l.b.ins().uextend(types::I64, lane)
}

/// Lane `lane` of source 0, or the value of a source that is a scalar.
fn read_lane(l: &mut Lower<'_, '_>, inst: &Inst, lane: Value) -> Value {
    match inst.src(0) {
        Src::Vgpr(n) => load_lane(l, n, lane),
        _ => l.src32(inst, 0),
    }
}

fn write_sgpr(l: &mut Lower<'_, '_>, v: &Vector, inst: &Inst, value: Value) {
    let code = inst.sdst().unwrap_or_else(|| unreachable!("{} writes an SGPR", inst.desc().mnemonic));
    let value = match v.skip {
        Some(skip) => {
            let old = l.regs.read32(l.b, code);
            l.b.ins().select(skip, old, value)
        }
        None => value,
    };
    l.regs.write32(l.b, code, value);
}

fn lower_v_readfirstlane(l: &mut Lower<'_, '_>, inst: &Inst) {
    let v = Vector::new(l, Note::GpridxRange);
    v.note_if_indexed(l, Note::GpridxOdd);
    let exec = l.exec();
    // Without active lanes this is 64, which stands for lane 0.
    let first = l.b.ins().ctz(exec);
    let first = l.b.ins().band_imm_u(first, 63);
    let value = read_lane(l, inst, first);
    write_sgpr(l, &v, inst, value);
}

fn lower_v_readlane(l: &mut Lower<'_, '_>, inst: &Inst) {
    let v = Vector::new(l, Note::GpridxRange);
    v.note_if_indexed(l, Note::GpridxOdd);
    let lane = named_lane(l, inst);
    let value = read_lane(l, inst, lane);
    write_sgpr(l, &v, inst, value);
}

fn lower_v_writelane(l: &mut Lower<'_, '_>, inst: &Inst) {
    let v = Vector::new(l, Note::GpridxRange);
    v.note_if_indexed(l, Note::GpridxOdd);
    let value = scalar_or_lane_0(l, inst, 0);
    let lane = named_lane(l, inst);
    let mut address = lane_address(l, vdst(inst), lane);
    if let Some(skip) = v.skip {
        let dropped = l.pointer_at(l.frame, offset::DROPPED_LANES as i64);
        address = l.b.ins().select(skip, dropped, address);
    }
    l.b.ins().store(MemFlagsData::trusted(), value, address, 0);
}
