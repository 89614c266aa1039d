//! The types of what a kernel's arguments are and point to, as the code uses them.
//!
//! Values are followed from the kernarg segment: an argument, what is computed from it as an address, what is loaded
//! through that, and what instructions take these for. Values that meet on two paths are followed on if they are the
//! same, or if one is none of these. A type in the metadata is believed; this is for typedefs, structures, and kernels
//! of HIP, whose metadata have no types.

mod tags;

use std::collections::{BTreeMap, HashMap, VecDeque};

use gcnsim_flow::{Blocks, Flow};
use gcnsim_isa::table::{Atomic, Base, Load, Transfer, Width};
use gcnsim_isa::{Encoding, Inst, Opcode, OperandType, Program, Sop1, Src, Vop1};
use gcnsim_loader::reached::reached;
use gcnsim_machine::world::Element;

use tags::{State, Tag};

/// Most instructions whose uses are followed.
const MOST_FOLLOWED: usize = 1 << 16;
/// Most visits of a block, on average.
const MOST_VISITS: usize = 8;
/// Most dwords of a structure whose types are told apart.
const MOST_FIELDS: u32 = 64;

/// The types that a kernel takes its arguments for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// The type of the dword of the kernarg segment at an offset in bytes, where the code tells.
    pub values: BTreeMap<u32, Element>,
    /// The types of memory behind the address at an offset of the kernarg segment: by dword of a structure, or one for
    /// all.
    pub pointees: BTreeMap<u32, Vec<Element>>,
    /// The same of memory behind addresses in memory; as behind those that hold them, where the code does not tell.
    pub deep: Vec<Element>,
    /// The type of floats that most instructions compute with; [`Element::Any`] if there are none.
    pub computes: Element,
}

/// A dword whose type is sought.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Place {
    Argument(u32),
    Loaded(u32, i32),
    Deep(u32, i32),
    Lds,
}

/// What speaks for a type.
#[derive(Clone, Copy, Default, Debug)]
struct Votes {
    /// The type that the first instruction, in the order of the code, takes it for: with the number of the instruction.
    first: Option<(u32, Element)>,
    /// Whether bits of it are combined: an integer, if nothing else speaks.
    has_bits: bool,
    /// Whether it is a half of an address.
    is_pointer: bool,
    /// Whether it is loaded past the cache of a work-group: others set it.
    is_shared: bool,
    /// Whether a carry goes on in it.
    has_carry: bool,
}

/// Returns the types that the code takes arguments for. The kernarg segment's address is in the SGPRs from `kernarg`
/// on; `pointers` are the offsets of addresses in it that the metadata name.
pub fn uses(program: &Program, kernarg: u8, pointers: &[u32]) -> Uses {
    let flow = reached(program);
    let computes = Floats::default();
    let mut found = Found { pointers, votes: HashMap::new(), to_lds: Vec::new(), reach: BTreeMap::new(), computes };
    flow.sites.iter().filter(|site| site.inst.src_count() > 0).for_each(|site| found.computes.add(&site.inst));
    let mut initial = State { scalars: [Tag::None; 128], vectors: [Tag::None; 256] };
    initial.scalars[usize::from(kernarg)] = Tag::Kernarg(0);
    let blocks = Blocks::new(&flow, program.entry());
    if flow.sites.len() > MOST_FOLLOWED {
        found.block(&flow, 0..flow.sites.len(), &mut initial);
        return found.uses();
    }
    let starts = starts(&flow, &blocks, initial, &mut found);
    found.votes.clear();
    for (block, start) in blocks.all.iter().zip(starts) {
        if let Some(mut state) = start {
            found.block(&flow, block.first as usize..block.end as usize, &mut state);
        }
    }
    found.uses()
}

