//! The facts about an instruction that rules need, from the decoder's effects (docs/gcn/waits.md, docs/gcn/hazards.md).

use gcnsim_isa::table::{Access, Share, Transfer};
use gcnsim_isa::{Encoding, HwReg, Inst, Mode, Opcode, RegSet, Sop1, Sop2, Sopk, Sopp, Src, VgprSet, Vop3, hwreg, reg};

use crate::rules::{Class, Consumer, Producer};

pub(crate) const VCC: u128 = 3 << reg::VCC_LO;
pub(crate) const EXEC: u128 = 3 << reg::EXEC_LO;
pub(crate) const M0: u128 = 1 << reg::M0;

/// Kinds of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Scalar ALU, and all else with scalar encodings.
    Scalar,
    /// Vector ALU.
    Valu,
    /// VINTRP, and interpolation in VOP3.
    Interpolation,
    /// SMRD and SMEM.
    Smem,
    /// Vector memory.
    Vmem,
    /// LDS and GDS.
    Ds,
    /// Exports.
    Export,
}

/// An instruction and the facts that rules need.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub inst: Inst,
    pub kind: Kind,
    /// Registers that it reads when it is issued.
    pub reads: RegSet,
    /// Registers that it writes, at once or later.
    pub writes: RegSet,
    /// Classes of operations that it is: bit n stands for [`Class::ALL`]`[n]`.
    pub classes: u16,
    /// The half of a register that a 16-bit load writes, if it keeps the other half.
    pub half: Option<u8>,
    /// Whether it uses a sampler.
    pub has_sampler: bool,
    /// Whether it is FLAT, GLOBAL or SCRATCH.
    pub is_flat_like: bool,
    /// Whether it loads into LDS.
    pub is_lds_dma: bool,
    /// Number of wait states that it takes.
    pub states: u8,
    /// Rules of wait states of whose pairs it can be the earlier, or the later, instruction: bit n stands for the n-th
    /// rule that is on.
    pub produces: u32,
    pub consumes: u32,
    /// The first of the two SGPRs behind VCC, if that is known and matters.
    pub behind_vcc: Option<u8>,
}

/// The registers, or other things, that an instruction of a pair uses. The two instructions meet if they have some in
/// common.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Link {
    pub sgprs: u128,
    pub vgprs: VgprSet,
    /// Hardware registers by number.
    pub other: u64,
}

impl Link {
    fn sgprs(sgprs: u128) -> Link {
        Link { sgprs, ..Link::default() }
    }

    fn vgprs(vgprs: VgprSet) -> Link {
        Link { vgprs, ..Link::default() }
    }

    fn other(number: u32) -> Link {
        Link { other: 1 << (number & 63), ..Link::default() }
    }

    pub fn is_empty(&self) -> bool {
        *self == Link::default()
    }

    pub fn and(&self, other: &Link) -> Link {
        Link {
            sgprs: self.sgprs & other.sgprs,
            vgprs: common(self.vgprs, other.vgprs),
            other: self.other & other.other,
        }
    }
}

/// Returns the VGPRs that are in both sets.
pub(crate) fn common(a: VgprSet, b: VgprSet) -> VgprSet {
    VgprSet(std::array::from_fn(|i| a.0[i] & b.0[i]))
}

fn kind(inst: &Inst) -> Kind {
    match inst.desc().encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk | Encoding::Sopp => Kind::Scalar,
        Encoding::Smrd | Encoding::Smem => Kind::Smem,
        Encoding::Vintrp => Kind::Interpolation,
        Encoding::Vop3 if inst.attribute_access().is_some() => Kind::Interpolation,
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vop3 | Encoding::Vop3p => Kind::Valu,
        Encoding::Ds => Kind::Ds,
        Encoding::Flat | Encoding::Global | Encoding::Scratch => Kind::Vmem,
        Encoding::Mubuf | Encoding::Mtbuf | Encoding::Mimg => Kind::Vmem,
        Encoding::Exp => Kind::Export,
    }
}

