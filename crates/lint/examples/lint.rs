//! Prints the findings about files: `cargo run -p gcnsim-lint --example lint -- [--pedantic] [--arch ARCH] FILE..`.

use std::path::Path;

use gcnsim_lint::{Linter, Options};

fn main() {
    let mut options = Options::default();
    let mut arch = gcnsim_isa::Arch::Gcn14;
    let mut args = std::env::args().skip(1);
    let mut files = Vec::new();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--pedantic" => options.pedantic = true,
            "--arch" => arch = args.next().and_then(|name| name.parse().ok()).unwrap_or(arch),
            _ => files.push(arg),
        }
    }
    let mut linter = Linter::new(options);
    let mut count = [0; 3];
    for file in &files {
        let loaded = match gcnsim_loader::load(Path::new(file)) {
            Ok(loaded) => loaded,
            Err(error) => {
                eprintln!("{file}: {error}");
                continue;
            }
        };
        let Ok(objects) = loaded.objects(0) else { continue };
        for (object, xnack) in objects.iter().zip(loaded.xnack()) {
            for report in linter.lint(object, arch, xnack, &|address| {
                let entry = loaded.entries.iter().find(|entry| entry.address == address);
                entry.map(|entry| entry.shader.clone()).unwrap_or_default()
            }) {
                count[0] += 1;
                count[1] += report.instructions;
                count[2] += report.findings.len();
                if let Some(why) = report.incomplete {
                    println!("{file}: {:?}: incomplete: {why}", report.name);
                }
                for finding in report.findings {
                    println!(
                        "{file}: {:?}: {} {} {:#x} {} <- {:?} {} {:?} {:?} {:?} {:x?}",
                        report.name,
                        finding.rule.level.name(),
                        finding.rule.id,
                        finding.place.pc,
                        finding.place.text,
                        finding.producer.map(|spot| format!("{:#x} {}", spot.pc, spot.text)),
                        finding.registers,
                        finding.counter,
                        finding.needed,
                        finding.found,
                        finding.path
                    );
                }
            }
        }
    }
    println!("{} entries, {} instructions, {} findings", count[0], count[1], count[2]);
}
