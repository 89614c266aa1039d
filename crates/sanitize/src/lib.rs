//! Finds races, undefined reads and accesses outside buffers while a kernel runs (docs/use/sanitize.md).
//!
//! A [`Sanitizer`] watches a launch, or a shader in a world, in the interpreter, instruction by instruction. Before an
//! instruction executes, `uses`, `races` and `bounds` look at the registers that it uses and at the bytes that it will
//! touch. `registers` has what is known of registers, `vectors` how vector instructions pass it on, `value` and
//! `operation` what operations make of undefined bits; `shadow` and `defined` have what is known of LDS and memory.
//! `order` knows which accesses barriers and atomics order. `site` has the facts of an instruction.

mod bounds;
mod defined;
mod operation;
mod order;
mod races;
mod registers;
mod shadow;
mod site;
mod uses;
mod value;
mod vectors;

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;

use gcnsim_engine::observe::{self, Entry, Needs, Observer, Scene, Step};
use gcnsim_engine::report::Hex;
use gcnsim_interp::Touch;
use gcnsim_isa::Mode;
pub use gcnsim_launches::findings::{Accessor, Finding, Findings};
use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::nearest;
use gcnsim_machine::{Context, Outcome, Place, Wave};
use gcnsim_synthetic::{Setup, Subject};

use defined::Bytes;
use order::Order;
use registers::{Origin, Tag};
use shadow::{MOST_BYTES, Use};
use site::{Rule, Site};

/// Most findings in a report.
const MOST_FINDINGS: usize = 100;
/// Most different findings that are counted.
const MOST_KEYS: usize = 10_000;

/// The checks that a sanitizer makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Races: two work-items reach one byte, at least one writes it, and nothing orders them.
    pub race: bool,
    /// Undefined reads: a value is used that nothing has written.
    pub uninit: bool,
    /// Accesses outside: an access leaves the buffer that its pointer came from.
    pub bounds: bool,
}

/// A name that no check has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{name}' is not race, uninit or bounds{}", nearest::question(name, Checks::ALL.names()))]
#[non_exhaustive]
pub struct UnknownCheck {
    /// The name.
    pub name: String,
}

impl Checks {
    /// All checks.
    pub const ALL: Checks = Checks { race: true, uninit: true, bounds: true };