impl Facts {
    pub fn new(inst: Inst) -> Facts {
        let kind = kind(&inst);
        let is_lds_dma = match (inst.buffer_access(), inst.flat_access()) {
            (Some(access), _) => access.lds,
            (_, Some(access)) => access.lds,
            _ => false,
        };
        Facts {
            kind,
            reads: inst.named_reads(),
            writes: inst.named_writes(),
            classes: classes(&inst, kind),
            half: half(&inst),
            has_sampler: inst.image_shape().is_some_and(|shape| shape.sampler),
            is_flat_like: inst.flat_access().is_some(),
            is_lds_dma,
            states: states(&inst),
            produces: 0,
            consumes: 0,
            behind_vcc: None,
            inst,
        }
    }

    pub fn is(&self, class: Class) -> bool {
        self.classes >> class as u16 & 1 == 1
    }

    pub fn sopp(&self) -> Option<Sopp> {
        if let Opcode::Sopp(op) = self.inst.opcode { Some(op) } else { None }
    }

    pub fn access(&self) -> Option<Access> {
        let of_image = || self.inst.image_shape().map(|shape| shape.kind);
        self.inst.mem_shape().map(|shape| shape.kind).or_else(of_image)
    }

    /// Whether it branches if EXEC is zero.
    pub fn is_execz_branch(&self) -> bool {
        self.sopp() == Some(Sopp::SCbranchExecz)
    }

    /// Returns the registers that an operation of `class` reads or writes some time after its issue.
    pub fn pending(&self, class: Class) -> RegSet {
        match class {
            Class::StoreData => RegSet { vgprs: self.data(), ..RegSet::default() },
            Class::ExportColour | Class::ExportPosition | Class::ExportParameter | Class::GdsData => {
                RegSet { vgprs: self.reads.vgprs, sgprs: EXEC, ..RegSet::default() }
            }
            Class::Vmem | Class::Lds | Class::Gds | Class::Smem | Class::Flat => self.writes,
            Class::Message => RegSet::default(),
        }
    }

    /// Returns the VGPRs of the data that vector memory stores or combines.
    fn data(&self) -> VgprSet {
        let mut set = VgprSet::default();
        if !matches!(self.access(), Some(Access::Store | Access::Atomic)) {
            return set;
        }
        let (first, count) = data(&self.inst);
        set.insert(first, count);
        set
    }

    /// Returns what the instruction uses as the earlier one of a pair; nothing if it is no such instruction.
    pub fn produced(&self, producer: Producer) -> Link {
        let is_valu = self.kind == Kind::Valu;
        let written = |sgprs: u128, is_it: bool| Link::sgprs(if is_it { self.writes.sgprs & sgprs } else { 0 });
        match producer {
            Producer::ValuSgpr => written(!EXEC, is_valu),
            Producer::ValuVcc => written(VCC, is_valu),
            Producer::ValuExec => written(EXEC, is_valu),
            Producer::ValuVgpr => Link::vgprs(self.written_vgprs(is_valu || self.kind == Kind::Interpolation)),
            Producer::InterpolationVgpr => Link::vgprs(self.written_vgprs(self.kind == Kind::Interpolation)),
            Producer::WideStore => Link::vgprs(if self.is_wide_store() { self.data() } else { VgprSet::default() }),
            Producer::SaluSgpr => written(!EXEC & !M0, self.kind == Kind::Scalar),
            Producer::SaluM0 => written(M0, self.kind == Kind::Scalar),
            Producer::HwRegister if self.inst.opcode == Opcode::Sopc(gcnsim_isa::Sopc::SSetvskip) => {
                Link::other(hwreg::MODE)
            }
            Producer::HwRegister | Producer::Setreg => self.set_register(),
            Producer::SetregTrapsts => self.set_register().and(&Link::other(hwreg::TRAPSTS)),
            Producer::Vskip => match self.inst.opcode {
                Opcode::Sopc(gcnsim_isa::Sopc::SSetvskip) => Link::other(0),
                _ if self.sets_vskip() => Link::other(0),
                _ => Link::default(),
            },
            Producer::ScalarStore if self.kind == Kind::Smem && self.access() == Some(Access::Store) => Link::other(0),
            Producer::ScalarStore => Link::default(),
            Producer::VccAlias => Link::sgprs(if is_valu || self.kind == Kind::Scalar { self.aliases() } else { 0 }),
        }
    }

    /// Returns the other names of the VCC registers that it writes.
    fn aliases(&self) -> u128 {
        let Some(first) = self.behind_vcc else { return 0 };
        let as_sgprs = (self.writes.sgprs >> reg::VCC_LO & 3) << first;
        let as_vcc = (self.writes.sgprs >> first & 3) << reg::VCC_LO;
        as_sgprs | as_vcc
    }

