//! Results of pairs, and their sum.

use gcnsim_inputs::EntryName;
use gcnsim_loader::nearest;
use serde::{Serialize, Serializer};

/// Name and version of the format of results of pairs.
pub const SCHEMA: &str = "gcnsim.diff.v1";
/// Name and version of the format of the sum.
pub const END_SCHEMA: &str = "gcnsim.diff-end.v1";

/// The answer for a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The observations of both sides are the same in all worlds.
    Same,
    /// Something differs.
    Differ,
    /// The sides cannot have the same inputs, so that differences say nothing.
    Incomparable,
    /// A side could not be run to its end. As far as the sides were compared, they are the same.
    Failed,
}

impl Verdict {
    /// All answers, in the order of summaries.
    pub const ALL: [Verdict; 4] = [Verdict::Same, Verdict::Differ, Verdict::Incomparable, Verdict::Failed];

    /// Returns the name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Differ => "differ",
            Verdict::Incomparable => "incomparable",
            Verdict::Failed => "failed",
        }
    }
}

/// Numbers of observations of a class, summed over all worlds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Count {
    /// Number of values that were compared: of exports the values in each lane and component, of memory and images the
    /// dwords.
    pub compared: u64,
    /// Number of values that differ.
    pub differ: u64,
    /// Number of values whose bits differ, but by no more than the tolerance of floats.
    pub tolerated: u64,
}

impl Count {
    /// Adds other numbers.
    pub fn add(&mut self, other: Count) {
        self.compared += other.compared;
        self.differ += other.differ;
        self.tolerated += other.tolerated;
    }
}

/// Numbers of observations by class.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Counts {
    /// Values of exports.
    pub exports: Count,
    /// Dwords of memory.
    pub stores: Count,
    /// Dwords of images.
    pub images: Count,
    /// Messages.
    pub messages: Count,
}

impl Counts {
    /// Returns the classes with their names.
    pub fn classes(&self) -> [(&'static str, Count); 4] {
        [("exports", self.exports), ("stores", self.stores), ("images", self.images), ("messages", self.messages)]
    }

    /// Adds other numbers.
    pub fn add(&mut self, other: &Counts) {
        self.exports.add(other.exports);
        self.stores.add(other.stores);
        self.images.add(other.images);
        self.messages.add(other.messages);
    }

    /// Returns the numbers of all classes together.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        self.classes().into_iter().for_each(|(_, count)| total.add(count));
        total
    }
}

/// A number that is written in hex: `0x1f`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hex(pub u64);

impl std::fmt::Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The first difference, in the order of exports, memory, images and messages.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct First {
    /// What differs: `export mrt0`, `lanes of export mrt0`, `components of export mrt0`, `store`, `buffer NAME`,
    /// `image`, `message` or `outcome`.
    pub what: String,
    /// Id of the group.
    pub group: Option<[u32; 3]>,
    /// Number of the wave in its group.
    pub wave: Option<u32>,
    /// The lane of an export.
    pub lane: Option<u32>,
    /// The component of an export or of a texel: `x`, `y`, `z` or `w`.
    pub component: Option<&'static str>,
    /// The address of a dword of memory; in a buffer, its offset there.
    pub address: Option<Hex>,
    /// The texel of an image: x, y, z.
    pub texel: Option<[u32; 3]>,
    /// The value on the old side, as hex digits or a word; null if it has none.
    pub old: Option<String>,
    /// The value on the new side, as hex digits or a word; null if it has none.
    pub new: Option<String>,
    /// Both values as floats, if the value was computed as one.
    pub floats: Option<[String; 2]>,
    /// Address of the instruction of the old side that made the difference, as the file states it.
    pub pc_old: Option<Hex>,
    /// Address of the instruction of the new side that made the difference, as the file states it.
    pub pc_new: Option<Hex>,
    /// Text of the instruction of the old side that made the difference.
    pub inst_old: Option<String>,
    /// Text of the instruction of the new side that made the difference.
    pub inst_new: Option<String>,
    /// Source line of that instruction on the old side: `FILE:LINE`.
    pub line_old: Option<String>,
    /// Source line of that instruction on the new side: `FILE:LINE`.
    pub line_new: Option<String>,
    /// Address of the export, store or message of the old side that shows the difference.
    pub seen_old: Option<Hex>,
    /// Address of the export, store or message of the new side that shows the difference.
    pub seen_new: Option<Hex>,
}

impl First {
    /// Returns in words what differs and where: `export mrt0.x of lane 3`.
    pub fn place(&self) -> String {
        let mut text = self.what.clone();
        if let Some(component) = self.component {
            text += &format!(".{component}");
        }
        if let Some([x, y, z]) = self.texel {
            text += &format!(" ({x}, {y}, {z})");
        }
        if let Some(address) = self.address {
            text += &format!(" at {address}");
        }
        if let Some(lane) = self.lane {
            text += &format!(", lane {lane}");
        }
        match (self.wave, self.group) {
            (Some(wave), Some([x, y, z])) if wave != 0 || (x, y, z) != (0, 0, 0) => {
                text += &format!(", wave {wave} of group ({x}, {y}, {z})");
            }
            _ => {}
        }
        text
    }

