//! `gcnsim explain`: a region as guest code, Cranelift IR and host assembly.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gcnsim_isa::{Arch, Program, RegSet};
use gcnsim_jit::region::{Block, Edge, End};
use gcnsim_jit::{CompileOptions, Compiler, Listing, Part, RegionKey, is_special_mode};
use serde::Serialize;

use super::args::{self, EngineArgs};
use super::output;
use super::{CommandResult, Exit};
use crate::Wave;
use crate::engine::{Engine, RegionProfile};
use crate::report::{duration, grouped, json_line};
use crate::sidecar::Sidecar;
use crate::state_file::register_name;

const EXAMPLES: &str = "\
Examples:
  gcnsim explain shader.bin                the region entered at the start
  gcnsim explain --pc 0x40 shader.bin
  gcnsim explain --hot shader.bin          run it, then show the region that did most of the work";

/// Width of the IR column; with the host column the listing fits 120 columns.
const CLIF_COLUMN: usize = 58;

/// Budget of the run that looks for the hottest region: some seconds.
const HOT_BUDGET: u64 = 1_000_000_000;

/// Arguments of `explain`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Raw dwords, ELF code object or offload bundle; - is stdin
    file: PathBuf,
    /// Generation of a raw file [default: its sidecar's, else gcn1.4]
    #[arg(long)]
    arch: Option<Arch>,
    /// Kernel to explain, where the file holds several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The region entered at this address [default: the program's entry]
    #[arg(long, value_name = "PC", value_parser = args::code_address, conflicts_with = "hot_region",
          allow_negative_numbers = true)]
    pc: Option<u64>,
    /// Run the program and take the region that executed most instructions
    #[arg(long = "hot", id = "hot_region")]
    hot_region: bool,
    /// With --hot: stop the run after N instructions [default: its sidecar's, else 1000000000]
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max_insts: Option<u64>,
    /// Most instructions of the region; more than 4000 count as 4000
    #[arg(long, value_name = "N", value_parser = args::u32_number, allow_negative_numbers = true)]
    region_max: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Explains.