    fn written_vgprs(&self, is_it: bool) -> VgprSet {
        if is_it { self.writes.vgprs } else { VgprSet::default() }
    }

    /// Returns the register that S_SETREG writes.
    fn set_register(&self) -> Link {
        match self.inst.opcode {
            Opcode::Sopk(Sopk::SSetregB32 | Sopk::SSetregImm32B32) => {
                Link::other(HwReg::from_simm16(self.inst.simm16() as u16).id)
            }
            _ => Link::default(),
        }
    }

    fn sets_vskip(&self) -> bool {
        let Opcode::Sopk(Sopk::SSetregB32 | Sopk::SSetregImm32B32) = self.inst.opcode else { return false };
        let field = HwReg::from_simm16(self.inst.simm16() as u16);
        let bits = field.offset..field.offset + field.size;
        field.id == hwreg::MODE && bits.contains(&Mode::VSKIP_BIT)
    }

    /// Whether it stores more than 64 bits, and reads some of them when the next instruction may already be executed.
    fn is_wide_store(&self) -> bool {
        if self.kind != Kind::Vmem || data(&self.inst).1 <= 2 {
            return false;
        }
        let is_store = matches!(self.access(), Some(Access::Store | Access::Atomic));
        let is_late = match (self.inst.buffer_access(), self.inst.image_access()) {
            (Some(access), _) => !matches!(access.soffset, Src::Sgpr(_)),
            (_, Some(access)) => access.r128 && self.access() == Some(Access::Store),
            _ => true,
        };
        is_store && is_late
    }

    /// Returns what the instruction uses as the later one of a pair; nothing if it is no such instruction.
    pub fn consumed(&self, consumer: Consumer) -> Link {
        let if_so = |is_it: bool| if is_it { Link::other(0) } else { Link::default() };
        let sgprs = |sgprs: u128, is_it: bool| Link::sgprs(if is_it { sgprs } else { 0 });
        let vgprs = |set: VgprSet, is_it: bool| Link::vgprs(if is_it { set } else { VgprSet::default() });
        let is_vector_alu = matches!(self.kind, Kind::Valu | Kind::Interpolation);
        match consumer {
            Consumer::VmemScalar => self.vmem_scalars(),
            Consumer::LaneNumber => self.lane_number(),
            Consumer::DivFmas => {
                sgprs(VCC, matches!(self.inst.opcode, Opcode::Vop3(Vop3::VDivFmasF32 | Vop3::VDivFmasF64)))
            }
            Consumer::Dpp => sgprs(EXEC, self.inst.dpp().is_some()),
            Consumer::DppSource => vgprs(self.source(0), self.inst.dpp().is_some()),
            Consumer::VcczSource => sgprs(VCC, is_vector_alu && self.has_source(Src::Vccz)),
            Consumer::ExeczSource => sgprs(EXEC, is_vector_alu && self.has_source(Src::Execz)),
            Consumer::VectorWrite => vgprs(self.writes.vgprs, is_vector_alu),
            Consumer::ScalarLoad => sgprs(self.reads.sgprs, self.kind == Kind::Smem),
            Consumer::ScalarBuffer => self.scalar_descriptor(),
            Consumer::LaneRead => vgprs(self.source(0), self.is_lane_read()),
            Consumer::Message => sgprs(M0, self.is_message()),
            Consumer::LdsByM0 => sgprs(M0, self.is_lds_by_m0()),
            Consumer::Movrel => sgprs(M0, self.is_movrel()),
            Consumer::Getreg => match self.inst.opcode {
                Opcode::Sopk(Sopk::SGetregB32) => Link::other(HwReg::from_simm16(self.inst.simm16() as u16).id),
                _ => Link::default(),
            },
            Consumer::Setreg => self.set_register(),
            Consumer::Vector => if_so(!matches!(self.kind, Kind::Scalar | Kind::Smem)),
            Consumer::Rfe => match self.inst.opcode {
                Opcode::Sop1(Sop1::SRfeB64) | Opcode::Sop2(Sop2::SRfeRestoreB64) => Link::other(hwreg::TRAPSTS),
                _ => Link::default(),
            },
            Consumer::ScalarMemory => {
                let moves = matches!(self.access(), Some(Access::Load | Access::Store | Access::Atomic));
                if_so(self.kind == Kind::Smem && moves)
            }
            Consumer::ScalarSource => Link::sgprs(if is_vector_alu { self.scalar_sources() } else { 0 }),
        }
    }

