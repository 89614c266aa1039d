//! The report of a profile: the fields of `gcnsim.profile.v1`.

use std::collections::BTreeMap;

use gcnsim_isa::Kind;
use gcnsim_machine::Access;
use serde::Serialize;

use super::count::{Accesses, CountedSite, Counter, has_lanes};
use super::listing::{self, ListedFunction, MeanMax};
use super::occupancy::{Needs, Occupancy};
use crate::lines::SourceLines;
use gcnsim_device::Dispatch;
use gcnsim_engine::report::{ByClass, Hex, json_line};
use gcnsim_engine::{EngineError, Run};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::ClassCounts;

/// A run whose regions were timed.
#[derive(Clone, Copy)]
pub struct Timed<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// The run.
    pub run: &'a Run,
    /// The dispatch that ran.
    pub dispatch: &'a Dispatch,
}

/// A profile of a launch.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Profile {
    /// Name of the launch.
    pub launch: String,
    /// The kernel.
    pub kernel: String,
    /// LLVM's name of the chip.
    pub chip: &'static str,
    /// Name of the generation, for example `gcn1.2`.
    pub arch: &'static str,
    /// Number of waves.
    pub waves: u64,
    /// Completed instructions of all waves.
    pub instructions: u64,
    /// The number of waves that a compute unit of the chip holds, and what limits it.
    pub occupancy: Occupancy,
    /// The parts of the run time.
    pub time: TimeProfile,
    /// Compiled regions, those that took longest first.
    pub regions: Vec<RegionTime>,
    /// Instructions and time in the interpreter.
    pub interpreted: InterpretedProfile,
    /// Classes of instructions that occurred.
    pub classes: Vec<ClassProfile>,
    /// Accesses to memory and LDS by lanes.
    pub accesses: Vec<AccessProfile>,
    /// Branches with two ways, those executed most often first.
    pub branches: Vec<BranchProfile>,
    /// Source lines, those with the most instructions first; empty if the object does not state them.
    pub lines: Vec<LineProfile>,
    /// The functions that were reached, with counts by instruction, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<Vec<ListedFunction>>,
}

/// The parts of the run time, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct TimeProfile {
    /// Time of compiling.
    pub compile_ns: u64,
    /// Time of checking compiled code against the interpreter.
    pub check_ns: u64,
    /// Time in compiled regions.
    pub compiled_ns: u64,
    /// Time in the interpreter.
    pub interpreted_ns: u64,
    /// Time between regions and interpreter: finding the next region, and switching between waves.
    pub between_ns: u64,
}

/// A compiled region.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegionTime {
    /// Address of its first instruction, as the file states it.
    pub pc: Hex,
    /// Source line of its first instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of instructions in it.
    pub size: u64,
    /// Number of times that it was entered.
    pub entered: u64,
    /// Number of instructions that it executed.
    pub instructions: u64,
    /// Nanoseconds that it ran.
    pub run_ns: u64,
    /// Nanoseconds that compiling it took.
    pub compile_ns: u64,
}

/// Instructions and time in the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct InterpretedProfile {
    /// Number of instructions.
    pub instructions: u64,
    /// Nanoseconds.
    pub run_ns: u64,
}

/// A class of instructions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClassProfile {
    /// Its name, as in `by_class`.
    pub class: &'static str,
    /// Executed instructions.
    pub instructions: u64,
    /// Mean number of active lanes, for classes that work on lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<f64>,
}

/// Accesses of one kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AccessProfile {
    /// `vmem` or `lds`.
    pub class: &'static str,
    /// `load`, `store` or `atomic`.
    pub access: &'static str,
    /// Executed instructions.
    pub instructions: u64,
    /// Mean number of active lanes.
    pub lanes: f64,
    /// Number of accesses in which each lane's data follow those of the lane before.
    pub consecutive: u64,
    /// Number of accesses in which all lanes have one address.
    pub uniform: u64,
    /// Number of all other accesses.
    pub random: u64,
    /// Number of 64-byte lines of memory that an access touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<MeanMax>,
    /// Number of cycles of LDS that an access took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<MeanMax>,
    /// Number of these cycles that bank conflicts caused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<MeanMax>,
}

