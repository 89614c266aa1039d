//! Finds races, undefined reads and accesses outside buffers while a kernel runs (docs/sanitize.md).
//!
//! A [`Sanitizer`] watches a launch in the interpreter, instruction by instruction ([`Watch`]). Before an instruction
//! executes, it looks at the registers that the instruction uses and at the bytes that it will touch. What is known of
//! registers is in `registers`, what of LDS and memory in `shadow` and `defined`; `order` knows which accesses
//! barriers and atomics order; `site` has what the instruction itself says.

mod defined;
mod order;
mod registers;
mod shadow;
mod site;

use std::collections::BTreeMap;

pub use gcnsim_dispatch::findings::{Accessor, Finding, Findings};
use gcnsim_dispatch::lines::SourceLines;
use gcnsim_dispatch::place::Placed;
use gcnsim_dispatch::run::{Watch, WaveAt};
use gcnsim_engine::report::Hex;
use gcnsim_interp::{Interp, Touch};
use gcnsim_isa::table::Access as Moves;
use gcnsim_isa::{Mode, Program, scalar_register_name};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::{Context, Outcome, Place, Wave};

use defined::Bytes;
use order::{Order, Stamp};
use registers::{MIXED, Origin, Tag};
use shadow::{Access, Use};
use site::{Condition, Rule, Site};

/// Most findings in a report.
const MOST_FINDINGS: usize = 100;

/// What to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Two work-items reach one byte, at least one writes it, and nothing orders them.
    pub race: bool,
    /// A value is used that nothing has written.
    pub uninit: bool,
    /// An access leaves the buffer that its pointer came from.
    pub bounds: bool,
}

impl Checks {
    /// All.
    pub const ALL: Checks = Checks { race: true, uninit: true, bounds: true };

    /// Reads names with commas between them.
    ///
    /// # Errors
    /// The name that is none.
    pub fn parse(names: &str) -> Result<Checks, String> {
        let mut checks = Checks { race: false, uninit: false, bounds: false };
        for name in names.split(',') {
            match name.trim() {
                "race" => checks.race = true,
                "uninit" => checks.uninit = true,
                "bounds" => checks.bounds = true,
                other => return Err(format!("'{other}' is not race, uninit or bounds")),
            }
        }
        Ok(checks)
    }

    fn names(self) -> Vec<&'static str> {
        let all = [("race", self.race), ("uninit", self.uninit), ("bounds", self.bounds)];
        all.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name).collect()
    }
}

/// A wave that runs, or has run, in the present group.
#[derive(Debug)]
struct WaveShadow {
    registers: registers::Shadow,
    /// Its scratch.
    scratch: Bytes,
    /// The last event that it knows of.
    last: order::EventId,
    waits: bool,
}

/// What makes findings one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Race(u32, u32, Place),
    /// By use, origin and what it is used for.
    Uninit(u32, Option<Origin>, &'static str),
    Bounds(u32, Tag),
}

/// Watches one launch.
pub struct Sanitizer {
    checks: Checks,
    /// By dword of the code.
    sites: Vec<Option<Box<Site>>>,
    group: [u32; 3],
    /// Number of the group, from 1 on; 0 before the first.
    group_number: u32,
    groups: Vec<[u32; 3]>,
    /// Number of the first wave of the group, counted over all groups.
    first_wave: u32,
    waves_so_far: u32,
    /// First waves of the groups.
    first_waves: Vec<u32>,
    waves: Vec<WaveShadow>,
    /// Time of the last barrier that the group has passed.
    barrier: order::EventId,
    step: u32,
    order: Order,
    lds: shadow::Shadow,
    memory: shadow::Shadow,
    lds_bytes: Bytes,
    /// Names, addresses and sizes of buffers.
    buffers: Vec<(String, u64, u64)>,
    scratch: std::ops::Range<u64>,
    /// Barriers are in the code, so that the lanes of a wave are ordered by nothing else.
    keeps_barriers: bool,
    found: BTreeMap<Key, Finding>,
}