/// Returns the states before the blocks that are reached.
fn starts(flow: &Flow, blocks: &Blocks, initial: State, found: &mut Found<'_>) -> Vec<Option<State>> {
    let mut starts: Vec<Option<State>> = vec![None; blocks.all.len()];
    let mut waits = vec![false; blocks.all.len()];
    let mut work: VecDeque<usize> = blocks.order.first().map(|&entry| entry as usize).into_iter().collect();
    work.iter().for_each(|&entry| starts[entry] = Some(initial.clone()));
    let mut left = MOST_VISITS * blocks.all.len();
    while let Some(at) = work.pop_front() {
        waits[at] = false;
        let Some(mut state) = starts[at].clone() else { continue };
        let Some(less) = left.checked_sub(1) else { break };
        left = less;
        let block = blocks.all[at];
        found.block(flow, block.first as usize..block.end as usize, &mut state);
        for to in [block.next, block.jump].into_iter().flatten().map(|to| to as usize) {
            let is_new = match &mut starts[to] {
                Some(before) => before.join(&state),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if is_new && !waits[to] {
                waits[to] = true;
                work.push_back(to);
            }
        }
    }
    starts
}

/// Numbers of instructions by the type of floats that they take.
#[derive(Clone, Copy, Default, Debug)]
struct Floats {
    f32: u32,
    f64: u32,
}

impl Floats {
    fn add(&mut self, inst: &Inst) {
        match inst.src_type(0) {
            OperandType::f32 => self.f32 += 1,
            OperandType::f64 => self.f64 += 1,
            _ => {}
        }
    }

    fn most(self) -> Element {
        match self {
            Floats { f32: 0, f64: 0 } => Element::Any,
            Floats { f32, f64 } if f32 > f64 => Element::F32,
            _ => Element::F64,
        }
    }
}

/// What the code tells.
struct Found<'a> {
    /// Offsets of addresses in the kernarg segment that metadata name.
    pointers: &'a [u32],
    votes: HashMap<Place, Votes>,
    /// What was stored to LDS.
    to_lds: Vec<Place>,
    /// By address: the distance behind the last dword that is accessed at a constant distance.
    reach: BTreeMap<u32, i32>,
    computes: Floats,
}

