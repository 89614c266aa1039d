//! compile time
use gcnsim::jit::*;
use gcnsim::*;
fn main() {
    for f in std::env::args().skip(1) {
        let path = std::path::Path::new(&f);
        let loaded = loader::load(path).unwrap();
        let side = sidecar::Sidecar::beside(path).unwrap();
        let arch = side.as_ref().and_then(|s| s.arch).unwrap_or(isa::Arch::Gcn14);
        let program = loaded.entries[0].program_at(arch, None, side.and_then(|s| s.entry).unwrap_or(0));
        let mut c = Compiler::new(CompileOptions::default()).unwrap();
        let key = RegionKey { pc: program.entry(), special_mode: false, observed: &[] };
        let mut best = u64::MAX;
        let mut r = None;
        for _ in 0..10 {
            let Some(region) = c.compile(&program, &key).unwrap() else { continue };
            best = best.min(region.compile_ns());
            r = Some(region);
        }
        let Some(r) = r else { continue };
        println!(
            "{:30} insts {:5} us/inst {:7.1} bytes/inst {:6.1} total {:.2} ms entries {}",
            path.file_stem().unwrap().to_str().unwrap(),
            r.inst_count(),
            best as f64 / 1e3 / r.inst_count() as f64,
            r.code_size() as f64 / r.inst_count() as f64,
            best as f64 / 1e6,
            r.entries().len()
        );
    }
}