impl Sanitizer {
    /// A sanitizer for a launch. `keeps_barriers` says whether the compiler has kept barriers: it drops them where
    /// groups have one wave at most.
    pub fn new(checks: Checks, keeps_barriers: bool) -> Sanitizer {
        Sanitizer {
            checks,
            sites: Vec::new(),
            group: [0; 3],
            group_number: 0,
            groups: Vec::new(),
            first_wave: 0,
            waves_so_far: 0,
            first_waves: Vec::new(),
            waves: Vec::new(),
            barrier: 0,
            step: 0,
            order: Order::default(),
            lds: shadow::Shadow::default(),
            memory: shadow::Shadow::default(),
            lds_bytes: Bytes::default(),
            buffers: Vec::new(),
            scratch: 0..0,
            keeps_barriers,
            found: BTreeMap::new(),
        }
    }

    /// A sanitizer for a launch of a kernel.
    pub fn of_kernel(checks: Checks, object: &CodeObject, kernel: Option<&str>) -> Sanitizer {
        let of_name = |name| object.kernels.iter().find(|kernel| kernel.name == name);
        let kernel = kernel.map_or(object.kernels.first(), of_name);
        let most = kernel.and_then(|kernel| kernel.metadata.as_ref()?.max_group_size);
        Sanitizer::new(checks, most.is_none_or(|most| most > 64))
    }

    /// What was found. `lines` are those of the object.
    pub fn into_findings(self, lines: &SourceLines) -> Findings {
        let total = self.found.len() as u64;
        let mut findings: Vec<Finding> = self.found.into_values().take(MOST_FINDINGS).collect();
        for finding in &mut findings {
            for accessor in finding.first.iter_mut().chain([&mut finding.second]) {
                accessor.source = lines.at(accessor.pc.0);
            }
        }
        Findings { checks: self.checks.names(), total, findings }
    }

    fn begin(&mut self, placed: &Placed) {
        let buffers = placed.places().list.iter();
        self.buffers = buffers.map(|place| (place.name.clone(), place.base, place.size)).collect();
        self.buffers.sort_by_key(|(_, base, _)| *base);
        let scratch = placed.addresses.scratch;
        self.scratch = scratch..scratch + placed.group_scratch();
    }

    fn begin_group(&mut self, at: &WaveAt<'_>) {
        if self.group_number == 0 {
            self.begin(at.placed);
        }
        self.group = at.group;
        self.group_number += 1;
        self.groups.push(at.group);
        self.first_wave = self.waves_so_far;
        self.first_waves.push(self.first_wave);
        self.waves.clear();
        self.order.end_group();
        self.lds.clear();
        self.lds_bytes = Bytes::new(at.placed.lds_allocated as usize);
        self.barrier = self.order.now();
    }

    /// The shadow of a wave, made when it begins.
    fn wave(&mut self, at: &WaveAt<'_>, wave: &Wave) {
        if wave.executed == 0 && at.index == 0 || self.group_number == 0 || at.group != self.group {
            self.begin_group(at);
        }
        while self.waves.len() <= at.index as usize {
            self.waves_so_far += 1;
            self.waves.push(WaveShadow {
                registers: registers::Shadow::new(at.setup.initial_sgprs(), at.setup.initial_vgprs()),
                scratch: Bytes::new(at.setup.wave_scratch() as usize),
                last: 0,
                waits: false,
            });
        }
        if self.waves[at.index as usize].waits {
            let last = self.waves.iter().map(|wave| wave.last);
            let event = self.order.barrier(self.group_number, last);
            self.waves.iter_mut().for_each(|wave| (wave.last, wave.waits) = (event, false));
            self.barrier = self.order.now();
        }
    }

    fn site(&mut self, program: &Program, pc: u64) -> Option<usize> {
        let index = program.word_index(pc & !3)?;
        if self.sites.len() <= index {
            self.sites.resize_with(index + 1, || None);
        }
        if self.sites[index].is_none() {
            self.sites[index] = Some(Box::new(Site::new(program.fetch(pc & !3).ok()?)));
        }
        Some(index)
    }

