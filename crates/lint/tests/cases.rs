//! Hand-made programs with the findings that must be reported about them, and no others. `corpus/tools/lint_cases.py`
//! makes `cases.txt`; it states the findings by hand.

use std::collections::BTreeSet;

use gcnsim_isa::{Arch, Program};
use gcnsim_lint::rules::{self, RULES, Test};
use gcnsim_lint::{Finding, Linter, Options};
use gcnsim_loader::object::Object;
use gcnsim_loader::{Shader, Stage, Xnack};

const CASES: &str = include_str!("cases.txt");

/// A finding: the rule, the address of the earlier instruction if there is one, and that of the later one.
type Expected = (String, Option<u64>, u64);

/// A program with the findings about it.
struct Case {
    name: String,
    arch: Arch,
    flags: Vec<String>,
    expected: BTreeSet<Expected>,
    words: Vec<u32>,
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in CASES.lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("@") => {
                let name = words.next().unwrap().to_owned();
                let arch = words.next().unwrap().parse().unwrap();
                let flags = words.map(str::to_owned).collect();
                cases.push(Case { name, arch, flags, expected: BTreeSet::new(), words: Vec::new() });
            }
            Some("!") => {
                let [id, producer, place] = [(); 3].map(|()| words.next().unwrap());
                let expected = (id.to_owned(), (producer != "-").then(|| hex(producer)), hex(place));
                cases.last_mut().unwrap().expected.insert(expected);
            }
            Some(">") => cases.last_mut().unwrap().words = words.map(|word| hex(word) as u32).collect(),
            _ => {}
        }
    }
    cases
}

impl Case {
    fn value(&self, key: &str) -> Option<&str> {
        self.flags.iter().find_map(|flag| flag.strip_prefix(key)?.strip_prefix('='))
    }

    fn shader(&self) -> Shader {
        let stage = self.value("stage").map(|stage| match stage {
            "ps" => Stage::Pixel,
            "vs" => Stage::Vertex,
            _ => Stage::Compute,
        });
        let number = |key| self.value(key).map(|value| hex(value) as u32);
        Shader { stage, rsrc1: number("rsrc1"), rsrc2: number("rsrc2"), ..Shader::default() }
    }

    fn findings(&self, words: &[u32]) -> Vec<Finding> {
        let only = self.value("only").map(|id| rules::by_id(id).unwrap().id).into_iter().collect::<Vec<_>>();
        let mut linter = Linter::new(Options::default().only(only));
        let object = Object::of_program(&Program::from_words(self.arch, words));
        let replays = self.flags.iter().any(|flag| flag == "replay");
        let xnack = if replays { Xnack::Possible } else { Xnack::Off };
        let reports = linter.lint(&object, self.arch, xnack, &|_| self.shader());
        reports.into_iter().flat_map(|report| report.findings).collect()
    }
}

fn pairs(findings: &[Finding]) -> BTreeSet<Expected> {
    let pair = |finding: &Finding| {
        (finding.rule.id.to_owned(), finding.producer.as_ref().map(|spot| spot.pc), finding.place.pc)
    };
    findings.iter().map(pair).collect()
}

#[test]
fn what_must_be_found_is_found_and_nothing_else() {
    let cases = cases();
    assert!(cases.len() > 1000, "{}", cases.len());
    let wrong = cases.iter().filter_map(|case| {
        let found = pairs(&case.findings(&case.words));
        (found != case.expected).then(|| format!("{} {}: {found:x?} for {:x?}", case.name, case.arch, case.expected))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Rules that no case can show, because only functions or files with symbols break them.
const ELSEWHERE: [&str; 9] = [
    "abi-entry-wait",
    "abi-return-wait",
    "dead-code",
    "falls-off-end",
    "flat-lgkm-overwrite",
    "illegal",
    "lds-over",
    "scratch-off",
    "sgpr-align",
];

#[test]
fn every_rule_has_a_case() {
    let shown: BTreeSet<String> = cases().into_iter().flat_map(|case| case.expected).map(|(id, ..)| id).collect();
    let missing: Vec<_> = RULES.iter().map(|rule| rule.id).filter(|id| !shown.contains(*id)).collect();
    let mut missing = missing;
    missing.sort_unstable();
    assert_eq!(missing, ELSEWHERE);
}

/// No rule that was not broken is broken by one more wait state before every instruction, or by a wait for everything.
#[test]
fn more_states_and_waits_break_nothing() {
    const NOP: u32 = 0xbf80_0000;
    const WAIT: u32 = 0xbf8c_0000;
    for case in cases() {
        // Programs with branches are left out, because their offsets would change.
        if case.words.iter().any(|word| word >> 23 == 0x17f && matches!(word >> 16 & 0x7f, 2..=9)) {
            continue;
        }
        let Some(starts) = starts(&case) else { continue };
        let rules = |words: &[u32]| -> BTreeSet<&'static str> {
            case.findings(words).iter().map(|finding| finding.rule.id).collect()
        };
        let before = rules(&case.words);
        for filler in [NOP, WAIT] {
            let mut words = Vec::new();
            for (i, &word) in case.words.iter().enumerate() {
                words.extend(starts.contains(&i).then_some(filler));
                words.push(word);
            }
            let after = rules(&words);
            let new: Vec<_> = after.difference(&before).filter(|id| **id != "wait-unneeded").collect();
            assert!(new.is_empty(), "{} {}: {new:?}", case.name, case.arch);
        }
    }
}

/// Returns the indices of the dwords where instructions begin.
fn starts(case: &Case) -> Option<BTreeSet<usize>> {
    let program = Program::from_words(case.arch, &case.words);
    let (mut at, mut starts) = (0, BTreeSet::new());
    while at < case.words.len() {
        starts.insert(at);
        at += program.decode_word(at).ok()?.size() as usize / 4;
    }
    Some(starts)
}

/// Each rule of wait states has a case with a finding at one wait state less than it says, and a case without one at
/// that number.
#[test]
fn rows_of_wait_states_have_cases_at_both_sides() {
    let cases = cases();
    for rule in RULES {
        let Test::States(_, _, counts) = rule.test else { continue };
        for arch in Arch::GENERATIONS.into_iter().filter(|&arch| rule.on.has(arch) && arch != Arch::Gcn141) {
            let count = counts[rules::generation(arch)];
            let of_count = |n: u8, is_found: bool| {
                let name = format!("{}-{n}", rule.id);
                cases.iter().any(|case| case.name == name && case.arch == arch && case.expected.is_empty() != is_found)
            };
            assert!(of_count(count - 1, true) && of_count(count, false), "{} {arch}", rule.id);
        }
    }
}