    /// Reads the names of checks, with commas between them.
    ///
    /// # Errors
    /// [`UnknownCheck`], the first name that no check has.
    pub fn parse(names: &str) -> Result<Checks, UnknownCheck> {
        let mut checks = Checks { race: false, uninit: false, bounds: false };
        for name in names.split(',') {
            match name.trim() {
                "race" => checks.race = true,
                "uninit" => checks.uninit = true,
                "bounds" => checks.bounds = true,
                other => return Err(UnknownCheck { name: other.to_owned() }),
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
    /// The bits of its scratch that have a value.
    scratch: Bytes,
    /// The last event that the wave knows of.
    last: order::EventId,
    waits: bool,
}

/// What is known of a group that is set aside.
#[derive(Debug)]
struct GroupShadow {
    number: u32,
    first_wave: u32,
    waves: Vec<WaveShadow>,
    barrier: order::EventId,
    lds: shadow::Shadow,
    lds_bytes: Bytes,
    lds_atomics: order::LdsAtomics,
}

/// The key of a finding. Findings with the same key are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Race(u32, u32, Place),
    /// An undefined read: the dword of the instruction that uses the value, the value's origin, and the kind of use.
    Uninit(u32, Option<Origin>, &'static str),
    /// An access outside: the dword of the instruction, the buffer of its pointer, and the kind of memory.
    Bounds(u32, Tag, Place),
}

/// A wave of the present group.
#[derive(Clone, Copy, Debug)]
struct At {
    group: [u32; 3],
    index: u32,
}

/// Most instructions of which facts are kept. They take some hundred bytes each.
const MOST_SITES: usize = 1 << 16;

/// Watches one launch, or one shader in a world.
pub struct Sanitizer {
    checks: Checks,
    /// The facts before the first instruction; `None` before the first group.
    scene: Option<Scene>,
    /// The instruction that runs.
    pending: Option<Pending>,
    /// Facts of instructions, by dword of the code, and the dwords of which there are any. When there are
    /// [`MOST_SITES`], all are forgotten: they follow from the code.
    sites: Vec<Option<Box<Site>>>,
    known_sites: Vec<usize>,
    /// Number of the present group, from 1 on; 0 before the first.
    group_number: u32,
    groups: Vec<[u32; 3]>,
    /// Number of the first wave of the present group, counted over all groups.
    first_wave: u32,
    waves_so_far: u32,
    /// Number of the first wave of each group, counted over all groups.
    first_waves: Vec<u32>,
    waves: Vec<WaveShadow>,
    /// The groups that are set aside.
    aside: HashMap<[u32; 3], GroupShadow>,
    /// Whether a wave of an earlier group has written to more scratch than is noted.
    lost_scratch: bool,
    /// Time of the last barrier that the present group has passed.
    barrier: order::EventId,
    step: u32,
    order: Order,
    lds: shadow::Shadow,
    memory: shadow::Shadow,
    lds_bytes: Bytes,
    /// Whether the code has all barriers of its source. Then nothing else orders the lanes of a wave; otherwise they
    /// are in lockstep.
    keeps_barriers: bool,
    found: BTreeMap<Key, Finding>,
}

impl Sanitizer {
    /// Returns a sanitizer for a launch. `keeps_barriers` says whether the compiler has kept barriers: it drops them if
    /// groups have one wave at most.
    fn new(checks: Checks, keeps_barriers: bool) -> Sanitizer {
        Sanitizer {
            checks,
            scene: None,
            pending: None,
            sites: Vec::new(),
            known_sites: Vec::new(),
            group_number: 0,
            groups: Vec::new(),
            first_wave: 0,
            waves_so_far: 0,
            first_waves: Vec::new(),
            waves: Vec::new(),
            aside: HashMap::new(),
            lost_scratch: false,
            barrier: 0,
            step: 0,
            order: Order::default(),
            lds: shadow::Shadow::default(),
            memory: shadow::Shadow::default(),
            lds_bytes: Bytes::default(),
            keeps_barriers,
            found: BTreeMap::new(),
        }
    }

    /// Returns a sanitizer for a launch of a kernel.
    pub fn of_kernel(checks: Checks, object: &CodeObject, kernel: Option<&str>) -> Sanitizer {
        let of_name = |name| object.kernel_index(name).map(|index| &object.kernels[index]);
        let kernel = kernel.map_or(object.kernels.first(), of_name);
        let most = kernel.and_then(|kernel| kernel.metadata.as_ref()?.max_group_size);
        Sanitizer::new(checks, most.is_none_or(|most| most > 64))
    }

    /// Returns a sanitizer for a kernel of which nothing is known.
    pub fn of_code(checks: Checks) -> Sanitizer {
        Sanitizer::new(checks, true)
    }

    /// Returns a sanitizer for a shader that is set up for a world.
    pub fn in_world(checks: Checks, subject: &Subject, setup: &Setup) -> Sanitizer {
        let most = subject.kernel.and_then(|kernel| kernel.metadata.as_ref()?.max_group_size);
        let waves = setup.groups.iter().map(|group| group.waves.len()).max().unwrap_or(0);
        let keeps_barriers = most.map_or(waves > 1, |most| most > 64);
        Sanitizer::new(checks, keeps_barriers)
    }

    /// Returns the findings, with source lines from `lines`, those of the object.
    pub fn into_findings(self, lines: &SourceLines) -> Findings {
        let total = self.found.len() as u64;
        let limits = self.limits();
        let mut findings: Vec<Finding> = self.found.into_values().take(MOST_FINDINGS).collect();
        for finding in &mut findings {
            for accessor in finding.first.iter_mut().chain([&mut finding.second]) {
                accessor.source = lines.at(accessor.pc.0);
            }
        }
        Findings { checks: self.checks.names(), total, findings, limits }
    }

    /// Returns the limits that were reached, in words.
    fn limits(&self) -> Vec<String> {
        let mut limits = Vec::new();
        if self.scene.as_ref().is_some_and(|scene| scene.is_group_made_up && scene.lds_bytes > 0) {
            limits.push("LDS was not looked at: the file does not state the size of a group".to_owned());
        }
        if self.memory.is_full() {
            limits.push(format!("races were looked for in the first {} MiB of their notes only", MOST_BYTES >> 20));
        }
        if self.has_lost_scratch() {
            let most = defined::MOST_WRITTEN >> 20;
            limits.push(format!("of the scratch of a wave, the first {most} MiB that it wrote to were looked at"));
        }
        if let Some(what) = self.order.limit() {
            limits.push(what);
        }
        if self.found.len() >= MOST_KEYS {
            limits.push(format!("findings beyond {MOST_KEYS} are not counted"));
        }
        limits
    }

    fn has_lost_scratch(&self) -> bool {
        let aside = self.aside.values().flat_map(|group| &group.waves);
        self.lost_scratch || self.waves.iter().chain(aside).any(|wave| wave.scratch.is_full())
    }

    fn begin_group(&mut self, group: [u32; 3]) {
        self.groups.push(group);
        self.group_number = self.groups.len() as u32;
        self.first_wave = self.waves_so_far;
        self.first_waves.push(self.first_wave);
        self.lost_scratch = self.has_lost_scratch();
        self.waves.clear();
        self.order.leave_group();
        self.lds.clear();
        if let Some(scene) = &self.scene {
            let has_values = scene.lds_has_values || scene.is_group_made_up;
            self.lds_bytes = match has_values {
                true => Bytes::all(scene.lds_bytes),
                false => Bytes::with_writers(scene.lds_bytes),
            };
        }
        self.barrier = self.order.now();
    }

    /// Goes on with a group that was set aside.
    fn take_up(&mut self, group: [u32; 3]) {
        let Some(shadow) = self.aside.remove(&group) else { return };
        self.lost_scratch = self.has_lost_scratch();
        self.order.leave_group();
        self.order.enter_group(shadow.lds_atomics);
        (self.group_number, self.first_wave) = (shadow.number, shadow.first_wave);
        (self.waves, self.barrier) = (shadow.waves, shadow.barrier);
        (self.lds, self.lds_bytes) = (shadow.lds, shadow.lds_bytes);
    }

    /// Makes the shadow of a wave when the wave begins. If the wave waited at a barrier, its group passes the barrier
    /// now.
    fn wave(&mut self, index: u32) {
        while self.waves.len() <= index as usize {
            let Some(scene) = &self.scene else { return };
            self.waves_so_far += 1;
            self.waves.push(WaveShadow {
                registers: registers::Shadow::new(scene.initial_sgprs, scene.initial_vgprs),
                scratch: Bytes::new(scene.wave_scratch),
                last: 0,
                waits: false,
            });
        }
        if self.waves[index as usize].waits {
            let last = self.waves.iter().map(|wave| wave.last);
            let event = self.order.barrier(self.group_number, last);
            self.waves.iter_mut().for_each(|wave| (wave.last, wave.waits) = (event, false));
            self.barrier = self.order.now();
        }
    }

    /// Finds the facts of the instruction at an address, and returns the index of its dword.
    fn site(&mut self, pc: u64) -> Option<usize> {
        let program = &self.scene.as_ref()?.program;
        let index = program.word_index(pc & !3)?;
        if self.sites.len() <= index {
            self.sites.resize_with(index + 1, || None);
        }
        if self.sites[index].is_none() {
            let site = Site::new(program.fetch(pc & !3).ok()?);
            if self.known_sites.len() == MOST_SITES {
                self.known_sites.drain(..).for_each(|known| self.sites[known] = None);
            }
            self.known_sites.push(index);
            self.sites[index] = Some(Box::new(site));
        }
        Some(index)
    }

    /// Looks at the instruction that is about to execute.
    fn look(&mut self, at: At, wave: &mut Wave, context: &mut Context) {
        self.wave(at.index);
        let is_skipped = wave.state.mode & Mode::VSKIP != 0;
        let Some(index) = self.site(wave.state.pc).filter(|_| !is_skipped) else { return };
        self.step = self.step.wrapping_add(1).max(1);
        // The site is put back at the end.
        let Some(site) = self.sites[index].take() else { return };
        let looked = Looked { index, site: &site, at };
        let touches = match &site.memory {
            Some(memory) if site.moves.is_some() => memory.touches(wave, context),
            _ => Vec::new(),
        };
        if self.checks.uninit {
            self.look_at_uses(&looked, wave);
        }
        if self.checks.bounds && site.needs_bounds() {
            self.look_at_bounds(&looked, wave, &touches);
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
        if matches!(site.rule, Rule::Memory) {
            self.pending = Some(Pending { index, exec: wave.state.exec(), touches });
        }
        self.sites[index] = Some(site);
    }

    /// Notes that all VGPRs have a value in the lanes `exec`. In GPR-index mode the operands do not say which register
    /// is written.
    fn define_all(&mut self, index: u32, exec: u64) {
        self.waves[index as usize].registers.vgprs.iter_mut().for_each(|vector| vector.lanes |= exec);
    }
}

/// An instruction of [`Rule::Memory`] that runs.
struct Pending {
    /// Index of its dword in the code.
    index: usize,
    /// EXEC before it.
    exec: u64,
    touches: Vec<Touch>,
}

/// The instruction that is about to execute.
struct Looked<'a> {
    /// Index of its dword in the code.
    index: usize,
    site: &'a Site,
    at: At,
}

impl Sanitizer {
    /// Returns the accessor of a finding: the instruction at dword `index`, its access, and the group, wave and lane
    /// that executed it.
    fn accessor(&self, index: usize, access: &'static str, who: Option<([u32; 3], u32, Option<u8>)>) -> Accessor {
        let (mut pc, mut text) = (0, String::new());
        if let Some(Scene { program, moved, .. }) = &self.scene {
            let address = program.base().wrapping_add(4 * index as u64);
            pc = address.wrapping_sub(*moved);
            text = program.fetch(address).map(|inst| inst.to_string()).unwrap_or_default();
        }
        Accessor {
            pc: Hex(pc),
            text,
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
        if self.found.len() < MOST_KEYS {
            let finding = finding(self);
            self.found.insert(key, finding);
        }
    }

    fn look_at_touches(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch]) {
        let Looked { site, at, .. } = *looked;
        let Some(how) = site.how() else { return };
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

    fn buffers(&self) -> &[(Arc<str>, u64, u64)] {
        self.scene.as_ref().map_or(&[], |scene| &scene.buffers)
    }

    /// Returns the index of the buffer in which an address lies.
    fn buffer_of(&self, address: u64) -> Option<usize> {
        let buffers = self.buffers();
        let behind = buffers.partition_point(|(_, base, _)| *base <= address);
        let (_, base, size) = buffers.get(behind.checked_sub(1)?)?;
        (address - base < *size).then_some(behind - 1)
    }

    /// Whether an address lies in the scratch of any wave.
    fn is_scratch(&self, address: u64) -> bool {
        self.scene.as_ref().is_some_and(|all| all.scratch.contains(&(address & all.address_bits)))
    }

    /// Returns the offset of an address in the scratch of wave `index` of the present group. It is negative in the
    /// scratch of earlier waves.
    fn byte_of_scratch(&self, index: u32, address: u64) -> i64 {
        let Some(all) = &self.scene else { return 0 };
        let before = if all.groups_share_scratch { index } else { self.first_wave + index };
        (address & all.address_bits).wrapping_sub(all.scratch.start) as i64
            - u64::from(before).wrapping_mul(all.wave_scratch) as i64
    }

    /// Whether accesses to LDS are checked.
    fn looks_at_lds(&self) -> bool {
        self.scene.as_ref().is_some_and(|scene| !scene.is_group_made_up)
    }

    fn wave_scratch(&self) -> u64 {
        self.scene.as_ref().map_or(0, |all| all.wave_scratch)
    }
}

impl Observer for Sanitizer {
    fn needs(&mut self, _at: &observe::At<'_>, _wave: &Wave) -> Needs {
        Needs::STEPS
    }

    fn enter(&mut self, scene: &Scene, group: [u32; 3], entry: Entry) {
        self.scene.get_or_insert_with(|| scene.clone());
        match entry {
            Entry::Begins => self.begin_group(group),
            Entry::GoesOn => self.take_up(group),
        }
    }

    fn set_aside(&mut self, group: [u32; 3]) {
        let shadow = GroupShadow {
            number: self.group_number,
            first_wave: self.first_wave,
            waves: mem::take(&mut self.waves),
            barrier: self.barrier,
            lds: mem::take(&mut self.lds),
            lds_bytes: mem::take(&mut self.lds_bytes),
            lds_atomics: self.order.leave_group(),
        };
        self.aside.insert(group, shadow);
    }

    fn before(&mut self, at: &observe::At<'_>, wave: &mut Wave, context: &mut Context) {
        self.look(At { group: at.group, index: at.index }, wave, context);
    }

    fn after(&mut self, at: &observe::At<'_>, step: &Step<'_>, wave: &Wave, _context: &Context) {
        self.waves[at.index as usize].waits = step.outcome == Outcome::Barrier;
        let Some(Pending { index, exec, touches }) = self.pending.take().filter(|_| step.executed > 0) else { return };
        let Some(site) = self.sites[index].take() else { return };
        let looked = Looked { index, site: &site, at: At { group: at.group, index: at.index } };
        self.pass_memory(&looked, wave, exec, &touches);
        self.sites[index] = Some(site);
    }
}
