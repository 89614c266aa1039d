//! Reads any text as a launch file, and runs its launches of the hostile kernels on both engines.

use std::path::Path;

use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_launches::launch::{BufferSpec, LaunchDraft, LaunchFile, LaunchSpec, Outside, Syntax};
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

use super::dispatches::MOST_MEMORY;

const OBJECT: &[u8] = include_bytes!("../../corpus/kernels/hostile/hostile.co");

thread_local! {
    static HOSTILE: CodeObject = CodeObject::parse(&FileBytes::from(OBJECT.to_vec())).expect("a good object");
}

/// Tests a launch file. Its first byte says which language it is in: TOML if it is odd.
pub fn check(data: &[u8]) {
    let Some((&kind, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let syntax = if kind % 2 == 0 { Syntax::Json } else { Syntax::Toml };
    let _ = (LaunchFile::is_launch_json(text), LaunchFile::is_launch_toml(text));
    let Ok(draft) = LaunchDraft::parse(text, syntax) else { return };
    assert_eq!(LaunchFile::parse(text, syntax).is_ok(), draft.launches.iter().all(|(_, launch)| launch.is_ok()));
    let _ = draft.sha256(0, Path::new("nowhere"), Outside::Refused);
    if is_small(&draft.buffers) {
        HOSTILE.with(|object| {
            let results = [EngineKind::Interp, EngineKind::JitNoCheck].map(|engine| run(object, &draft, engine));
            assert_eq!(results[0], results[1]);
        });
    }
}

/// Runs the first launches, and says how each ended.
fn run(object: &CodeObject, draft: &LaunchDraft, engine: EngineKind) -> Vec<String> {
    let run = RunOptions::default().engine(engine).hot(0);
    let options = DispatchOptions::default().run(run).jobs(1).max_insts(500);
    let mut launcher = Launcher::new(object, Path::new("nowhere"), &draft.buffers, &options).expect("few buffers");
    let launches = draft.launches.iter().filter_map(|(_, launch)| launch.as_ref().ok());
    let launches = launches.filter(|launch| is_small(&launch.buffers)).take(4);
    launches.map(|launch| say(&mut launcher, launch)).collect()
}

fn say(launcher: &mut Launcher<'_>, launch: &LaunchSpec) -> String {
    if let Err(error) = launcher.check(launch) {
        return error.to_string();
    }
    match launcher.launch(launch, &|_| {}) {
        Ok(result) => {
            let outcome = result.run.outcome.expect("no failure of ours");
            format!("{outcome:?} {} {:x} {:?}", result.run.instructions, result.state_hash, result.mismatches)
        }
        Err(error) => error.to_string(),
    }
}

fn is_small(buffers: &[BufferSpec]) -> bool {
    let sizes = buffers.iter().map(|buffer| buffer.size_in(Path::new("nowhere"), Outside::Refused).unwrap_or(0));
    sizes.fold(0u64, u64::saturating_add) <= MOST_MEMORY
}
