//! Compares pairs whose stages were linked otherwise: components that stages hand to each other lie elsewhere.
//!
//! Inputs: the attributes of the new side are renamed in its code to those of the old side, in ascending order.
//! Outputs: parameters, and the memory in which stages before the last one hand on what they computed, are paired by
//! what they hold in all worlds. If nothing else differs then, both do the same, and `why` says what was paired.

mod attributes;
mod places;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gcnsim_isa::export_target_name;
use gcnsim_loader::Stage;
use gcnsim_machine::world::{Contents, World};
use gcnsim_synthetic::SyntheticRun;

use crate::compare::PARAM0;
use crate::compare::{self, Difference};
use crate::interface::LINKING;
use crate::pair::{Entry, PairRunner, is_ended};
use crate::resolve::{self, Both};
use crate::result::{PairResult, Verdict};
use crate::value::Holds;
use attributes::{Attributes, Component};
use places::{Left, Place};

/// Attribute that no driver uses.
const UNUSED: Component = (63, 3);
/// Worlds that show whether a component counts.
const PROBES: usize = 8;

impl PairRunner<'_> {
    /// The result of a pair if it does the same apart from linking. `result` is that of the pair as it is.
    pub(crate) fn relinked(&mut self, result: &PairResult, entries: [&Entry<'_>; 2]) -> Option<PairResult> {
        match entries[1].subject.stage {
            Stage::Pixel => self.with_inputs_in_order(result, entries),
            Stage::Vertex | Stage::Evaluation | Stage::Copy => self.with_outputs_elsewhere(result, entries, false),
            Stage::Local | Stage::Hull | Stage::Export | Stage::Geometry => {
                self.with_outputs_elsewhere(result, entries, true)
            }
            Stage::Compute => None,
        }
    }

    fn with_inputs_in_order(&mut self, result: &PairResult, entries: [&Entry<'_>; 2]) -> Option<PairResult> {
        let [Some(old), Some(new)] = entries.map(|entry| Attributes::of(&entry.subject.program)) else { return None };
        if old.reads == new.reads {
            return None;
        }
        let mut reads = [old.reads.clone(), new.reads.clone()];
        if attributes::in_order(&reads[0], &reads[1]).is_none() {
            for (side, attributes) in [&old, &new].into_iter().enumerate() {
                let counts = self.components_that_count(entries[side], attributes)?;
                reads[side].retain(|component, _| counts.contains(component));
            }
        }
        let pairs = attributes::in_order(&reads[0], &reads[1])?;
        let names: BTreeMap<Component, Component> = pairs.into_iter().map(|(old, new)| (new, old)).collect();
        let program = new.renamed(&entries[1].subject.program, |name| names.get(&name).copied().unwrap_or(name));
        let renamed = with_program(entries[1], program);
        let found = self.as_they_are(result.name.clone(), [entries[0], &renamed])?;
        let moved = names.iter().filter(|(new, old)| new != old);
        let text = |(number, component): Component| format!("attr{number}.{}", letter(component));
        let moved: Vec<_> = moved.map(|(new, old)| format!("{} as {}", text(*new), text(*old))).collect();
        same(found, &moved)
    }

    /// The components of which another value changes what a shader does. `None` if a run did not end.
    fn components_that_count(&mut self, entry: &Entry<'_>, attributes: &Attributes) -> Option<HashSet<Component>> {
        let worlds = self.worlds();
        let probes: Vec<World> = worlds.iter().copied().step_by(worlds.len().div_ceil(PROBES)).collect();
        let mut hashes = |entry: &Entry<'_>| -> Option<Vec<u64>> {
            let runs = probes.iter().map(|world| self.ended_run(entry, *world));
            runs.map(|run| Some(run?.state_hash())).collect()
        };
        let usual = hashes(entry)?;
        let mut counts = HashSet::new();
        for &component in attributes.reads.keys() {
            let name = |name: Component| if name == component { UNUSED } else { name };
            let other = with_program(entry, attributes.renamed(&entry.subject.program, name));
            if hashes(&other)? != usual {
                counts.insert(component);
            }
        }
        Some(counts)
    }

    fn with_outputs_elsewhere(
        &mut self,
        result: &PairResult,
        entries: [&Entry<'_>; 2],
        hands_on: bool,
    ) -> Option<PairResult> {
        let mut outputs = [Outputs::default(), Outputs::default()];
        let mut found = PairResult { result: Verdict::Same, first: None, world: None, ..result.clone() };
        (found.undef_read, found.counts, found.worlds) = Default::default();
        for world in self.worlds().to_vec() {
            let [Some(old), Some(new)] = entries.map(|entry| self.ended_run(entry, world)) else { return None };
            let runs = [&old, &new];
            let mut compared = compare::compare(&old.observations, &new.observations, &old.contents);
            let stores = runs.map(|run| match hands_on {
                true => compare::dwords(&run.observations.stores, &run.contents).collect(),
                false => BTreeMap::new(),
            });
            let wanted = [0, 1].map(|side| stores[side].keys().copied().chain(compared.addresses(side)).collect());
            let origins = self.origins_at(entries, world, wanted);
            resolve::tolerate(&mut compared, &origins, self.tolerance());
            let is_elsewhere = |difference: &Difference| match difference {
                Difference::Value { target, .. } | Difference::Export { target, .. } => *target >= PARAM0,
                Difference::Components { target, .. } => *target >= PARAM0,
                Difference::Store { .. } => hands_on,
                _ => false,
            };
            if !compared.differences.iter().all(is_elsewhere) || compared.undecided().is_some() {
                return None;
            }
            for side in 0..2 {
                outputs[side].add_parameters(runs[side], &origins, side);
            }
            outputs.iter_mut().zip(stores).zip(&origins).for_each(|((outputs, stores), origins)| {
                let holds = |address: &u64| origins.stores.get(address).map_or(Holds::BITS, |store| store.value.holds);
                let stores = stores.into_iter().map(|(address, bits)| (address, (bits, holds(&address))));
                outputs.stores.push((old.contents.clone(), stores.collect()));
            });
            found.counts.add(&compared.counts);
            found.worlds.push(world.version_name());
        }
        let addresses: BTreeSet<u64> = outputs.iter().flat_map(Outputs::addresses).collect();
        let [old, new] = outputs.map(|outputs| outputs.left(&addresses));
        let pairs = places::moved(&old, &new, self.tolerance())?;
        if pairs.is_empty() || !places::is_linking(&pairs, &old, &new) {
            return None;
        }
        let moved: Vec<_> = pairs.iter().map(|(old, new)| format!("{} as {}", text(*new), text(*old))).collect();
        same(found, &moved)
    }

    /// The run of an entry in a world, if it ends.
    fn ended_run(&mut self, entry: &Entry<'_>, world: World) -> Option<SyntheticRun> {
        self.run_entry(entry, world).ok().filter(is_ended)
    }
}

/// What a side leaves.
#[derive(Default)]
struct Outputs {
    parameters: Left,
    /// The dwords that were stored, in each world.
    stores: Vec<(Contents, BTreeMap<u64, places::Value>)>,
}

impl Outputs {
    fn add_parameters(&mut self, run: &SyntheticRun, origins: &Both, side: usize) {
        let groups = compare::groups(&run.observations);
        for (id, wave) in groups.iter().zip(&run.observations.waves) {
            let of_wave = origins[side].exports.get(id);
            for (number, export) in wave.observed.exports().iter().enumerate() {
                let (target, lanes) = (export.access.target, wave.lanes(export));
                let components = (0..4u8).filter(|component| wave.components(export) >> component & 1 == 1);
                for component in components.filter(|_| target >= PARAM0) {
                    let origin = of_wave.and_then(|exports| exports.get(number));
                    let values = (0..64).filter(|lane| lanes >> lane & 1 == 1).map(|lane| {
                        let origin = origin.map(|origin| origin.values[component as usize][lane]);
                        (export.values[component as usize][lane], origin.map_or(Holds::BITS, |origin| origin.holds))
                    });
                    self.parameters.entry(Place::Parameter(target, component)).or_default().extend(values);
                }
            }
        }
    }

    fn addresses(&self) -> impl Iterator<Item = u64> {
        self.stores.iter().flat_map(|(_, stores)| stores.keys().copied())
    }

    /// Everything by place. What was not stored in a world has its initial value there. `addresses` are those of both
    /// sides: only those count that this side stored in some world.
    fn left(mut self, addresses: &BTreeSet<u64>) -> Left {
        let own: HashSet<u64> = self.addresses().collect();
        for &address in addresses.iter().filter(|address| own.contains(address)) {
            let values = self.stores.iter().map(|(contents, stores)| {
                stores.get(&address).copied().unwrap_or_else(|| (compare::initial(contents, address), Holds::BITS))
            });
            self.parameters.insert(Place::Memory(address), values.collect());
        }
        self.parameters
    }
}

fn with_program<'e>(entry: &Entry<'e>, program: gcnsim_isa::Program) -> Entry<'e> {
    Entry {
        subject: entry.subject.clone().with_program(program),
        own_code: entry.own_code.clone(),
        arch: entry.arch,
        object: entry.object.clone(),
        max_insts: entry.max_insts,
    }
}

/// The result of a pair of which some places were paired, if it is the same.
fn same(found: PairResult, moved: &[String]) -> Option<PairResult> {
    let shown = moved.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    let more = if moved.len() > 3 { format!(" and {} more", moved.len() - 3) } else { String::new() };
    let why = Some(format!("{LINKING}new {shown}{more}"));
    (found.result == Verdict::Same).then_some(PairResult { why, relinked: true, ..found })
}

fn letter(component: u8) -> char {
    ['x', 'y', 'z', 'w'][component as usize & 3]
}

fn text(place: Place) -> String {
    match place {
        Place::Parameter(target, component) => format!("{}.{}", export_target_name(target), letter(component)),
        Place::Memory(address) => format!("{address:#x}"),
    }
}