    /// Executes one instruction.
    fn step(&mut self, at: &WaveAt<'_>, wave: &mut Wave, context: &mut Context, interp: &mut Interp<'_>) -> Outcome {
        let is_skipped = wave.state.mode & Mode::VSKIP != 0;
        let Some(index) = self.site(&at.placed.program, wave.state.pc).filter(|_| !is_skipped) else {
            return interp.run_in(wave, context, 1);
        };
        self.step = self.step.wrapping_add(1).max(1);
        // The site is put back below.
        let Some(site) = self.sites[index].take() else { return interp.run_in(wave, context, 1) };
        let looked = Looked { index, site: &site, at };
        let touches = match &site.memory {
            Some(memory) if site.moves.is_some() => memory.touches(wave, context),
            _ => Vec::new(),
        };
        if self.checks.uninit {
            self.look_at_uses(&looked, wave);
        }
        if !touches.is_empty() {
            self.look_at_touches(&looked, wave, &touches);
        }
        let passed = self.waves[at.index as usize].registers.pass(&site, wave);
        if let (Some((lane, origin)), true) = (passed, self.checks.uninit) {
            self.undefined(&looked, Some(lane), Some(origin), "branch");
        }
        if wave.state.mode & Mode::GPR_IDX_EN != 0 {
            self.define_all(at.index, wave.state.exec());
        }
        let exec = wave.state.exec();
        let executed = wave.executed;
        let outcome = interp.run_in(wave, context, 1);
        if site.rule == Rule::Memory && wave.executed > executed {
            self.pass_memory(&looked, wave, exec, &touches);
        }
        self.sites[index] = Some(site);
        outcome
    }

    /// GPR-index mode names other registers than the instruction: all get a value.
    fn define_all(&mut self, index: u32, exec: u64) {
        self.waves[index as usize].registers.vgprs.iter_mut().for_each(|vector| vector.lanes |= exec);
    }
}

/// An instruction that is looked at.
struct Looked<'a> {
    /// Dword of the code.
    index: usize,
    site: &'a Site,
    at: &'a WaveAt<'a>,
}

impl Sanitizer {
    fn pc(&self, placed: &Placed, index: usize) -> Hex {
        Hex(placed.address_of_file(placed.program.base().wrapping_add(4 * index as u64)))
    }

    fn accessor(
        &self,
        placed: &Placed,
        index: usize,
        access: &'static str,
        who: Option<([u32; 3], u32, Option<u8>)>,
    ) -> Accessor {
        let base = placed.program.base();
        let text = placed.program.fetch(base.wrapping_add(4 * index as u64)).map(|inst| inst.to_string());
        Accessor {
            pc: self.pc(placed, index),
            text: text.unwrap_or_default(),
            access,
            group: who.map(|(group, ..)| group),
            wave: who.map(|(_, wave, _)| wave),
            lane: who.and_then(|(.., lane)| lane),
            source: None,
        }
    }

    fn add(&mut self, key: Key, finding: impl FnOnce(&Sanitizer) -> Finding) {
        if let Some(found) = self.found.get_mut(&key) {
            found.count += 1;
            return;
        }
        let finding = finding(self);
        self.found.insert(key, finding);
    }

    /// A value without meaning is used.
    fn undefined(&mut self, looked: &Looked<'_>, lane: Option<u8>, origin: Option<Origin>, used_for: &'static str) {
        let key = Key::Uninit(looked.index as u32, origin, used_for);
        let (placed, group, wave) = (looked.at.placed, looked.at.group, looked.at.index);
        let index = looked.index;
        self.add(key, |all| {
            let arch = placed.program.arch();
            let register = match origin {
                Some(Origin::Vgpr(number)) => Some(format!("v{number}")),
                Some(Origin::Sgpr(code)) => Some(scalar_register_name(arch, code)),
                Some(Origin::Scc) => Some("scc".to_owned()),
                Some(Origin::Load(_)) | None => None,
            };
            let load = match origin {
                Some(Origin::Load(load)) => Some(load as usize),
                _ => None,
            };
            let is_scratch = |index: usize| {
                let is_lds = all.sites.get(index).and_then(Option::as_deref).is_some_and(|site| site.is_of_lds());
                !is_lds
            };
            let place = match load {
                Some(load) => Some(if is_scratch(load) { "scratch" } else { "lds" }),
                None if origin.is_none() => Some("lds"),
                None => None,
            };
            Finding {
                kind: "uninit",
                place,
                buffer: None,
                at: None,
                address: None,
                pointer_of: None,
                pointer_at: None,
                register,
                used_for: Some(used_for),
                first: load.map(|load| all.accessor(placed, load, "read", None)),
                second: all.accessor(placed, index, "use", Some((group, wave, lane))),
                count: 1,
            }
        });
    }