    /// Returns the scalar registers with descriptors, offset and address of vector memory.
    fn vmem_scalars(&self) -> Link {
        if self.kind != Kind::Vmem {
            return Link::default();
        }
        let scratch = 3u128 << gcnsim_isa::flat_scratch(self.inst.arch);
        let implicit = if self.is_flat_like { EXEC | scratch } else { EXEC };
        Link::sgprs(self.reads.sgprs & !implicit)
    }

    fn lane_number(&self) -> Link {
        if !self.is_lane_instruction() {
            return Link::default();
        }
        match self.inst.src(1) {
            Src::Sgpr(code) => Link::sgprs(1 << code),
            _ => Link::default(),
        }
    }

    /// Whether it is V_READLANE or V_WRITELANE.
    pub fn is_lane_instruction(&self) -> bool {
        self.inst.desc().has.any(gcnsim_isa::table::Has::LANE1)
    }

    fn is_lane_read(&self) -> bool {
        self.kind == Kind::Valu && self.inst.sdst().is_some()
    }

    fn source(&self, i: usize) -> VgprSet {
        let mut set = VgprSet::default();
        if i < self.inst.src_count()
            && let Some(first) = self.inst.src_vgpr(i)
        {
            set.insert(first, self.inst.src_type(i).dwords());
        }
        set
    }

    fn has_source(&self, wanted: Src) -> bool {
        (0..self.inst.src_count()).any(|i| self.inst.src_code(i).is_some() && self.inst.src(i) == wanted)
    }

    /// Returns the scalar registers among the sources.
    fn scalar_sources(&self) -> u128 {
        (0..self.inst.src_count()).fold(0, |all, i| match self.inst.src(i) {
            Src::Sgpr(code) if self.inst.src_code(i).is_some() => {
                all | (if self.inst.src_type(i).is_wide() { 3 } else { 1 }) << code
            }
            _ => all,
        })
    }

    fn scalar_descriptor(&self) -> Link {
        match (self.inst.scalar_access(), self.inst.mem_shape()) {
            (Some(access), Some(shape)) if shape.base == gcnsim_isa::table::Base::Buffer => {
                Link::sgprs(0xf << access.base)
            }
            _ => Link::default(),
        }
    }

    fn is_message(&self) -> bool {
        let of_sopp = matches!(self.sopp(), Some(Sopp::SSendmsg | Sopp::SSendmsghalt | Sopp::STtracedata));
        of_sopp || self.is(Class::Gds)
    }

    fn is_lds_by_m0(&self) -> bool {
        let by_thread = matches!(
            self.inst.transfer(),
            Some(Transfer::Share(Share::ReadAddtid | Share::WriteAddtid) | Transfer::StoreLds)
        );
        let is_direct = self.kind == Kind::Valu && self.inst.reads_lds_directly();
        by_thread || self.is_lds_dma || self.kind == Kind::Interpolation || is_direct
    }

    fn is_movrel(&self) -> bool {
        use Sop1::{SMovreldB32, SMovreldB64, SMovrelsB32, SMovrelsB64};
        matches!(self.inst.opcode, Opcode::Sop1(SMovrelsB32 | SMovrelsB64 | SMovreldB32 | SMovreldB64))
    }
}

/// Returns the data that vector memory stores or combines: the first VGPR, and the number of VGPRs.
fn data(inst: &Inst) -> (u8, u32) {
    if let (Some(access), Some(shape)) = (inst.buffer_access(), inst.mem_shape()) {
        return (access.vdata, shape.data_dwords(inst.arch));
    }
    if let (Some(access), Some(shape)) = (inst.flat_access(), inst.mem_shape()) {
        return (access.data, shape.data.into());
    }
    inst.image_access().map_or((0, 0), |access| (access.vdata, inst.image_data_dwords()))
}