impl Found<'_> {
    fn block(&mut self, flow: &Flow, sites: std::ops::Range<usize>, state: &mut State) {
        for number in sites {
            self.step(&flow.sites[number].inst, number as u32, state);
        }
    }

    /// Notes how an instruction uses what is followed, and executes it on the tags.
    fn step(&mut self, inst: &Inst, number: u32, state: &mut State) {
        if inst.scalar_access().is_some() {
            return self.scalar_load(inst, state);
        }
        if inst.desc().is_memory() || inst.ds_access().is_some() {
            return self.vector_access(inst, number, state);
        }
        let result = self.operation(inst, number, state);
        state.forget(inst);
        let Some(tags) = result else { return };
        if let Some(n) = inst.vdst() {
            (0..)
                .zip(tags)
                .filter(|(k, _)| inst.desc().dst.dwords() > *k)
                .for_each(|(k, tag)| state.vectors[usize::from(n.wrapping_add(k as u8))] = tag);
        } else if let Some(n) = inst.dst().or(inst.sdst()) {
            (0..).zip(tags).filter(|(k, _)| inst.desc().dst.dwords().max(1) > *k).for_each(|(k, tag)| {
                if let Some(to) = state.scalars.get_mut(usize::from(n) + k as usize) {
                    *to = tag;
                }
            });
        }
    }

    fn scalar_load(&mut self, inst: &Inst, state: &mut State) {
        let (Some(access), Some(shape)) = (inst.scalar_access(), inst.mem_shape()) else { return state.forget(inst) };
        let base = match shape.base {
            Base::Address => self.address([state.scalar(access.base), state.scalar(access.base.saturating_add(1))]),
            Base::Buffer => self.address([state.scalar(access.base), state.scalar(access.base.saturating_add(1))]),
            Base::None | Base::Scratch => None,
        };
        state.forget(inst);
        let Some(base) = base.filter(|_| matches!(shape.moves, Transfer::Load(_))) else { return };
        let at = access.offset as i32;
        for k in 0..i32::from(shape.data) {
            let tag = base.loaded(at + 4 * k);
            if let Some(to) = state.scalars.get_mut(usize::from(access.data) + k as usize) {
                *to = tag;
            }
        }
        self.reaches(base, at + 4 * i32::from(shape.data), access.offset_register.is_none());
    }

    fn vector_access(&mut self, inst: &Inst, number: u32, state: &mut State) {
        let base = self.vector_base(inst, state);
        let Some(transfer) = inst.transfer() else { return state.forget(inst) };
        if let Some(access) = inst.ds_access() {
            return self.lds_access(inst, access.vdst, access.data[0], state);
        }
        let (vdst, offset, is_shared) = match (inst.flat_access(), inst.buffer_access()) {
            (Some(access), _) => (access.vdst, access.offset, access.glc),
            (_, Some(access)) => (access.vdata, access.offset as i32, access.glc),
            _ => return state.forget(inst),
        };
        if let (Transfer::Atomic(atomic, width), Some(Origin::Address(of))) = (transfer, base) {
            let element = match (is_float(atomic), width) {
                (true, Width::B32) => Element::F32,
                (true, Width::B64) => Element::F64,
                (false, Width::B32) => Element::I32,
                (false, Width::B64) => Element::I64,
            };
            self.vote(Tag::Loaded(of, offset), number, element);
        }
        state.forget(inst);
        let (Transfer::Load(load), Some(base)) = (transfer, base) else { return };
        for k in 0..i32::from(load.bytes.div_ceil(4)) {
            state.vectors[usize::from(vdst.wrapping_add(k as u8))] = base.loaded(offset + 4 * k);
        }
        self.narrow(base, offset, load, number);
        if let (true, Origin::Address(of)) = (is_shared, base) {
            self.votes.entry(Place::Loaded(of, offset & !3)).or_default().is_shared = true;
        }
        self.reaches(base, offset + i32::from(load.bytes.next_multiple_of(4)), true);
    }

    /// A load of one or two bytes says how wide elements are.
    fn narrow(&mut self, base: Origin, offset: i32, load: Load, number: u32) {
        let Origin::Address(of) = base else { return };
        match load.bytes {
            1 => self.vote(Tag::Loaded(of, offset & !3), number, Element::I8),
            2 => self.vote(Tag::Loaded(of, offset & !3), number, Element::I16),
            _ => {}
        }
    }

    fn lds_access(&mut self, inst: &Inst, vdst: u8, data: u8, state: &mut State) {
        let moves = inst.transfer();
        let is_among_lanes = moves.is_some_and(Transfer::is_among_lanes);
        let given = if inst.ds_shape().is_some_and(|shape| shape.data[0] > 0) { state.vector(data) } else { Tag::None };
        if let (Some(place), false) = (place_of(given), is_among_lanes)
            && !self.to_lds.contains(&place)
        {
            self.to_lds.push(place);
        }
        let moved = if is_among_lanes { given } else { Tag::Lds };
        let writes = inst.writes();
        state.forget(inst);
        if writes.vgprs.contains(vdst) {
            writes.vgprs.iter().for_each(|n| state.vectors[usize::from(n)] = moved);
        }
    }

    /// Returns what the address of a vector access was computed from.
    fn vector_base(&mut self, inst: &Inst, state: &State) -> Option<Origin> {
        let scalars = |n: u8| [state.scalar(n), state.scalar(n.saturating_add(1))];
        let vectors = |n: u8| [state.vector(n), state.vector(n.wrapping_add(1))];
        if let Some(access) = inst.flat_access() {
            if inst.desc().encoding == Encoding::Scratch {
                return None;
            }
            return match access.saddr {
                Some(saddr) => self.address(scalars(saddr)),
                None => self.address(vectors(access.addr)),
            };
        }
        let access = inst.buffer_access()?;
        let base = self.address(scalars(access.srsrc));
        if base.is_none() && access.addr64 { self.address(vectors(access.vaddr)) } else { base }
    }

    /// Returns what an address was computed from, and notes that it is one.
    fn address(&mut self, [low, high]: [Tag; 2]) -> Option<Origin> {
        match (low, high) {
            (Tag::Kernarg(offset), _) => Some(Origin::Kernarg(offset)),
            (Tag::Argument(of) | Tag::Address(of), _) => {
                self.votes.entry(Place::Argument(of)).or_default().is_pointer = true;
                Some(Origin::Address(of))
            }
            (Tag::Linked(of, at), _) => {
                self.votes.entry(Place::Argument(of)).or_default().is_pointer = true;
                self.votes.entry(Place::Loaded(of, at)).or_default().is_pointer = true;
                Some(Origin::Address(of))
            }
            (_, Tag::Argument(of) | Tag::Address(of)) if of >= 4 => {
                self.votes.entry(Place::Argument(of - 4)).or_default().is_pointer = true;
                Some(Origin::Address(of - 4))
            }
            (Tag::Loaded(of, at) | Tag::Computed(of, at), Tag::Loaded(other, _) | Tag::Computed(other, _))
                if of == other =>
            {
                self.votes.entry(Place::Loaded(of, at)).or_default().is_pointer = true;
                Some(Origin::Pointed(of))
            }
            (Tag::Deep(of, at), Tag::Deep(other, _)) if of == other => {
                self.votes.entry(Place::Deep(of, at)).or_default().is_pointer = true;
                Some(Origin::Pointed(of))
            }
            _ => None,
        }
    }

    fn reaches(&mut self, base: Origin, end: i32, is_constant: bool) {
        if let (Origin::Address(of), true) = (base, is_constant) {
            let reach = self.reach.entry(of).or_default();
            *reach = (*reach).max(end);
        }
    }

    /// Notes how an instruction that is no access uses its sources. Returns the tags of its result.
    fn operation(&mut self, inst: &Inst, number: u32, state: &State) -> Option<[Tag; 2]> {
        let count = inst.src_count();
        let sources: [[Tag; 2]; 4] =
            std::array::from_fn(|i| if i < count { state.source(inst, i) } else { [Tag::None; 2] });
        if sources.iter().flatten().all(|tag| *tag == Tag::None) {
            return None;
        }
        let mnemonic = inst.desc().mnemonic;
        match how(inst) {
            How::Copies => {
                // A select hands on either.
                let first = sources[..count].iter().find(|tags| tags[0] != Tag::None)?;
                return Some(*first);
            }
            How::Combines => {
                for tags in &sources[..count] {
                    let dwords = if inst.desc().dst.dwords() == 2 { 2 } else { 1 };
                    tags[..dwords].iter().for_each(|tag| self.combine(*tag));
                }
                return sources[..count].iter().find(|tags| tags[0] != Tag::None).copied();
            }
            How::Computes => {}
        }
        let is_carried = inst.mask_src().is_some() || mnemonic.starts_with("s_addc") || mnemonic.starts_with("s_subb");
        for (i, tags) in sources.iter().enumerate().take(count) {
            self.use_of(inst, i, *tags, number);
            if is_carried {
                self.carry(tags[0]);
            }
        }
        let is_sum = mnemonic.contains("_add")
            || mnemonic.contains("_sub")
            || mnemonic.contains("mad_u64")
            || mnemonic.contains("_mad_i64");
        if !is_sum || inst.desc().dst == OperandType::f32 || inst.desc().dst == OperandType::f16 {
            return None;
        }
        let of = |part: usize| {
            let all = sources[..count].iter().map(|tags| tags[part]);
            all.filter_map(|tag| self.summed(tag)).min_by_key(|tag| match tag {
                Tag::Kernarg(_) => 0,
                Tag::Address(of) if self.is_pointer(*of) => 1,
                Tag::Address(_) => 2,
                _ => 3,
            })
        };
        let wide = inst.desc().dst.dwords() == 2;
        let kernarg = sources[..count].iter().find_map(|tags| match tags[0] {
            Tag::Kernarg(offset) => Some(offset),
            _ => None,
        });
        if let Some(offset) = kernarg {
            let added =
                (0..count).find_map(|i| if let Src::Imm(value) = inst.src(i) { Some(value as i32) } else { None });
            return Some([added.map_or(Tag::None, |added| Tag::Kernarg(offset.wrapping_add(added))), Tag::None]);
        }
        Some([of(0).unwrap_or(Tag::None), if wide { of(1).unwrap_or(Tag::None) } else { Tag::None }])
    }

    fn is_pointer(&self, of: u32) -> bool {
        self.pointers.contains(&of) || of >= 4 && self.pointers.contains(&(of - 4))
    }

    /// The tag of a sum with a dword.
    fn summed(&self, tag: Tag) -> Option<Tag> {
        match tag {
            Tag::Argument(of) | Tag::Address(of) => Some(Tag::Address(of)),
            Tag::Linked(of, at) => Some(Tag::Linked(of, at)),
            Tag::Loaded(of, at) | Tag::Computed(of, at) => Some(Tag::Computed(of, at)),
            Tag::Deep(of, at) => Some(Tag::Deep(of, at)),
            Tag::Kernarg(_) | Tag::None | Tag::Lds | Tag::Several => None,
        }
    }

    /// Notes that an instruction takes source `i` for what its row says.
    fn use_of(&mut self, inst: &Inst, i: usize, tags: [Tag; 2], number: u32) {
        use OperandType as T;
        let ty = inst.src_type(i);
        let is_byte =
            inst.desc().mnemonic.contains("_ubyte") || inst.sdwa().is_some_and(|sdwa| sdwa.src_sel[i.min(1)] < 4);
        match ty {
            _ if is_byte => self.vote(tags[0], number, Element::I8),
            T::f32 => self.vote(tags[0], number, Element::F32),
            T::f16 => self.vote(tags[0], number, Element::F16),
            T::f64 => self.pair(tags, number, Element::F64),
            T::u16 | T::i16 => self.vote(tags[0], number, Element::I16),
            T::u32 | T::i32 => self.vote(tags[0], number, Element::I32),
            T::u64 | T::i64 | T::b64 if tags[1] != Tag::None => self.pair(tags, number, Element::I64),
            T::u64 | T::i64 | T::b64 => self.vote(tags[0], number, Element::I32),
            T::b32 => self.combine(tags[0]),
            _ => {}
        }
    }

    fn pair(&mut self, tags: [Tag; 2], number: u32, element: Element) {
        tags.into_iter().for_each(|tag| self.vote(tag, number, element));
    }

    fn vote(&mut self, tag: Tag, number: u32, element: Element) {
        let Some(place) = place_of(tag) else { return };
        let votes = self.votes.entry(place).or_default();
        if votes.first.is_none_or(|(before, _)| number < before) {
            votes.first = Some((number, element));
        }
    }

    fn combine(&mut self, tag: Tag) {
        if let Some(place) = place_of(tag) {
            self.votes.entry(place).or_default().has_bits = true;
        }
    }

    fn carry(&mut self, tag: Tag) {
        if let Some(place) = place_of(tag) {
            self.votes.entry(place).or_default().has_carry = true;
        }
    }
}