    /// Reports registers without a value that addresses, branches, stores and exports need.
    fn look_at_uses(&mut self, looked: &Looked<'_>, wave: &Wave) {
        let Looked { site, at, .. } = looked;
        let registers = &self.waves[at.index as usize].registers;
        let exec = wave.state.exec();
        let mut found: Vec<(Option<u8>, Origin, &'static str)> = Vec::new();
        match site.condition {
            Some(Condition::Scc) if !registers.scc.0 => found.push((None, registers.scc.1, "branch")),
            Some(Condition::Vcc) => {
                found.extend(registers.undecided_vcc(&wave.state).map(|origin| (None, origin, "branch")));
            }
            _ => {}
        }
        if site.jumps {
            found.extend(registers.undefined_scalar(&site.reads.sgprs).map(|origin| (None, origin, "address")));
        }
        let is_active = exec != 0 || site.inst.scalar_access().is_some();
        if is_active {
            let lane = registers.undefined_lane(&site.address.vgprs, exec);
            found.extend(lane.map(|(lane, origin)| (Some(lane), origin, "address")));
            found.extend(registers.undefined_scalar(&site.address.sgprs).map(|origin| (None, origin, "address")));
            // Values that go to LDS and scratch are followed there.
            let used_for = if site.inst.export_access().is_some() { "export" } else { "store" };
            let is_kept = site.moves == Some(Moves::Store) && site.is_of_lds() || self.is_to_scratch(site, at);
            if !is_kept {
                let lane = registers.undefined_lane(&site.data.vgprs, exec);
                found.extend(lane.map(|(lane, origin)| (Some(lane), origin, used_for)));
                found.extend(registers.undefined_scalar(&site.data.sgprs).map(|origin| (None, origin, used_for)));
            }
        }
        for (lane, origin, used_for) in found {
            self.undefined(looked, lane, Some(origin), used_for);
        }
    }

    /// Whether a store may go to scratch or, by a FLAT address, to LDS: then its touches say what it writes.
    fn is_to_scratch(&self, site: &Site, at: &WaveAt<'_>) -> bool {
        at.setup.wave_scratch() > 0 && site.moves == Some(Moves::Store) && site.may_reach_scratch()
    }

    fn look_at_touches(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch]) {
        let Looked { site, at, .. } = looked;
        let how = match site.moves {
            Some(Moves::Load) if site.glc => Use::ReadThrough,
            Some(Moves::Load) => Use::Read,
            Some(Moves::Store) => Use::Write,
            Some(Moves::Atomic) => Use::Atomic,
            _ => return,
        };
        if self.checks.bounds {
            self.look_at_bounds(looked, touches, how);
        }
        if self.checks.uninit {
            self.look_at_stored(looked, wave, touches, how);
        }
        if self.checks.race {
            for touch in touches {
                self.look_at_race(looked, touch, how);
            }
            if how == Use::Atomic {
                let shadow = &self.waves[at.index as usize];
                let returns = !site.writes.vgprs.is_empty() || !site.writes.sgprs.is_empty();
                let places = touches.iter().filter(|touch| touch.place != Place::Gds);
                let places = places.map(|touch| (touch.place, touch.address));
                let last = self.order.atomic(self.first_wave + at.index, shadow.last, returns, places);
                self.waves[at.index as usize].last = last;
            }
        }
    }