pub(super) fn execute(args: Args) -> CommandResult {
    let loaded = args::load(&args.file)?;
    let file = args::name(&args.file);
    let entry = loaded.choose(args.kernel.as_deref(), args.arch).with_context(|| file.clone())?;
    let sidecar = args::sidecar(&args.file)?;
    let found = args::arch_of(entry, args.arch, sidecar.as_ref());
    args::note_arch(&args.file, entry, args.arch, found);
    let offset = sidecar.as_ref().and_then(|s| s.entry).unwrap_or(0);
    let program = entry.program_at(found.0, None, offset);
    let mut wave = Wave::new(&program);
    if let Some(state) = sidecar.as_ref().and_then(|s| s.state.as_ref()) {
        state.apply(&mut wave);
    }
    let profile = if args.hot_region {
        let Some(region) = hottest(&args, &program, &mut wave, sidecar.as_ref())? else {
            output::note(format_args!("{file}: nothing got hot enough to be compiled (without --hot: the start)"));
            return Ok(Exit::Negative);
        };
        Some(region)
    } else {
        None
    };
    let key = match &profile {
        Some(region) => RegionKey { pc: region.pc, special_mode: region.special_mode, observed: &region.observed },
        None => RegionKey {
            pc: args.pc.unwrap_or(wave.state.pc),
            special_mode: is_special_mode(wave.state.mode),
            observed: &[],
        },
    };
    let defaults = CompileOptions::default();
    let region_max = args.region_max.map_or(defaults.region_max, |n| n as usize);
    let mut compiler = Compiler::new(CompileOptions { region_max, ..defaults })?;
    let Some(listing) = compiler.listing(&program, &key)? else {
        let why = match program.fetch(key.pc) {
            Err(error) => error.to_string(),
            Ok(inst) => format!("{inst}: {}", inst.unsupported().unwrap_or("it stops the run")),
        };
        bail!("{file}: no region can be entered at {:#x}: {why}", key.pc);
    };
    // Timed apart: the listing takes far longer.
    let compile_ns = compiler.compile(&program, &key)?.map_or(0, |region| region.compile_ns());
    let report = Report { listing: &listing, profile: profile.as_ref(), compile_ns, colours: false };
    let mut out = output::stdout();
    if args.json {
        writeln!(out, "{}", report.to_json(&program))?;
    } else {
        let report = Report { colours: output::colours(&io::stdout()), ..report };
        out.write_all(report.to_text(&args.file).as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// The region that executed most instructions in a run; `None` if nothing was compiled.
fn hottest(
    args: &Args,
    program: &Program,
    wave: &mut Wave,
    sidecar: Option<&Sidecar>,
) -> anyhow::Result<Option<RegionProfile>> {
    let mut options = EngineArgs::default().options()?;
    options.max_insts = args.max_insts.or(sidecar.and_then(|s| s.max_insts)).or(Some(HOT_BUDGET));
    options.region_max = args.region_max.unwrap_or(options.region_max);
    let mut engine = Engine::new(options.clone());
    let state = sidecar.and_then(|s| s.state.as_ref());
    let mut context = state.map_or_else(Default::default, |state| state.context(program));
    engine.run_in(program, wave, &mut context, options.max_insts).outcome?;
    Ok(engine.profile().iter().max_by_key(|region| region.executed).cloned())
}

struct Report<'a> {
    listing: &'a Listing,
    profile: Option<&'a RegionProfile>,
    compile_ns: u64,
    colours: bool,
}

#[derive(Serialize)]
struct JsonRegion {
    pc: String,
    arch: &'static str,
    instructions: usize,
    code_bytes: usize,
    compile_ns: u64,
    entered: Option<u64>,
    executed: Option<u64>,
    reads_or_writes: Vec<String>,
    writes: Vec<String>,
    prologue: JsonPart,
    blocks: Vec<JsonBlock>,
    rest: JsonPart,
}

#[derive(Serialize)]
struct JsonPart {
    clif: Vec<String>,
    host: Vec<String>,
}

#[derive(Serialize)]
struct JsonBlock {
    pc: String,
    entry: bool,
    fuel_needed: u32,
    to: Vec<String>,
    instructions: Vec<JsonInst>,
}

#[derive(Serialize)]
struct JsonInst {
    pc: String,
    text: String,
    #[serde(flatten)]
    code: JsonPart,
}

fn json_part(part: &Part) -> JsonPart {
    JsonPart { clif: part.clif.clone(), host: part.host.clone() }
}

impl Report<'_> {
    fn to_json(&self, program: &Program) -> String {
        let listing = self.listing;
        let mut parts = listing.parts.iter();
        let blocks = listing.plan.blocks.iter().map(|block| JsonBlock {
            pc: format!("{:#x}", block.pc),
            entry: block.is_entry(),
            fuel_needed: block.need,
            to: destinations(listing, block),
            instructions: (block.insts.iter().zip(parts.by_ref()))
                .map(|((pc, inst), part)| JsonInst {
                    pc: format!("{pc:#x}"),
                    text: inst.to_string(),
                    code: json_part(part),
                })
                .collect(),
        });
        let region = JsonRegion {
            pc: format!("{:#x}", listing.plan.blocks[0].pc),
            arch: program.arch().name(),
            instructions: listing.plan.inst_count,
            code_bytes: listing.code_size,
            compile_ns: self.compile_ns,
            entered: self.profile.map(|p| p.entered),
            executed: self.profile.map(|p| p.executed),
            reads_or_writes: register_names(&listing.touched),
            writes: register_names(&listing.written),
            prologue: json_part(&listing.prologue),
            blocks: blocks.collect(),
            rest: json_part(&listing.rest),
        };
        json_line("explain", &region)
    }

    fn to_text(&self, file: &Path) -> String {
        let (listing, mut text) = (self.listing, String::new());
        let plan = &listing.plan;
        let per_inst = listing.code_size as f64 / plan.inst_count as f64;
        let _ = writeln!(
            text,
            "{}: region at {:#x}\n{} instructions in {} blocks; {} bytes of host code ({per_inst:.1} an instruction), \
             compiled in {}",
            args::name(file),
            plan.blocks[0].pc,
            plan.inst_count,
            plan.blocks.len(),
            grouped(listing.code_size as u64),
            duration(self.compile_ns),
        );
        if let Some(profile) = self.profile {
            let (entered, executed) = (grouped(profile.entered), grouped(profile.executed));
            let _ = writeln!(text, "entered {entered} times, {executed} instructions executed in it");
        }
        wrapped(&mut text, "loads ", &register_names(&listing.touched));
        wrapped(&mut text, "writes", &register_names(&listing.written));
        let _ = writeln!(text, "\n{}", self.bold("prologue"));
        columns(&mut text, &listing.prologue);
        let mut parts = listing.parts.iter();
        for (i, block) in plan.blocks.iter().enumerate() {
            let entry = if block.is_entry() { ", entry" } else { "" };
            let to = destinations(listing, block).join(", ");
            let heading = format!("block {i} at {:#x}{entry}, needs fuel for {}, to {to}", block.pc, block.need);
            let _ = writeln!(text, "\n{}", self.bold(&heading));
            for (pc, inst) in &block.insts {
                let _ = writeln!(text, "{}", self.bold(&format!("  {pc:06x}  {inst}")));
                if let Some(part) = parts.next() {
                    columns(&mut text, part);
                }
            }
        }
        let _ = writeln!(text, "\n{}", self.bold("edges, computed jumps and exits"));
        columns(&mut text, &listing.rest);
        text
    }

    fn bold(&self, text: &str) -> String {
        if self.colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// IR on the left, host code on the right; an IR line too long for its column has a line of its own.
fn columns(text: &mut String, part: &Part) {
    let mut host = part.host.iter();
    for clif in &part.clif {
        if clif.len() > CLIF_COLUMN {
            let _ = writeln!(text, "      {clif}");
            continue;
        }
        match host.next() {
            Some(host) => {
                let _ = writeln!(text, "      {clif:CLIF_COLUMN$} {host}");
            }
            None => {
                let _ = writeln!(text, "      {clif}");
            }
        }
    }
    for host in host {
        let _ = writeln!(text, "      {:CLIF_COLUMN$} {host}", "");
    }
}

fn wrapped(text: &mut String, label: &str, names: &[String]) {
    let mut line = label.to_string();
    for name in names {
        if line.len() + 1 + name.len() > 118 {
            let _ = writeln!(text, "{line}");
            line = " ".repeat(label.len());
        }
        line.push(' ');
        line.push_str(name);
    }
    let _ = writeln!(text, "{line}");
}

fn register_names(set: &RegSet) -> Vec<String> {
    // Instructions that address registers by number touch all of them; then the list says so.
    if set.sgprs == u128::MAX {
        return vec!["registers by computed number".to_string()];
    }
    let mut names: Vec<_> = (0..128u8).filter(|n| set.sgprs >> n & 1 == 1).map(register_name).collect();
    names.extend(set.scc.then(|| "scc".to_string()));
    names.extend(set.mode.then(|| "mode".to_string()));
    names
}

/// Where a block leads, in words.
fn destinations(listing: &Listing, block: &Block) -> Vec<String> {
    let plan = &listing.plan;
    let edge = |edge: &Edge| match *edge {
        Edge::Block(i) => format!("block {i}"),
        Edge::Leave(pc) => format!("{pc:#x} (exit)"),
    };
    let computed = |blocks: &[usize]| {
        let mut names: Vec<_> = blocks.iter().map(|i| format!("block {i}")).collect();
        names.push("a computed address (exit)".to_string());
        names
    };
    let targets = || computed(&plan.targets).into_iter();
    match &block.end {
        End::Goto(to) => vec![edge(to)],
        End::Cond { taken, next } => vec![edge(taken), edge(next)],
        End::Indirect { known: Some(known) } => computed(known),
        End::Indirect { known: None } => targets().collect(),
        End::Fork { target: Some((to, _)), next } => vec![edge(to), edge(&next.0)],
        End::Fork { target: None, next } => targets().chain([edge(&next.0)]).collect(),
        End::Join { next } => targets().chain([edge(next)]).collect(),
        End::Ended => vec!["the end".to_string()],
        End::Halted(_) => vec!["a halt".to_string()],
    }
}
