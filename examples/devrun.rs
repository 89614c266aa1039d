use gcnsim::engine::*;
use gcnsim::*;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let engines: &[EngineKind] = match args[0].as_str() {
        "check" => &[EngineKind::Check, EngineKind::Interp],
        "perf" => &[EngineKind::Jit, EngineKind::JitNoCheck],
        _ => &[EngineKind::Jit, EngineKind::Interp],
    };
    for f in &args[1..] {
        let path = std::path::Path::new(f);
        let loaded = gcnsim::loader::load(path).unwrap();
        let side = gcnsim::sidecar::Sidecar::beside(path).unwrap();
        let arch = side.as_ref().and_then(|s| s.arch).unwrap_or(isa::Arch::Gcn14);
        let entry = side.as_ref().and_then(|s| s.entry).unwrap_or(0);
        let program = loaded.entries[0].program_at(arch, None, entry);
        for &engine in engines {
            let mut wave = Wave::new(&program);
            if let Some(s) = side.as_ref().and_then(|s| s.state.as_ref()) {
                s.apply(&mut wave);
            }
            let mut o =
                RunOptions { engine, max_insts: side.as_ref().and_then(|s| s.max_insts), ..RunOptions::default() };
            if args[0] == "check" {
                o.hot = 0;
            }
            let r = run(&program, &mut wave, &o);
            let diffs = match (&side, &r.outcome) {
                (Some(s), Ok(o)) if s.expect.is_some() => s.expect.as_ref().unwrap().differences(&wave, o),
                _ => vec![],
            };
            println!(
                "{:24} {:5} {:?} {} insts regions {} compile {:.2}ms check {:.2}ms run {:.1}ms {:.3} G/s diffs {:?}",
                path.file_stem().unwrap().to_str().unwrap(),
                engine.name(),
                r.outcome.as_ref().map(|o| o.name()).map_err(|e| e.to_string().chars().take(3000).collect::<String>()),
                wave.executed,
                r.stats.regions_compiled,
                r.stats.compile_ns as f64 / 1e6,
                r.stats.check_ns as f64 / 1e6,
                r.stats.run_ns as f64 / 1e6,
                wave.executed as f64 / r.stats.run_ns as f64,
                &diffs[..diffs.len().min(4)]
            );
        }
    }
}