/// A branch with two ways.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BranchProfile {
    /// Address of the branch, as the file states it.
    pub pc: Hex,
    /// Mnemonic of the branch.
    pub mnemonic: &'static str,
    /// Source line of the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of executions.
    pub executed: u64,
    /// Number of times that it was taken.
    pub taken: u64,
    /// Mean number of active lanes.
    pub lanes: f64,
    /// Number of executions in which lanes disagreed.
    pub split: u64,
}

/// A source line.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineProfile {
    /// `FILE:LINE`.
    pub source: String,
    /// Executed instructions.
    pub instructions: u64,
    /// Mean number of active lanes of the instructions that work on lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<f64>,
    /// Executed instructions by class.
    pub by_class: ByClass,
}

/// Number of instructions and sum of their active lanes.
#[derive(Clone, Copy, Default)]
struct Sum {
    instructions: u64,
    lanes: u64,
}

impl Sum {
    fn add(&mut self, site: &CountedSite) {
        self.instructions += site.executed;
        self.lanes += site.lanes;
    }

    fn mean(self) -> Option<f64> {
        listing::mean(self.lanes, self.instructions)
    }
}

fn kind_of(site: &CountedSite) -> Kind {
    site.inst.desc().kind
}

impl Profile {
    /// Returns the profile of a launch from a run that was timed and another one that counted.
    ///
    /// # Errors
    /// The error of the timed run.
    pub fn new(
        name: &str,
        object: &CodeObject,
        timed: &Timed<'_>,
        counter: &Counter,
        lines: &SourceLines,
    ) -> Result<Profile, EngineError> {
        if let Err(error) = &timed.run.outcome {
            return Err(error.clone());
        }
        let regions = regions(timed, lines);
        let stats = &timed.run.stats;
        let compiled_ns = regions.iter().map(|region| region.run_ns).sum();
        let compiled: u64 = regions.iter().map(|region| region.instructions).sum();
        let interpreted = InterpretedProfile {
            instructions: timed.run.instructions.saturating_sub(compiled),
            run_ns: stats.interp_ns,
        };
        let time = TimeProfile {
            compile_ns: stats.compile_ns,
            check_ns: stats.check_ns,
            compiled_ns,
            interpreted_ns: stats.interp_ns,
            between_ns: stats.run_ns.saturating_sub(compiled_ns + stats.interp_ns),
        };
        Ok(Profile {
            launch: name.to_owned(),
            kernel: timed.kernel.to_owned(),
            chip: object.chip,
            arch: object.arch.name(),
            waves: timed.dispatch.waves().registers().grid.wave_count(),
            instructions: counter.sites().map(|(_, site)| site.executed).sum(),
            occupancy: Occupancy::new(object.arch, needs(timed.dispatch)),
            time,
            regions,
            interpreted,
            classes: classes(counter),
            accesses: accesses(counter),
            branches: branches(counter, lines),
            lines: source_lines(counter, lines),
            listing: None,
        })
    }

    /// Returns the profile as one line of JSON.
    pub fn to_json(&self) -> String {
        json_line("profile", self)
    }
}

/// Returns the resources that the kernel takes of a compute unit.
fn needs(dispatch: &Dispatch) -> Needs {
    let waves = dispatch.waves();
    let registers = waves.registers();
    Needs {
        sgprs: registers.rsrc1.sgprs(dispatch.code.program().arch()),
        vgprs: waves.vgprs() as u32,
        lds: registers.lds_bytes,
        items: registers.grid.items() as u32,
    }
}