    fn look_at_race(&mut self, looked: &Looked<'_>, touch: &Touch, how: Use) {
        let Looked { at, index, .. } = *looked;
        let in_memory = touch.place == Place::Memory;
        if touch.place == Place::Gds || in_memory && self.buffer_of(touch.address).is_none() {
            return;
        }
        let wave = self.first_wave + at.index;
        let access = Access {
            item: wave.wrapping_mul(64) + u32::from(touch.lane),
            time: self.order.now(),
            step: self.step,
            site: Access::pack(index, how),
        };
        let (group, first_wave, barrier) = (self.group_number, self.first_wave, self.barrier);
        let (last, order, keeps_barriers) = (self.waves[at.index as usize].last, &self.order, self.keeps_barriers);
        let first_waves = &self.first_waves;
        let mut is_ordered = |earlier: Access| {
            let earlier_wave = earlier.item / 64;
            if earlier_wave == wave && earlier.step != access.step && !keeps_barriers {
                return true;
            }
            if earlier_wave >= first_wave {
                return earlier.time < barrier
                    || earlier_wave != wave
                        && order.reaches(Stamp { group, wave: earlier_wave, time: earlier.time }, last);
            }
            let group = first_waves.partition_point(|&first| first <= earlier_wave) as u32;
            order.reaches(Stamp { group, wave: earlier_wave, time: earlier.time }, last)
        };
        let mut conflicts = Vec::new();
        let mut conflict = |earlier: Access, byte: u64| conflicts.push((earlier, byte));
        let shadow = if in_memory { &mut self.memory } else { &mut self.lds };
        shadow.note(touch.address, u64::from(touch.bytes), access, &mut is_ordered, &mut conflict);
        for (earlier, byte) in conflicts {
            self.race(looked, touch, how, earlier, byte);
        }
    }

    fn race(&mut self, looked: &Looked<'_>, touch: &Touch, how: Use, earlier: Access, byte: u64) {
        let Looked { at, index, .. } = *looked;
        let key = Key::Race(earlier.index() as u32, index as u32, touch.place);
        let placed = at.placed;
        self.add(key, |all| {
            let wave = earlier.item / 64;
            let number = all.first_waves.partition_point(|&first| first <= wave).max(1) - 1;
            let group = all.groups[number];
            let first = (group, wave - all.first_waves[number], Some((earlier.item % 64) as u8));
            let buffer = match touch.place {
                Place::Memory => all.buffer_of(byte).map(|index| &all.buffers[index]),
                _ => None,
            };
            Finding {
                kind: "race",
                place: Some(if touch.place == Place::Lds { "lds" } else { "memory" }),
                buffer: buffer.map(|(name, ..)| name.clone()),
                at: Some(buffer.map_or(byte, |(_, base, _)| byte - base)),
                address: None,
                pointer_of: None,
                pointer_at: None,
                register: None,
                used_for: None,
                first: Some(all.accessor(placed, earlier.index(), earlier.how().name(), Some(first))),
                second: all.accessor(placed, index, how.name(), Some((at.group, at.index, Some(touch.lane)))),
                count: 1,
            }
        });
    }

    /// Index of the buffer that has an address.
    fn buffer_of(&self, address: u64) -> Option<usize> {
        let behind = self.buffers.partition_point(|(_, base, _)| *base <= address);
        let (_, base, size) = self.buffers.get(behind.checked_sub(1)?)?;
        (address - base < *size).then_some(behind - 1)
    }

    /// The buffer that a pointer is into; one behind its end counts.
    fn tag_of(&self, pointer: u64) -> Tag {
        let behind = self.buffers.partition_point(|(_, base, _)| *base <= pointer);
        let Some((_, base, size)) = behind.checked_sub(1).and_then(|index| self.buffers.get(index)) else { return 0 };
        if pointer - base <= *size { behind.min(MIXED as usize - 1) as Tag } else { 0 }
    }

