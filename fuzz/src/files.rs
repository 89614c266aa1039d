//! Tests readers of text files: states, vectors, sidecars, ledgers, batch results. Any bytes are accepted or refused,
//! and accepted content can be written and read back.

use gcnsim::Wave;
use gcnsim_batch::compare::junit::junit;
use gcnsim_batch::compare::{FailOn, compare, document};
use gcnsim_batch::record::{Record, Records};
use gcnsim_batch::{Failures, Ledger, Summary};
use gcnsim_check::vectors::{Vector, interpreter, verify};
use gcnsim_engine::state_file::StateSpec;
use gcnsim_isa::WaveState;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_pages::{markdown, text};

/// Tests a file. Its first byte says which kind the rest is.
pub fn check(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    match kind {
        b's' => state(data),
        b'v' => {
            if let Ok(vector) = Vector::parse(data) {
                vector.check(&mut *interpreter());
            }
        }
        // A file of vectors has many lines, and may be compressed.
        b'V' => {
            let _ = verify(data, &mut [interpreter()], |_| {});
        }
        b't' => {
            let _ = std::str::from_utf8(data).map(Sidecar::parse);
        }
        b'l' => ledger(data),
        b'r' => results(data),
        _ => {}
    }
}

fn state(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(state) = StateSpec::from_json(text) else { return };
    let mut wave = Wave::from_state(WaveState::zeroed());
    state.apply(&mut wave);
    let mut again = Wave::from_state(WaveState::zeroed());
    StateSpec::from_json(&StateSpec::of_wave(&wave).to_json()).expect("what was written").apply(&mut again);
    assert_eq!(wave.state, again.state);
    assert_eq!(wave.vgprs, again.vgprs);
}

fn ledger(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Ledger::parse(text) {
        Ok(ledger) => assert!(ledger.len() <= text.lines().count()),
        Err(error) => assert!((1..=text.lines().count()).contains(&error.line)),
    }
}

/// Compares results of a batch with themselves, then their first half with the second.
fn results(data: &[u8]) {
    let records: Vec<Record> = Records::new(data).map_while(Result::ok).map(|located| located.record).collect();
    let mut summary = Summary::new(Failures::Kept);
    for (number, record) in records.iter().enumerate() {
        summary.add(&record.to_entry((number, 0)), None);
    }
    assert_eq!(summary.entries, records.len() as u64);
    let same = compare(&records, &records);
    assert_eq!((same.matched, same.is_unchanged()), (records.len(), true));
    let (old, new) = records.split_at(records.len() / 2);
    let comparison = compare(old, new);
    assert_eq!(comparison.matched + comparison.removed.len(), old.len());
    let fail_on = FailOn::default();
    let regressions = fail_on.regressions(&comparison);
    let document = document(&comparison, &regressions);
    assert!(!text::document(&document, 80).is_empty());
    assert!(!markdown::document(&document).is_empty());
    assert!(!junit(&comparison, &fail_on, &regressions).is_empty());
}