#[cfg(feature = "jit")]
fn regions(timed: &Timed<'_>, lines: &SourceLines) -> Vec<RegionTime> {
    // A region may be compiled again. Regions with the same address count as one.
    let mut by_address: BTreeMap<u64, RegionTime> = BTreeMap::new();
    for region in &timed.run.regions {
        let pc = timed.dispatch.address_of_file(region.pc);
        let sum = by_address.entry(pc).or_insert_with(|| RegionTime {
            pc: Hex(pc),
            source: lines.at(pc),
            size: 0,
            entered: 0,
            instructions: 0,
            run_ns: 0,
            compile_ns: 0,
        });
        sum.size = region.inst_count;
        sum.entered += region.entered;
        sum.instructions += region.executed;
        sum.run_ns += region.run_ns;
        sum.compile_ns += region.compile_ns;
    }
    let mut regions: Vec<RegionTime> = by_address.into_values().filter(|region| region.entered > 0).collect();
    regions.sort_by_key(|region| std::cmp::Reverse(region.run_ns));
    regions
}

#[cfg(not(feature = "jit"))]
fn regions(_timed: &Timed<'_>, _lines: &SourceLines) -> Vec<RegionTime> {
    Vec::new()
}

fn classes(counter: &Counter) -> Vec<ClassProfile> {
    let mut sums = [Sum::default(); Kind::ALL.len()];
    counter.sites().for_each(|(_, site)| sums[kind_of(site) as usize].add(site));
    let named = Kind::ALL.iter().zip(sums).filter(|(_, sum)| sum.instructions > 0);
    named
        .map(|(&kind, sum)| ClassProfile {
            class: kind.name(),
            instructions: sum.instructions,
            lanes: sum.mean().filter(|_| has_lanes(kind)),
        })
        .collect()
}

fn accesses(counter: &Counter) -> Vec<AccessProfile> {
    let mut sums: BTreeMap<(usize, usize), (Sum, Accesses)> = BTreeMap::new();
    const NAMES: [&str; 3] = ["load", "store", "atomic"];
    for (_, site) in counter.sites() {
        let Some(access) = site.access() else { continue };
        let number = match access {
            Access::Load => 0,
            Access::Store => 1,
            Access::Atomic => 2,
        };
        let (sum, patterns) = sums.entry((kind_of(site) as usize, number)).or_default();
        sum.add(site);
        patterns.add_all(site.accesses);
    }
    let profile = |((kind, access), (sum, patterns)): ((usize, usize), (Sum, Accesses))| AccessProfile {
        class: Kind::ALL[kind].name(),
        access: NAMES[access],
        instructions: sum.instructions,
        lanes: sum.mean().unwrap_or(0.0),
        consecutive: patterns.consecutive,
        uniform: patterns.uniform,
        random: patterns.random,
        lines: MeanMax::of(patterns.lines),
        cycles: MeanMax::of(patterns.cycles),
        conflicts: MeanMax::of(patterns.conflicts),
    };
    sums.into_iter().map(profile).collect()
}

fn branches(counter: &Counter, lines: &SourceLines) -> Vec<BranchProfile> {
    let mut branches: Vec<BranchProfile> = counter
        .sites()
        .filter(|(_, site)| site.is_branch())
        .map(|(pc, site)| BranchProfile {
            pc: Hex(pc),
            mnemonic: site.inst.desc().mnemonic,
            source: lines.at(pc),
            executed: site.executed,
            taken: site.taken,
            lanes: Sum { instructions: site.executed, lanes: site.lanes }.mean().unwrap_or(0.0),
            split: site.split,
        })
        .collect();
    branches.sort_by_key(|branch| std::cmp::Reverse(branch.executed));
    branches
}

fn source_lines(counter: &Counter, lines: &SourceLines) -> Vec<LineProfile> {
    let mut sums: BTreeMap<String, (ClassCounts, Sum)> = BTreeMap::new();
    for (pc, site) in counter.sites() {
        let Some(source) = lines.at(pc) else { continue };
        let (classes, sum) = sums.entry(source).or_default();
        classes.add(kind_of(site), site.executed);
        if has_lanes(kind_of(site)) {
            sum.add(site);
        }
    }
    let profile = |(source, (classes, sum)): (String, (ClassCounts, Sum))| LineProfile {
        source,
        instructions: classes.total(),
        lanes: sum.mean(),
        by_class: ByClass(classes),
    };
    let mut profiles: Vec<LineProfile> = sums.into_iter().map(profile).collect();
    profiles.sort_by_key(|line| std::cmp::Reverse(line.instructions));
    profiles
}
