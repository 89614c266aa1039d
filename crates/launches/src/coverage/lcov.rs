//! Coverage by source line, as a tracefile of lcov.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gcnsim_isa::Flow;

use super::Covered;

/// Counts of a source file. If its code was compiled several times, the counts are added up.
#[derive(Default)]
struct Source {
    /// Executions by line.
    lines: BTreeMap<u64, u64>,
    /// Branches with two ways, by line: how often each way was taken; `None` if the branch was never executed.
    branches: BTreeMap<u64, Vec<Option<[u64; 2]>>>,
    /// Functions, by name: the line where each begins, and how often it was executed.
    functions: BTreeMap<String, (u64, u64)>,
}

/// Number of lines of all source files, and of those that were executed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Lines {
    /// Lines with code.
    pub all: u64,
    /// Lines that were executed.
    pub executed: u64,
}

/// Returns the tracefile of all objects that have source lines.
pub fn tracefile(objects: &[Covered]) -> (String, Lines) {
    let mut sources: BTreeMap<String, Source> = BTreeMap::new();
    objects.iter().for_each(|object| add(object, &mut sources));
    let (mut text, mut lines) = (String::new(), Lines::default());
    for (path, source) in &sources {
        source.write(path, &mut text);
        lines.all += source.lines.len() as u64;
        lines.executed += source.lines.values().filter(|&&count| count > 0).count() as u64;
    }
    (text, lines)
}

fn add(object: &Covered, sources: &mut BTreeMap<String, Source>) {
    // A line counts as executed as often as the most executed of its instructions.
    let mut lines: BTreeMap<(&str, u64), u64> = BTreeMap::new();
    for function in object.functions.iter() {
        let mut is_first = true;
        for placed in function.insts() {
            let count = object.count(placed.address);
            let Some((path, line)) = object.lines.place(placed.address) else { continue };
            let most = lines.entry((path, line)).or_default();
            *most = count.executed.max(*most);
            let source = sources.entry(path.to_owned()).or_default();
            if is_first {
                let (_, entered) = source.functions.entry(function.name.clone()).or_insert((line, 0));
                *entered += count.executed;
            }
            is_first = false;
            if placed.inst.flow() == Flow::CondBranch {
                let ways = [count.executed - count.taken, count.taken];
                source.branches.entry(line).or_default().push((count.executed > 0).then_some(ways));
            }
        }
    }
    for ((path, line), count) in lines {
        *sources.entry(path.to_owned()).or_default().lines.entry(line).or_default() += count;
    }
}

impl Source {
    fn write(&self, path: &str, text: &mut String) {
        let _ = writeln!(text, "TN:\nSF:{}", one_line(path));
        for (name, (line, _)) in &self.functions {
            let _ = writeln!(text, "FN:{line},{}", one_line(name));
        }
        for (name, (_, entered)) in &self.functions {
            let _ = writeln!(text, "FNDA:{entered},{}", one_line(name));
        }
        let entered = self.functions.values().filter(|(_, entered)| *entered > 0).count();
        let _ = writeln!(text, "FNF:{}\nFNH:{entered}", self.functions.len());
        self.write_branches(text);
        for (line, count) in &self.lines {
            let _ = writeln!(text, "DA:{line},{count}");
        }
        let executed = self.lines.values().filter(|&&count| count > 0).count();
        let _ = writeln!(text, "LF:{}\nLH:{executed}\nend_of_record", self.lines.len());
    }

    /// Writes the branches. Way 0 goes on to the next instruction; way 1 is the taken branch.
    fn write_branches(&self, text: &mut String) {
        let (mut found, mut gone) = (0, 0);
        for (line, branches) in &self.branches {
            for (block, ways) in branches.iter().enumerate() {
                for way in 0..2 {
                    let count = ways.map(|ways| ways[way]);
                    let shown = count.map_or("-".to_owned(), |count| count.to_string());
                    let _ = writeln!(text, "BRDA:{line},{block},{way},{shown}");
                    found += 1;
                    gone += u64::from(count.is_some_and(|count| count > 0));
                }
            }
        }
        if found > 0 {
            let _ = writeln!(text, "BRF:{found}\nBRH:{gone}");
        }
    }
}

/// Returns `name` without control characters, which could end the line.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}