    /// Returns both values in words: `0x3f800000 (1) -> 0x40000000 (2)`.
    pub fn values(&self) -> String {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
        match &self.floats {
            Some([old, new]) => format!("{} ({old}) -> {} ({new})", value(&self.old), value(&self.new)),
            None => format!("{} -> {}", value(&self.old), value(&self.new)),
        }
    }
}

/// An instruction of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CodeLine {
    /// Address of the instruction, as the file states it.
    pub address: u64,
    /// Text of the instruction.
    pub text: String,
    /// The source line of the instruction, if it is not that of the line before.
    pub source: Option<String>,
}

/// The codes of both sides, with partners beside each other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BothCodes {
    /// The rows.
    pub rows: Vec<[Option<CodeLine>; 2]>,
    /// The rows of the instructions that made the difference, on each side.
    pub marks: [Option<usize>; 2],
    /// Whether later instructions are left out.
    pub is_cut: bool,
}

/// The result of a pair.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct PairResult {
    /// Name and version of the format.
    pub schema: &'static str,
    /// The name of the pair: the path that both sides have, the kernel, and the launch.
    pub name: EntryName,
    /// The answer for the pair.
    pub result: Verdict,
    /// The fact that makes the pair incomparable, the way in which a side failed, or what was not compared.
    pub why: Option<String>,
    /// The stage of the shaders.
    pub stage: Option<&'static str>,
    /// The worlds in which both ran, or `launch`.
    pub worlds: Vec<String>,
    /// The world of the first difference.
    pub world: Option<String>,
    /// Whether the observations of the old side are the same in all worlds, so that `same` says little.
    pub insensitive: bool,
    /// Whether the sides do the same only with attributes or outputs paired as `why` says.
    pub relinked: bool,
    /// The sides whose results depend on undefined registers, LDS or scratch: `old`, `new`. Only pairs that differ are
    /// tested for this.
    pub undef_read: Vec<&'static str>,
    /// The first difference.
    pub first: Option<First>,
    /// Numbers of observations.
    pub counts: Counts,
    /// Instructions that each side executed in the first world.
    pub instructions: [u64; 2],
    /// The codes, if the pair differs.
    #[serde(skip)]
    pub codes: BothCodes,
}

/// The sum of all pairs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Name and version of the format.
    pub schema: &'static str,
    /// Path of the old files.
    pub old: String,
    /// Path of the new files.
    pub new: String,
    /// Number of pairs.
    pub pairs: u64,
    /// Number of pairs that do the same.
    pub same: u64,
    /// Number of pairs that differ.
    pub differ: u64,
    /// Number of pairs that cannot be compared.
    pub incomparable: u64,
    /// Number of pairs of which a side did not end.
    pub failed: u64,
    /// Number of pairs that do the same whatever their inputs are.
    pub insensitive: u64,
    /// Number of pairs that do the same only with attributes or outputs paired.
    pub relinked: u64,
    /// Number of pairs that differ and of which a side depends on undefined values.
    pub undef_read: u64,
    /// Names of entries that only the old side has, up to a limit.
    pub removed: Vec<String>,
    /// Names of entries that only the new side has, up to a limit.
    pub added: Vec<String>,
    /// Number of entries that only the old side has, including those that `removed` leaves out.
    pub removed_count: u64,
    /// Number of entries that only the new side has, including those that `added` leaves out.
    pub added_count: u64,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// The tolerance of floats.
    pub tolerance: f64,
    /// Numbers of observations.
    pub counts: Counts,
    /// Number of instructions that each side executed.
    pub instructions: [u64; 2],
}

/// Most names in `removed` and `added`.
const MOST_NAMES: usize = 1000;

impl Summary {
    /// Returns the sum of no pairs.
    pub fn new(old: String, new: String, tolerance: f64) -> Summary {
        Summary {
            schema: END_SCHEMA,
            old,
            new,
            pairs: 0,
            same: 0,
            differ: 0,
            incomparable: 0,
            failed: 0,
            insensitive: 0,
            relinked: 0,
            undef_read: 0,
            removed: Vec::new(),
            added: Vec::new(),
            removed_count: 0,
            added_count: 0,
            interrupted: false,
            tolerance,
            counts: Counts::default(),
            instructions: [0; 2],
        }
    }