/// Returns the half of a register that a 16-bit load writes; `None` if it writes both halves.
fn half(inst: &Inst) -> Option<u8> {
    use gcnsim_isa::table::{Packing, Part};
    if !inst.arch.packs_d16() {
        return None;
    }
    match inst.transfer()? {
        Transfer::Load(load) => match load.part {
            Part::Low => Some(0),
            Part::High => Some(1),
            Part::Whole => None,
        },
        Transfer::LoadFormat(1, Packing::D16) => Some(0),
        Transfer::LoadFormat(_, Packing::D16Hi) => Some(1),
        _ => None,
    }
}

/// Returns the number of wait states that an instruction takes.
fn states(inst: &Inst) -> u8 {
    match inst.opcode {
        Opcode::Sopp(Sopp::SNop) if inst.arch.is_gcn12_or_later() => (inst.simm16() as u8 & 15) + 1,
        Opcode::Sopp(Sopp::SNop) => (inst.simm16() as u8 & 7) + 1,
        _ => 1,
    }
}

/// Returns the classes of operations that an instruction is, as bits.
fn classes(inst: &Inst, kind: Kind) -> u16 {
    let set = |classes: &[Class]| classes.iter().fold(0, |set, &class| set | 1 << class as u16);
    match kind {
        Kind::Smem => {
            let is_write_back = inst.desc().mnemonic == "s_dcache_wb" || inst.desc().mnemonic == "s_dcache_wb_vol";
            match inst.mem_shape().map(|shape| shape.kind) {
                Some(Access::Load | Access::Store | Access::Atomic | Access::Time) => set(&[Class::Smem]),
                _ if is_write_back => set(&[Class::Smem]),
                _ => 0,
            }
        }
        Kind::Ds if inst.ds_access().is_some_and(|access| access.gds) => set(&[Class::Gds, Class::GdsData]),
        Kind::Ds => set(&[Class::Lds]),
        Kind::Vmem => {
            let access = inst.mem_shape().map(|shape| shape.kind);
            match access.or_else(|| inst.image_shape().map(|shape| shape.kind)) {
                Some(Access::Invalidate) => 0,
                _ if inst.desc().encoding == Encoding::Flat => set(&[Class::Vmem, Class::Flat]),
                Some(Access::Store | Access::Atomic) if crate::rules::generation(inst.arch) == 0 => {
                    set(&[Class::Vmem, Class::StoreData])
                }
                _ => set(&[Class::Vmem]),
            }
        }
        Kind::Export => match inst.export_access().map_or(9, |access| access.target) {
            0..=11 => set(&[Class::ExportColour]),
            12..=31 => set(&[Class::ExportPosition]),
            _ => set(&[Class::ExportParameter]),
        },
        Kind::Scalar => match inst.opcode {
            Opcode::Sopp(Sopp::SSendmsg | Sopp::SSendmsghalt) => set(&[Class::Message]),
            _ => 0,
        },
        Kind::Valu | Kind::Interpolation => 0,
    }
}

/// Returns the limits of S_WAITCNT, by [`crate::rules::Counter`]; `None` if it does not wait for the counter.
pub(crate) fn waits(inst: &Inst) -> [Option<u8>; 3] {
    let bits = inst.simm16() as u16;
    let gcn14 = inst.arch.is_gcn14_or_later();
    let vm = bits & 15 | if gcn14 { bits >> 14 << 4 } else { 0 };
    let (exp, lgkm) = (bits >> 4 & 7, bits >> 8 & 15);
    let limit = |value: u16, most: u16| (value < most).then_some(value as u8);
    [limit(vm, if gcn14 { 63 } else { 15 }), limit(exp, 7), limit(lgkm, 15)]
}

/// Whether S_WAITCNT has bits that belong to no counter. Compilers set the bits of later generations together with all
/// bits of the counter that they extend; this means the same, so it does not count.
pub(crate) fn has_impossible_waits(inst: &Inst) -> bool {
    let bits = inst.simm16() as u16;
    let [vm, _, lgkm] = waits(inst);
    let mut known = match crate::rules::generation(inst.arch) {
        // Bit 12 may belong to LGKM_CNT.
        0 | 1 => 0x1f7f,
        2 => 0x0f7f,
        _ => 0xcf7f,
    };
    if vm.is_none() && bits >> 14 == 3 {
        known |= 0xc000;
    }
    if lgkm.is_none() && bits >> 12 & 3 == 3 {
        known |= 0x3000;
    }
    bits & !known != 0
}