    fn look_at_bounds(&mut self, looked: &Looked<'_>, touches: &[Touch], how: Use) {
        let Looked { site, at, index } = *looked;
        let registers = &self.waves[at.index as usize].registers;
        let tag = match (site.inst.buffer_access(), site.inst.image_access()) {
            (_, Some(_)) => 0,
            (Some(access), _) => registers.tag(&site.address.vgprs, &[access.srsrc, access.srsrc + 1]),
            _ => registers.tag(&site.address.vgprs, &site.address.sgprs),
        };
        if tag == 0 || tag == MIXED {
            return;
        }
        let Some((name, base, size)) = self.buffers.get(tag as usize - 1).cloned() else { return };
        for touch in touches.iter().filter(|touch| touch.place == Place::Memory) {
            let offset = touch.address.wrapping_sub(base) as i64;
            let is_inside = offset >= 0 && offset as u64 + u64::from(touch.bytes) <= size;
            // Loads of a width that begin in the buffer may end behind it.
            let begins_inside = offset >= 0 && (offset as u64) < size;
            let is_load = matches!(how, Use::Read | Use::ReadThrough);
            if is_inside || is_load && begins_inside || self.scratch.contains(&touch.address) {
                continue;
            }
            let placed = at.placed;
            self.add(Key::Bounds(index as u32, tag), |all| {
                let buffer = all.buffer_of(touch.address).map(|index| &all.buffers[index]);
                Finding {
                    kind: "bounds",
                    place: Some("memory"),
                    buffer: buffer.map(|(name, ..)| name.clone()),
                    at: buffer.map(|(_, base, _)| touch.address - base),
                    address: buffer.is_none().then_some(Hex(touch.address)),
                    pointer_of: Some(name.clone()),
                    pointer_at: Some(offset),
                    register: None,
                    used_for: None,
                    first: None,
                    second: all.accessor(placed, index, how.name(), Some((at.group, at.index, Some(touch.lane)))),
                    count: 1,
                }
            });
        }
    }

    /// The bytes of LDS or scratch that have a shadow.
    fn bytes_of(&mut self, index: u32, touch: &Touch) -> Option<(&mut Bytes, u64)> {
        match touch.place {
            Place::Lds => Some((&mut self.lds_bytes, touch.address)),
            Place::Memory if self.scratch.contains(&touch.address) => {
                let wave = &mut self.waves[index as usize];
                let size = wave.scratch.len() as u64;
                let at = (touch.address - self.scratch.start).checked_sub(u64::from(index) * size)?;
                Some((&mut wave.scratch, at))
            }
            _ => None,
        }
    }

