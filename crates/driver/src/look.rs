//! Looking at the kernels of a program: profiles, and the sanitizer.

use std::collections::{BTreeMap, HashSet};

use gcnsim_engine::Run;
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::profile::Counter;
use gcnsim_sanitize::{Checks, Finding, Findings, Sanitizer};
use serde::{Deserialize, Serialize};

use crate::objects::Named;

/// Most source lines of a kernel in a profile.
const MOST_LINES: usize = 3;

/// What a program spent in a kernel.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct KernelProfile {
    /// Name as the source has it.
    pub kernel: String,
    /// Number of dispatches.
    pub dispatches: u64,
    /// Number of waves.
    pub waves: u64,
    /// Number of completed instructions.
    pub instructions: u64,
    /// Time without that of the dispatch that was counted, in nanoseconds.
    pub run_ns: u64,
    /// Source lines with the most instructions of the first dispatch, and how many.
    pub lines: Vec<(String, u64)>,
}

/// What is known of the kernels of a process.
#[derive(Default)]
pub(crate) struct Looks {
    profiles: BTreeMap<u64, KernelProfile>,
    /// Findings that were told: kernel, kind, and the addresses of both instructions.
    told: HashSet<(u64, &'static str, u64, u64)>,
}

/// What looks at one dispatch.
pub(crate) struct Look {
    pub sanitizer: Option<Sanitizer>,
    pub counter: Option<Counter>,
}

impl Looks {
    /// Returns what looks at a dispatch of the kernel at `descriptor`: the first one of a kernel is counted.
    pub fn at(&self, descriptor: u64, named: Option<&Named>, checks: Option<Checks>, profile: bool) -> Look {
        let sanitizer = checks.map(|checks| match named {
            Some(named) => Sanitizer::of_kernel(checks, &named.object.object, Some(named.name())),
            None => Sanitizer::of_code(checks),
        });
        let counter = (profile && !self.profiles.contains_key(&descriptor)).then(Counter::default);
        Look { sanitizer, counter }
    }

    /// Adds a dispatch to the profile.
    pub fn add(&mut self, descriptor: u64, name: String, (waves, time): (u64, u64), run: &Run) {
        let profile = self.profiles.entry(descriptor).or_default();
        profile.kernel = name;
        profile.dispatches += 1;
        profile.waves += waves;
        profile.instructions += run.instructions;
        profile.run_ns += time;
    }

    /// Adds the lines of a dispatch that was counted.
    pub fn add_lines(&mut self, descriptor: u64, counter: &Counter, lines: Option<&SourceLines>) {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (pc, site) in counter.sites() {
            let line = lines.and_then(|lines| lines.at(pc));
            *counts.entry(line.unwrap_or_else(|| "?".to_owned())).or_default() += site.executed;
        }
        let mut list: Vec<_> = counts.into_iter().collect();
        list.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        list.truncate(MOST_LINES);
        self.profiles.entry(descriptor).or_default().lines = list;
    }

    /// Returns the findings that were not told before, as a report; `None` if there are none.
    pub fn news(&mut self, descriptor: u64, findings: Findings) -> Option<(u64, String)> {
        let pc = |finding: &Finding| finding.first.as_ref().map_or(0, |first| first.pc.0);
        let told = &mut self.told;
        let is_new = |finding: &Finding| told.insert((descriptor, finding.kind, pc(finding), finding.second.pc.0));
        let Findings { checks, findings, limits, .. } = findings;
        let findings: Vec<Finding> = findings.into_iter().filter(is_new).collect();
        let news = Findings { checks, total: findings.len() as u64, findings, limits };
        (!news.is_clean()).then(|| (news.total, news.text()))
    }

    /// Returns the profile of each kernel.
    pub fn profiles(&self) -> Vec<KernelProfile> {
        self.profiles.values().cloned().collect()
    }
}

/// Returns a table of profiles, the longest first.
pub(crate) fn table(profiles: &[KernelProfile]) -> String {
    use std::fmt::Write as _;
    let mut list: Vec<_> = profiles.iter().collect();
    list.sort_by(|one, other| other.run_ns.cmp(&one.run_ns).then_with(|| one.kernel.cmp(&other.kernel)));
    let total: u64 = list.iter().map(|profile| profile.run_ns).sum();
    let mut text = String::from("  share      time  dispatches     instructions  kernel\n");
    for profile in list {
        let share = 100.0 * profile.run_ns as f64 / total.max(1) as f64;
        let KernelProfile { dispatches, instructions, kernel, .. } = profile;
        let time = gcnsim_engine::report::duration(profile.run_ns);
        let instructions = gcnsim_engine::report::grouped(*instructions);
        let _ = writeln!(text, "{share:6.1} % {time:>9} {dispatches:>11} {instructions:>16}  {kernel}");
        let counted: u64 = profile.lines.iter().map(|(_, count)| count).sum();
        for (line, count) in profile.lines.iter().filter(|(line, _)| line != "?") {
            let share = 100.0 * *count as f64 / counted.max(1) as f64;
            let _ = writeln!(text, "{:48}{share:5.1} % {line}", "");
        }
    }
    text
}