    /// Returns the number of pairs with the given answer.
    pub fn of(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::Same => self.same,
            Verdict::Differ => self.differ,
            Verdict::Incomparable => self.incomparable,
            Verdict::Failed => self.failed,
        }
    }

    /// Adds a pair.
    pub fn add(&mut self, pair: &PairResult) {
        self.pairs += 1;
        match pair.result {
            Verdict::Same => self.same += 1,
            Verdict::Differ => self.differ += 1,
            Verdict::Incomparable => self.incomparable += 1,
            Verdict::Failed => self.failed += 1,
        }
        self.insensitive += u64::from(pair.insensitive && pair.result == Verdict::Same);
        self.relinked += u64::from(pair.relinked && pair.result == Verdict::Same);
        self.undef_read += u64::from(!pair.undef_read.is_empty());
        self.counts.add(&pair.counts);
        self.instructions.iter_mut().zip(pair.instructions).for_each(|(sum, n)| *sum += n);
    }

    /// Adds an entry that only the old side has.
    pub fn add_removed(&mut self, name: String) {
        self.removed_count += 1;
        if self.removed.len() < MOST_NAMES {
            self.removed.push(name);
        }
    }

    /// Adds an entry that only the new side has.
    pub fn add_added(&mut self, name: String) {
        self.added_count += 1;
        if self.added.len() < MOST_NAMES {
            self.added.push(name);
        }
    }
}

/// The list of `--fail-on`: what makes the exit code 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FailOn {
    /// `differ`: pairs that differ.
    pub differ: bool,
    /// `failed`: pairs of which a side did not end.
    pub failed: bool,
    /// `incomparable`: pairs that cannot be compared.
    pub incomparable: bool,
    /// `insensitive`: pairs that do the same whatever their inputs are.
    pub insensitive: bool,
    /// `removed`: entries only on the old side.
    pub removed: bool,
    /// `added`: entries only on the new side.
    pub added: bool,
}

impl FailOn {
    /// The list in which nothing makes the exit code 1.
    pub const NOTHING: FailOn =
        FailOn { differ: false, failed: false, incomparable: false, insensitive: false, removed: false, added: false };

    /// Whether a pair makes the exit code 1.
    pub fn fails(&self, pair: &PairResult) -> bool {
        match pair.result {
            Verdict::Same => self.insensitive && pair.insensitive,
            Verdict::Differ => self.differ,
            Verdict::Incomparable => self.incomparable,
            Verdict::Failed => self.failed,
        }
    }

    /// Whether a sum makes the exit code 1.
    pub fn fails_sum(&self, sum: &Summary) -> bool {
        self.differ && sum.differ > 0
            || self.failed && sum.failed > 0
            || self.incomparable && sum.incomparable > 0
            || self.insensitive && sum.insensitive > 0
            || self.removed && sum.removed_count > 0
            || self.added && sum.added_count > 0
    }
}

impl Default for FailOn {
    fn default() -> FailOn {
        FailOn { differ: true, failed: true, ..FailOn::NOTHING }
    }
}

/// An item of `--fail-on` that nobody knows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{item}': expected differ, failed, incomparable, insensitive, removed, added, or none{}",
    nearest::question(item, ["differ", "failed", "incomparable", "insensitive", "removed", "added", "none"])
)]
#[non_exhaustive]
pub struct FailOnError {
    /// The item.
    pub item: String,
}

impl std::str::FromStr for FailOn {
    type Err = FailOnError;

    fn from_str(list: &str) -> Result<FailOn, FailOnError> {
        let mut found = FailOn::NOTHING;
        if list == "none" {
            return Ok(found);
        }
        for item in list.split(',') {
            let flag = match item {
                "differ" => &mut found.differ,
                "failed" => &mut found.failed,
                "incomparable" => &mut found.incomparable,
                "insensitive" => &mut found.insensitive,
                "removed" => &mut found.removed,
                "added" => &mut found.added,
                _ => return Err(FailOnError { item: item.to_owned() }),
            };
            *flag = true;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!("differ,failed".parse(), Ok(FailOn::default()));
        assert_eq!("none".parse(), Ok(FailOn::NOTHING));
        assert_eq!("removed".parse(), Ok(FailOn { removed: true, ..FailOn::NOTHING }));
        assert!("".parse::<FailOn>().is_err() && "differ,none".parse::<FailOn>().is_err());
    }

    #[test]
    fn places_are_words() {
        let first = First {
            what: "export mrt0".into(),
            component: Some("x"),
            lane: Some(3),
            old: Some("0x3f800000".into()),
            new: Some("0x40000000".into()),
            floats: Some(["1".into(), "2".into()]),
            group: Some([0, 0, 0]),
            wave: Some(0),
            ..First::default()
        };
        assert_eq!(first.place(), "export mrt0.x, lane 3");
        assert_eq!(first.values(), "0x3f800000 (1) -> 0x40000000 (2)");
        let store = First {
            what: "store".into(),
            address: Some(Hex(0x40)),
            wave: Some(1),
            group: Some([1, 0, 0]),
            new: Some("0x1".into()),
            ..First::default()
        };
        assert_eq!(
            (store.place().as_str(), store.values().as_str()),
            ("store at 0x40, wave 1 of group (1, 0, 0)", "nothing -> 0x1")
        );
    }
}