    /// Notes what LDS and scratch get, and reports what goes elsewhere without a value.
    fn look_at_stored(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch], how: Use) {
        let Looked { site, at, .. } = *looked;
        if !matches!(how, Use::Write | Use::Atomic) {
            return;
        }
        let exec = wave.state.exec();
        let mut found = None;
        for touch in touches {
            let registers = &self.waves[at.index as usize].registers;
            let lane = 1u64 << touch.lane;
            // With two places the data of both count for each.
            let data: Vec<u8> = match (site.has_two_places(), site.data.vgprs.len()) {
                (false, count) if count > 0 => {
                    let last = usize::from(touch.at) + usize::from(touch.bytes).max(1) - 1;
                    let (first, last) = ((usize::from(touch.at) / 4).min(count - 1), (last / 4).min(count - 1));
                    site.data.vgprs[first..=last].to_vec()
                }
                _ => site.data.vgprs.clone(),
            };
            let missing = registers.undefined_lane(&data, exec & lane);
            let is_load_back = how == Use::Atomic;
            let Some((bytes, from)) = self.bytes_of(at.index, touch) else {
                if found.is_none() && self.is_to_scratch(site, at) {
                    found = missing.map(|(lane, origin)| (lane, Some(origin), "store"));
                }
                continue;
            };
            if is_load_back && !bytes.are_set(from, touch.bytes) {
                found.get_or_insert((touch.lane, None, "atomic"));
            }
            bytes.set(from, touch.bytes, missing.is_none() || is_load_back);
        }
        if let Some((lane, origin, used_for)) = found {
            self.undefined(looked, Some(lane), origin, used_for);
        }
    }

    /// The results of a memory instruction that has been executed.
    fn pass_memory(&mut self, looked: &Looked<'_>, wave: &Wave, exec: u64, touches: &[Touch]) {
        let Looked { site, at, index } = *looked;
        let writes = &site.writes;
        if !writes.sgprs.is_empty() {
            let tags = self.tags_of_scalars(site, wave);
            let registers = &mut self.waves[at.index as usize].registers;
            registers.define_scalars(&writes.sgprs);
            tags.into_iter().for_each(|(code, tag)| registers.set_tag(code, tag));
        }
        if writes.vgprs.is_empty() {
            return;
        }
        let mut lanes = vec![!0u64; writes.vgprs.len()];
        if self.checks.uninit {
            for touch in touches {
                let count = lanes.len();
                let Some((bytes, from)) = self.bytes_of(at.index, touch) else { continue };
                for byte in (0..touch.bytes).filter(|&byte| !bytes.are_set(from + u64::from(byte), 1)) {
                    let dword = usize::from(touch.at + byte) / 4;
                    let all = if site.has_two_places { 0..count } else { dword..dword + 1 };
                    lanes.iter_mut().take(all.end).skip(all.start).for_each(|lanes| *lanes &= !(1 << touch.lane));
                }
            }
        }
        let tags = self.tags_of_vectors(site, wave, exec);
        let registers = &mut self.waves[at.index as usize].registers;
        for (k, &number) in writes.vgprs.iter().enumerate() {
            let lanes = if site.loads_part() { lanes[k] | registers.vgprs[number as usize].lanes } else { lanes[k] };
            registers.set_loaded(number, exec, lanes, Origin::Load(index as u32), tags[k]);
        }
    }

    /// Pairs of scalar registers that were loaded and are pointers.
    fn tags_of_scalars(&self, site: &Site, wave: &Wave) -> Vec<(u8, Tag)> {
        if !self.checks.bounds {
            return Vec::new();
        }
        let value = |code: u8| u64::from(wave.state.sgpr[code as usize & 127]);
        let pairs = site.writes.sgprs.chunks_exact(2);
        let pairs = pairs.map(|pair| (pair, self.tag_of(value(pair[0]) | value(pair[1]) << 32)));
        pairs.filter(|(_, tag)| *tag != 0).flat_map(|(pair, tag)| [(pair[0], tag), (pair[1], tag)]).collect()
    }

    /// For each VGPR that was loaded the buffer that it, and the next or the one before, points into.
    fn tags_of_vectors(&self, site: &Site, wave: &Wave, exec: u64) -> Vec<Tag> {
        let numbers = &site.writes.vgprs;
        let mut tags = vec![0; numbers.len()];
        if !self.checks.bounds || site.moves != Some(Moves::Load) || exec == 0 {
            return tags;
        }
        let registers = wave.vgprs.regs();
        for k in (0..numbers.len().saturating_sub(1)).step_by(2) {
            let (Some(low), Some(high)) = (registers.get(numbers[k] as usize), registers.get(numbers[k + 1] as usize))
            else {
                continue;
            };
            let tag = |lane: usize| self.tag_of(u64::from(low.0[lane]) | u64::from(high.0[lane]) << 32);
            let first = tag(exec.trailing_zeros() as usize & 63);
            if first != 0 {
                let same = (0..64).all(|lane| exec >> lane & 1 == 0 || tag(lane) == first);
                tags[k..=k + 1].fill(if same { first } else { MIXED });
            }
        }
        tags
    }
}

impl Watch for Sanitizer {
    fn run(
        &mut self,
        at: WaveAt<'_>,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        interp: &mut Interp<'_>,
    ) -> Option<Outcome> {
        self.wave(&at, wave);
        let end = wave.executed.saturating_add(max);
        while wave.executed < end {
            match self.step(&at, wave, context, interp) {
                Outcome::Budget => {}
                outcome => {
                    self.waves[at.index as usize].waits = outcome == Outcome::Barrier;
                    return Some(outcome);
                }
            }
        }
        Some(Outcome::Budget)
    }
}
