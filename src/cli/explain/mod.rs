//! `gcnsim explain`: shows a region as guest code, Cranelift IR and host assembly, and its vector segments.

mod launch;
mod segments;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use gcnsim_isa::{Arch, Program, RegSet, scalar_register_name};
use gcnsim_jit::region::{Block, Edge, End};
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, Listing, Part, RegionKey};
use serde::Serialize;

use self::segments::JsonSegment;
use super::args::{self, EngineArgs};
use super::output;
use super::{CommandResult, Exit, screen};
use crate::Wave;
use gcnsim_engine::report::{duration, grouped, json_line, plural};
use gcnsim_engine::{Engine, RegionProfile};
use gcnsim_inputs::EntryName;
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::TargetChoice;

const EXAMPLES: &str = "\
Examples:
  gcnsim explain shader.bin                the region entered at the start
  gcnsim explain --pc 0x40 shader.bin
  gcnsim explain --hot shader.bin          run it, then show the region that did most of the work
  gcnsim explain --hot --launch k.json --only big k.co
  gcnsim explain --hot --block 0x40 --width 160 shader.bin | less -S

Columns: GCN code, Cranelift IR, host code. In the IR L0040(s0 = v7) is the block at 0x40, which has s0 in v7 when it is
entered; fuel is how many instructions may still execute. In host code H0166 is the instruction at offset 0x166.

Vector segments follow, with GCN code, the registers that values get, and the host code of a chunk of lanes (16 with
AVX-512, 8 with AVX2). In host code, v5 is VGPR 5 in memory, s4 a scalar operand, =0x7 a constant.";

/// Width of a listing in columns: the smallest, the largest, and the default without a terminal.
const WIDTHS: (usize, usize, usize) = (80, 200, 120);

/// Budget, in instructions, of the run that looks for the hottest region. It takes some seconds at most.
const HOT_BUDGET: u64 = 1_000_000_000;

/// Arguments of `explain`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Raw dwords, ELF code object or offload bundle; - is stdin
    file: PathBuf,
    /// Generation of a raw file [default: its sidecar's, else gcn1.4]
    #[arg(long)]
    arch: Option<TargetChoice>,
    /// Take a file that is no code object as dwords, even if it looks like text or another format
    #[arg(long)]
    raw: bool,
    /// Kernel to explain, where the file holds several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The kernel of a launch of this file: MODE is as the launch sets it, and with --hot the launch is what runs
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Only the launch with this name or number [without --launch: of the file beside FILE]
    #[arg(long, value_name = "NAME|N")]
    only: Option<String>,
    /// The region entered at this address [default: the program's entry]
    #[arg(long, value_name = "PC", value_parser = args::code_address, conflicts_with = "hot_region",
          allow_negative_numbers = true)]
    pc: Option<u64>,
    /// Show only the blocks of the region that hold the instruction at this address
    #[arg(long, value_name = "PC", value_parser = args::code_address, allow_negative_numbers = true)]
    block: Option<u64>,
    /// Columns, 80 to 200 [default: the terminal's, else 120]
    #[arg(long, value_name = "N", value_parser = args::u32_number)]
    width: Option<u32>,
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

