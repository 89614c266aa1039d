//! State files, vectors and sidecars: any text is taken or refused, and what is taken survives being written.
#![no_main]

use gcnsim::Wave;
use gcnsim::isa::WaveState;
use gcnsim::sidecar::Sidecar;
use gcnsim::state_file::StateSpec;
use gcnsim::vectors::{Vector, interpreter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&kind, data)) = data.split_first() else { return };
    match kind % 3 {
        0 => {
            let Ok(text) = std::str::from_utf8(data) else { return };
            let Ok(state) = StateSpec::from_json(text) else { return };
            let mut wave = Wave::from_state(WaveState::zeroed());
            state.apply(&mut wave);
            let mut again = Wave::from_state(WaveState::zeroed());
            StateSpec::from_json(&StateSpec::of_wave(&wave).to_json()).expect("what was written").apply(&mut again);
            assert_eq!(wave.state, again.state);
            assert!((0..=255).all(|n| wave.vgprs.lanes(n) == again.vgprs.lanes(n)));
        }
        1 => {
            if let Ok(vector) = Vector::parse(data) {
                vector.check(&mut *interpreter());
            }
        }
        _ => {
            let _ = std::str::from_utf8(data).map(toml_sidecar);
        }
    }
});

fn toml_sidecar(text: &str) {
    let _ = Sidecar::parse(text);
}