/// What a load goes through.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The kernarg segment, from an offset on.
    Kernarg(i32),
    /// The address at an offset of the kernarg segment.
    Address(u32),
    /// An address that was loaded through the one at an offset of the kernarg segment.
    Pointed(u32),
}

impl Origin {
    /// The tag of the dword at a distance in bytes.
    fn loaded(self, at: i32) -> Tag {
        match self {
            Origin::Kernarg(offset) => u32::try_from(offset + (at & !3)).map_or(Tag::None, Tag::Argument),
            Origin::Address(of) => Tag::Loaded(of, at & !3),
            Origin::Pointed(of) => Tag::Deep(of, at & !3),
        }
    }
}

fn place_of(tag: Tag) -> Option<Place> {
    match tag {
        Tag::Argument(of) | Tag::Address(of) | Tag::Linked(of, _) => Some(Place::Argument(of)),
        Tag::Loaded(of, at) | Tag::Computed(of, at) => Some(Place::Loaded(of, at)),
        Tag::Deep(of, at) => Some(Place::Deep(of, at)),
        Tag::Lds => Some(Place::Lds),
        Tag::None | Tag::Kernarg(_) | Tag::Several => None,
    }
}

/// What an instruction does with its sources.
enum How {
    /// It hands one on.
    Copies,
    /// It combines their bits.
    Combines,
    /// It takes them for numbers.
    Computes,
}