/// Explains a region.
pub(super) fn execute(args: Args) -> CommandResult {
    let loaded = args::load(&args.file, args.raw, args.arch)?;
    let mut file = args::quoted(&args.file);
    let launched = if args.launch.is_some() || args.only.is_some() { Some(launch::of_launch(&args)?) } else { None };
    let kernel = launched.as_ref().map(|launched| launched.kernel.as_str()).or(args.kernel.as_deref());
    let entry = loaded.choose_target(kernel, args.arch.as_ref()).with_context(|| file.clone())?;
    if entry.kernel.is_some() {
        file = EntryName::new(&args::name(&args.file), entry.kernel.as_deref(), None).quoted();
    }
    let sidecar = args::sidecar(&args.file)?;
    let found = args::arch_of(entry, args.arch, sidecar.as_ref());
    args::note_arch(&args.file, entry, args.arch, found);
    let offset = sidecar.as_ref().and_then(|s| s.entry).unwrap_or(0);
    let program = entry.program_at(found.0, None, offset);
    let mut wave = Wave::new(&program);
    if let Some(state) = sidecar.as_ref().and_then(|s| s.state.as_ref()) {
        state.apply(&mut wave);
    }
    if let Some(launched) = &launched {
        wave.state.mode = launched.mode;
    }
    let profile = if args.hot_region {
        let found = match launched {
            Some(launched) => launched.hottest,
            None => hottest(&args, &program, &mut wave, sidecar.as_ref())?,
        };
        let Some(region) = found else {
            output::note(format_args!("{file}: nothing got hot enough to be compiled (without --hot: the start)"));
            return Ok(Exit::Negative);
        };
        Some(region)
    } else {
        None
    };
    let key = match &profile {
        Some(RegionProfile { pc, mode, observed, maxima, predictable, .. }) => {
            RegionKey { pc: *pc, mode: *mode, observed, maxima: *maxima, predictable }
        }
        None => RegionKey {
            pc: args.pc.unwrap_or(wave.state.pc),
            mode: wave.state.mode,
            observed: &[],
            maxima: EqualMaxima::Unknown,
            predictable: &[],
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
    // A second compilation measures the time: with a listing, compiling takes far longer.
    let compile_ns = compiler.compile(&program, &key)?.map_or(0, |region| region.compile_ns());
    let holds = |block: &Block, pc: u64| block.insts.iter().any(|(address, _)| *address == pc);
    if let Some(pc) = args.block
        && !listing.plan.blocks.iter().any(|block| holds(block, pc))
    {
        let starts = listing.labels.join(" ");
        bail!("{file}: the region has no instruction at {pc:#x}; its blocks are {starts}");
    }
    let shown = |block: &Block| args.block.is_none_or(|pc| holds(block, pc));
    let shown = listing.plan.blocks.iter().map(shown).collect();
    let width = args.width.map(|width| width as usize).or_else(screen::terminal_width).unwrap_or(WIDTHS.2);
    let width = width.clamp(WIDTHS.0, WIDTHS.1);
    let whole = args.block.is_none();
    let profile = profile.as_ref();
    let lines = loaded.object_of(entry).map(SourceLines::of).unwrap_or_default();
    let report = Report { listing: &listing, lines, shown, whole, profile, compile_ns, width, colours: false };
    let colours = output::colours(&io::stdout());
    // The colours are escape sequences.
    let mut out = output::stdout_for(args.json || colours);
    if args.json {
        writeln!(out, "{}", report.to_json(&program))?;
    } else {
        let report = Report { colours, ..report };
        out.write_all(report.to_text(&file, program.arch()).as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// Runs the program and returns the region that executed most instructions. `None` if nothing was compiled.
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
    engine.run_alone(program, wave, &mut context, options.max_insts).outcome?;
    Ok(engine.profile().iter().max_by_key(|region| region.executed).cloned())
}

struct Report<'a> {
    listing: &'a Listing,
    /// Source lines by address. The program is at the addresses of the file, so they need no conversion.
    lines: SourceLines,
    /// Whether each block of the region is shown.
    shown: Vec<bool>,
    /// Whether the prologue and the exits are shown, too.
    whole: bool,
    profile: Option<&'a RegionProfile>,
    compile_ns: u64,
    width: usize,
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
    loads: Vec<String>,
    reads_or_writes: Vec<String>,
    writes: Vec<String>,
    in_memory: Vec<String>,
    prologue: JsonPart,
    blocks: Vec<JsonBlock>,
    rest: JsonPart,
    segments: Vec<JsonSegment>,
}

#[derive(Serialize)]
struct JsonPart {
    clif: Vec<String>,
    host: Vec<String>,
}

#[derive(Serialize)]
struct JsonBlock {
    pc: String,
    label: String,
    entry: bool,
    fuel_needed: u32,
    to: Vec<String>,
    /// Bytes of the strip that executes rounds of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    strip_bytes: Option<usize>,
    instructions: Vec<JsonInst>,
}

#[derive(Serialize)]
struct JsonInst {
    pc: String,
    text: String,
    /// The source line, as `FILE:LINE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(flatten)]
    code: JsonPart,
}

fn json_part(part: &Part) -> JsonPart {
    JsonPart { clif: part.clif.clone(), host: part.host.clone() }
}

impl Report<'_> {
    /// Returns the blocks that are shown: index, block, and one part for each of its instructions.
    fn blocks(&self) -> impl Iterator<Item = (usize, &Block, &[Part])> {
        let mut parts = self.listing.parts.as_slice();
        let blocks = self.listing.plan.blocks.iter().enumerate().map(move |(i, block)| {
            let (of_block, rest) = parts.split_at(block.insts.len().min(parts.len()));
            parts = rest;
            (i, block, of_block)
        });
        blocks.filter(|(i, ..)| self.shown[*i])
    }

    fn to_json(&self, program: &Program) -> String {
        let listing = self.listing;
        let arch = program.arch();
        let blocks = self.blocks().map(|(i, block, parts)| JsonBlock {
            pc: format!("{:#x}", block.pc),
            label: listing.labels[i].clone(),
            entry: block.is_entry(),
            fuel_needed: block.need,
            to: destinations(listing, block),
            strip_bytes: listing.strips.get(&i).copied(),
            instructions: (block.insts.iter().zip(parts))
                .map(|((pc, inst), part)| JsonInst {
                    pc: format!("{pc:#x}"),
                    text: listing.guest_text(i, inst),
                    source: self.lines.at(*pc),
                    code: json_part(part),
                })
                .collect(),
        });
        let part = |part| json_part(if self.whole { part } else { &NOTHING });
        let region = JsonRegion {
            pc: format!("{:#x}", listing.plan.blocks[0].pc),
            arch: arch.name(),
            instructions: listing.plan.inst_count,
            code_bytes: listing.code_size,
            compile_ns: self.compile_ns,
            entered: self.profile.map(|p| p.entered),
            executed: self.profile.map(|p| p.executed),
            loads: register_names(arch, &listing.loaded),
            reads_or_writes: register_names(arch, &listing.touched),
            writes: register_names(arch, &listing.written),
            in_memory: sgpr_names(arch, listing.in_memory),
            prologue: part(&listing.prologue),
            blocks: blocks.collect(),
            rest: part(&listing.rest),
            segments: self.segments().map(|(number, segment)| self.json_segment(number, segment)).collect(),
        };
        json_line("explain", &region)
    }

    fn to_text(&self, file: &str, arch: Arch) -> String {
        let (listing, mut text) = (self.listing, String::new());
        let plan = &listing.plan;
        let per_inst = listing.code_size as f64 / plan.inst_count as f64;
        let _ = writeln!(text, "{file}: region at {}", listing.labels[0]);
        let _ = writeln!(
            text,
            "{} in {}",
            plural(plan.inst_count as u64, "instruction"),
            plural(plan.blocks.len() as u64, "block")
        );
        let _ = writeln!(
            text,
            "{} bytes of host code ({per_inst:.1} an instruction), compiled in {}",
            grouped(listing.code_size as u64),
            duration(self.compile_ns),
        );
        if let Some(profile) = self.profile {
            let (entered, executed) = (grouped(profile.entered), grouped(profile.executed));
            let _ = writeln!(text, "entered {entered} times, {executed} instructions executed in it");
        }
        self.wrapped(&mut text, "loads ", &register_names(arch, &listing.loaded));
        self.wrapped(&mut text, "writes", &register_names(arch, &listing.written));
        if listing.in_memory != 0 {
            self.wrapped(&mut text, "in memory", &sgpr_names(arch, listing.in_memory));
        }
        if self.whole {
            let _ = writeln!(text, "\n{}", self.bold("prologue"));
            self.columns(&mut text, "", &listing.prologue);
        }
        for (i, block, parts) in self.blocks() {
            let entry = if block.is_entry() { "entry, " } else { "" };
            let to = destinations(listing, block).join(", ");
            let heading = format!("{}: {entry}needs fuel for {}, to {to}", listing.labels[i], block.need);
            let _ = writeln!(text, "\n{}", self.bold(&screen::fit(&heading, self.width)));
            if let Some(&bytes) = listing.strips.get(&i) {
                let bytes = grouped(bytes as u64);
                let _ =
                    writeln!(text, "a strip executes its rounds, 16 lanes after the other: {bytes} bytes of host code");
            }
            let mut before = None;
            for ((pc, inst), part) in block.insts.iter().zip(parts) {
                let source = self.lines.at(*pc);
                if source != before {
                    let _ = writeln!(text, "{}", source.as_deref().unwrap_or("no source line"));
                    before = source;
                }
                let guest = format!("{pc:0width$x}  {}", listing.guest_text(i, inst), width = listing.address_width);
                self.columns(&mut text, &guest, part);
            }
        }
        if self.whole {
            let _ = writeln!(text, "\n{}", self.bold("edges, computed jumps and exits"));
            self.columns(&mut text, "", &listing.rest);
        }
        for (number, segment) in self.segments() {
            self.segment(&mut text, number, segment);
        }
        text
    }

    fn bold(&self, text: &str) -> String {
        if self.colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Writes guest code, IR and host code beside each other. Long lines are cut, except the heads of IR blocks: they
    /// name the registers that values hold, and continue on the next line.
    fn columns(&self, text: &mut String, guest: &str, part: &Part) {
        let host_width = (self.width * 3 / 10).clamp(24, 44);
        let guest_width = (self.width * 27 / 100).clamp(27, 44);
        let clif_width = self.width - guest_width - host_width - 2;
        let clif: Vec<String> = part.clif.iter().flat_map(|line| clif_lines(line, clif_width)).collect();
        for row in 0..clif.len().max(part.host.len()).max(usize::from(!guest.is_empty())) {
            let guest = if row == 0 { guest } else { "" };
            let clif = clif.get(row).map_or("", String::as_str);
            let host = part.host.get(row).map_or("", String::as_str);
            let guest = screen::pad(guest, guest_width);
            let guest = if row == 0 && !guest.trim().is_empty() { self.bold(&guest) } else { guest };
            let line = format!("{guest} {} {}", screen::pad(clif, clif_width), screen::fit(host, host_width));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }

    fn wrapped(&self, text: &mut String, label: &str, names: &[String]) {
        let mut line = label.to_string();
        for name in names {
            if line.len() + 1 + name.len() > self.width {
                let _ = writeln!(text, "{line}");
                line = " ".repeat(label.len());
            }
            line.push(' ');
            line.push_str(name);
        }
        let _ = writeln!(text, "{line}");
    }
}

/// An empty part.
static NOTHING: Part = Part { clif: Vec::new(), host: Vec::new() };

/// Splits or cuts a line of IR to lines of at most `width` characters. Heads of blocks are wrapped, other lines are
/// cut.
fn clif_lines(line: &str, width: usize) -> Vec<String> {
    if !line.ends_with(':') {
        return vec![screen::fit(&format!("  {line}"), width)];
    }
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(", ") {
        let last = lines.last().map_or(0, |last| last.chars().count());
        if last > 4 && last + word.trim_end().chars().count() > width {
            lines.push("    ".to_owned());
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
    }
    lines.iter().map(|line| screen::fit(line.trim_end(), width)).collect()
}

fn sgpr_names(arch: Arch, sgprs: u128) -> Vec<String> {
    // All bits are set if instructions name registers by computed numbers.
    if sgprs == u128::MAX {
        return vec!["registers by computed number".to_string()];
    }
    let mut names = Vec::new();
    let mut code = 0u8;
    while code < 128 {
        let set = |n: u8| n < 128 && sgprs >> n & 1 == 1;
        if !set(code) {
            code += 1;
            continue;
        }
        let first = code;
        while set(code) {
            code += 1;
        }
        match code - first {
            // Up to four registers in a row are named one by one.
            1..=4 => names.extend((first..code).map(|n| scalar_register_name(arch, n))),
            _ => names.push(format!("{}..{}", scalar_register_name(arch, first), scalar_register_name(arch, code - 1))),
        }
    }
    names
}

fn register_names(arch: Arch, set: &RegSet) -> Vec<String> {
    let mut names = sgpr_names(arch, set.sgprs);
    names.extend(set.scc.then(|| "scc".to_string()));
    names.extend(set.mode.then(|| "mode".to_string()));
    names
}

/// Names the destinations of `block`.
fn destinations(listing: &Listing, block: &Block) -> Vec<String> {
    let plan = &listing.plan;
    let edge = |edge: &Edge| match edge {
        Edge::Block(_) => listing.edge_name(edge),
        Edge::Leave(_) => format!("{} (exit)", listing.edge_name(edge)),
    };
    let computed = |blocks: &[usize]| {
        let mut names: Vec<_> = blocks.iter().map(|&i| listing.labels[i].clone()).collect();
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
        End::Barrier(to) => vec![format!("a barrier, then {}", edge(to))],
        End::Ended => vec!["the end".to_string()],
        End::Halted(_) => vec!["a halt".to_string()],
    }
}