fn how(inst: &Inst) -> How {
    let mnemonic = inst.desc().mnemonic;
    let is_copy =
        matches!(
            inst.opcode,
            Opcode::Sop1(Sop1::SMovB32 | Sop1::SMovB64) | Opcode::Vop1(Vop1::VMovB32 | Vop1::VReadfirstlaneB32)
        ) || ["v_cndmask", "s_cselect", "v_readlane", "v_writelane"].iter().any(|copy| mnemonic.starts_with(copy));
    let is_bits = ["v_and_b", "v_or_b", "v_xor_b", "s_and_b", "s_or_b", "s_xor_b", "v_bfi_b"]
        .iter()
        .any(|bits| mnemonic.starts_with(bits));
    match (is_copy, is_bits) {
        (true, _) => How::Copies,
        (_, true) => How::Combines,
        _ => How::Computes,
    }
}

fn is_float(atomic: Atomic) -> bool {
    matches!(atomic, Atomic::Fcmpswap | Atomic::Fmin | Atomic::Fmax | Atomic::MinF | Atomic::MaxF | Atomic::AddF)
}

impl Found<'_> {
    /// Returns what the code tells of a dword.
    fn element(&self, place: Place) -> Element {
        let next = match place {
            Place::Argument(of) => Some(Place::Argument(of + 4)),
            Place::Loaded(of, at) => Some(Place::Loaded(of, at + 4)),
            Place::Deep(of, at) => Some(Place::Deep(of, at + 4)),
            Place::Lds => None,
        };
        let own = self.votes.get(&place).copied().unwrap_or_default();
        let next_carries = next.and_then(|next| self.votes.get(&next)).is_some_and(|votes| votes.has_carry);
        match own.first {
            _ if own.is_pointer => Element::Pointer,
            None | Some((_, Element::I8 | Element::I16 | Element::I32)) if own.is_shared && !next_carries => {
                Element::Flag
            }
            Some((_, Element::I32)) if next_carries => Element::I64,
            Some((_, element)) => element,
            None if own.has_bits => Element::I32,
            None => Element::Any,
        }
    }

    fn uses(mut self) -> Uses {
        self.through_lds();
        let mut uses = Uses::default();
        let places: Vec<Place> = self.votes.keys().copied().collect();
        let mut fields: [BTreeMap<u32, BTreeMap<u32, Element>>; 2] = Default::default();
        for place in places {
            let element = self.element(place);
            match place {
                _ if element == Element::Any => {}
                Place::Argument(of) => drop(uses.values.insert(of, element)),
                Place::Loaded(of, at) | Place::Deep(of, at) => {
                    let depth = usize::from(matches!(place, Place::Deep(..)));
                    if let Ok(at) = u32::try_from(at) {
                        fields[depth].entry(of).or_default().insert(at / 4, element);
                    }
                }
                Place::Lds => {}
            }
        }
        let reach = |of: &u32| self.reach.get(of).copied().unwrap_or(4);
        let [near, deep] = fields;
        uses.pointees = near.into_iter().map(|(of, fields)| (of, structure(&fields, reach(&of)))).collect();
        // Two structures that point to others: nobody asks which is which.
        let deep = deep.into_iter().next().map(|(_, fields)| {
            let end = fields.keys().last().map_or(4, |last| 4 * (*last as i32 + 1));
            structure(&fields, end)
        });
        let recursive = || uses.pointees.values().find(|elements| elements.contains(&Element::Pointer)).cloned();
        uses.deep = deep.or_else(recursive).unwrap_or_default();
        uses.computes = self.computes.most();
        uses
    }

    /// What LDS is taken for, is what was stored there.
    fn through_lds(&mut self) {
        let Some(lds) = self.votes.get(&Place::Lds).copied() else { return };
        for place in std::mem::take(&mut self.to_lds) {
            let votes = self.votes.entry(place).or_default();
            if votes.first.is_none() && place != Place::Lds {
                (votes.first, votes.has_bits) = (lds.first, votes.has_bits | lds.has_bits);
            }
        }
    }
}

/// Returns the types of the dwords of structures: one, if all fields have the same. `reach` is the number of bytes that
/// are accessed of one.
fn structure(fields: &BTreeMap<u32, Element>, reach: i32) -> Vec<Element> {
    let is_wide = |dword: u32| {
        let element = fields.get(&dword);
        dword.is_multiple_of(2) && matches!(element, Some(Element::I64 | Element::F64 | Element::Pointer))
    };
    // What the code does with the high half alone says nothing.
    let is_high = |dword: u32| dword % 2 == 1 && is_wide(dword - 1);
    let own: Vec<(u32, Element)> =
        fields.iter().map(|(&dword, &element)| (dword, element)).filter(|(dword, _)| !is_high(*dword)).collect();
    let Some(&(_, first)) = own.first() else { return vec![Element::Any] };
    let dwords = u32::try_from(reach).unwrap_or(4).div_ceil(4).next_power_of_two();
    if own.iter().all(|(_, element)| *element == first) || dwords > MOST_FIELDS {
        return vec![first];
    }
    let mut all = vec![Element::Any; dwords as usize];
    for (dword, element) in own.into_iter().filter(|(dword, _)| *dword < dwords) {
        all[dword as usize] = element;
        if let (true, Some(high)) = (is_wide(dword), all.get_mut(dword as usize + 1)) {
            *high = element;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    /// Words of llvm-mc 15 for gfx900. A structure behind the pointer at 0 has a float and an integer; the arguments
    /// at 8 and 12 are multiplied as a float and added as an integer; behind the pointer at 16 there is another one:
    /// s_load_dwordx2 s[0:1], s[4:5], 0x0; s_load_dword s2, s[4:5], 0x8; s_load_dword s3, s[4:5], 0xc;
    /// s_load_dwordx2 s[6:7], s[4:5], 0x10; v_mov_b32 v0, 0; global_load_dwordx2 v[2:3], v0, s[0:1];
    /// v_mul_f32 v2, s2, v2; v_add_u32 v3, s3, v3; s_load_dwordx2 s[8:9], s[6:7], 0x0;
    /// s_load_dword s10, s[8:9], 0x0; s_endpgm.
    const WORDS: [u32; 19] = [
        0xc006_0002,
        0,
        0xc002_0082,
        8,
        0xc002_00c2,
        12,
        0xc006_0182,
        16,
        0x7e00_0280,
        0xdc54_8000,
        0x0200_0000,
        0x0a04_0402,
        0x6806_0603,
        0xc006_0203,
        0,
        0xc002_0284,
        0,
        0xbf81_0000,
        0,
    ];

    #[test]
    fn instructions_say_what_arguments_are() {
        let found = uses(&Program::from_words(Arch::Gcn14, &WORDS), 4, &[0, 16]);
        let values: Vec<_> = found.values.into_iter().collect();
        let expected = [(0, Element::Pointer), (8, Element::F32), (12, Element::I32), (16, Element::Pointer)];
        assert_eq!(values, expected);
        assert_eq!(found.pointees[&0], [Element::F32, Element::I32]);
        assert_eq!(found.pointees[&16], [Element::Pointer]);
    }

    /// Words of llvm-mc 15 for gfx900. A list begins at the address at 8, and has the address of the next element and a
    /// number; the memory behind the address at 0 is read past the cache:
    /// s_load_dwordx4 s[0:3], s[4:5], 0x0; s_waitcnt lgkmcnt(0); v_mov_b32 v0, s2; v_mov_b32 v1, s3;
    /// loop: global_load_dwordx3 v[2:4], v[0:1], off; s_waitcnt vmcnt(0); v_add_u32 v5, v5, v4; v_mov_b32 v0, v2;
    /// v_mov_b32 v1, v3; v_cmp_ne_u64 vcc, 0, v[0:1]; s_cbranch_vccnz loop; global_load_dword v6, v7, s[0:1] glc;
    /// v_add_u32 v6, v6, v5; s_endpgm.
    const LIST: [u32; 17] = [
        0xc00a_0002,
        0,
        0xbf8c_c07f,
        0x7e00_0202,
        0x7e02_0203,
        0xdc58_8000,
        0x027f_0000,
        0xbf8c_0f70,
        0x680a_0905,
        0x7e00_0302,
        0x7e02_0303,
        0x7dda_0080,
        0xbf87_fff8,
        0xdc51_8000,
        0x0600_0007,
        0x680c_0b06,
        0xbf81_0000,
    ];

    #[test]
    fn lists_and_flags_are_found() {
        let found = uses(&Program::from_words(Arch::Gcn14, &LIST), 4, &[0, 8]);
        let node = [Element::Pointer, Element::Pointer, Element::I32, Element::Any];
        assert_eq!(found.pointees[&8], node);
        assert_eq!(found.deep, node, "what the list holds points to more of the same");
        assert_eq!(found.pointees[&0], [Element::Flag]);
    }

    #[test]
    fn fields_of_one_type_are_one() {
        let of = |fields: &[(u32, Element)], reach| structure(&fields.iter().copied().collect(), reach);
        assert_eq!(of(&[(0, Element::F32), (3, Element::F32)], 16), [Element::F32]);
        use Element::{Any, F32, I32, I64};
        assert_eq!(of(&[(0, I64), (2, F32)], 12), [I64, I64, F32, Any]);
        assert_eq!(of(&[(0, I64), (1, I32), (2, I64), (3, I32)], 16), [I64], "high halves are no fields");
        assert_eq!(of(&[(0, I32), (1, F32)], 4 * 65), [I32], "too many to tell apart");
        assert_eq!(of(&[], 4), [Any]);
    }
}
