//! Cases that diverged, as files: `corpus/regress/<what>-<mnemonic>.bin` with a sidecar. The sidecar holds the initial
//! state and the result of the interpreter. The test suite runs all of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use gcnsim_isa::{Arch, Opcode, Sopp, WaveState, reg};
use gcnsim_machine::{Context, Place};

use super::CaseRun;
pub use super::case_file::ReadError;
use super::case_file::{comment, listing};
use super::{differential, launch_file};
use crate::generate::Case;
use gcnsim_engine::memory_file::{ApertureSpec, LdsSpec, Region, hex_of_bytes};
use gcnsim_engine::state_file::StateSpec;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;

/// Names a shrunk case: the kind of difference, and the last instruction other than S_NOP and S_ENDPGM.
pub fn name(run: &CaseRun) -> String {
    let kind = run.divergence.as_ref().map_or("agree", |divergence| divergence.kind());
    let quiet = [Opcode::Sopp(Sopp::SNop), Opcode::Sopp(Sopp::SEndpgm)];
    let insts = listing(&run.case).into_iter().rev().filter_map(|(_, opcode, _)| opcode);
    let mnemonic = insts.filter(|o| !quiet.contains(o)).map(|o| o.desc().mnemonic).next().unwrap_or("nothing");
    format!("{kind}-{}", mnemonic.replace('_', "-"))
}

/// Returns the report of a divergence for people: program, state, settings and differences.
pub fn describe(run: &CaseRun, rerun: &str) -> String {
    let mut text = String::new();
    let CaseRun { case, settings, .. } = run;
    let _ = writeln!(text, "found by: {rerun}\nsettings: {settings}");
    let _ = writeln!(text, "program ({}, base {:#x}, entry {:#x}):", case.arch, case.base, 4 * case.entry);
    for (at, _, line) in listing(case) {
        let _ = writeln!(text, "    {:#06x}  {line}", case.base + 4 * at as u64);
    }
    match &case.launch {
        Some(launch) => text.push_str(&launch_file::describe(launch)),
        None => {
            let _ = writeln!(text, "initial state:");
            for line in initial_toml(case).lines() {
                let _ = writeln!(text, "    {line:.400}");
            }
        }
    }
    let Some(divergence) = &run.divergence else { return text };
    let _ = writeln!(text, "differences (expected: interpreter):");
    for difference in &divergence.differences {
        let _ = writeln!(text, "    {difference}");
    }
    if let Some(report) = &divergence.report {
        text.push_str(report);
    }
    text
}

/// Returns the files of a case, with names that no file in `directory` has. The last one is the program, or the code
/// object of a dispatch; before it is its sidecar or launch file.
pub fn files(directory: &Path, name: &str, run: &CaseRun, rerun: &str) -> [(PathBuf, Vec<u8>); 2] {
    let extension = if run.case.launch.is_some() { "co" } else { "bin" };
    let mut path = directory.join(format!("{name}.{extension}"));
    let mut number = 2;
    // The sidecar of a program and the launch file of a dispatch have the same extension.
    while path.exists() || path.with_extension("toml").exists() {
        path = directory.join(format!("{name}-{number}.{extension}"));
        number += 1;
    }
    let (bytes, text) = match &run.case.launch {
        Some(launch) => launch_file::contents(run, launch, rerun),
        None => (run.case.words.iter().flat_map(|word| word.to_le_bytes()).collect(), sidecar(run, rerun)),
    };
    [(path.with_extension("toml"), text.into_bytes()), (path, bytes)]
}

/// Returns the text of the sidecar.
fn sidecar(run: &CaseRun, rerun: &str) -> String {
    let CaseRun { case, settings, .. } = run;
    let mut text = comment(run, rerun);
    if case.base != 0 {
        let _ = writeln!(text, "{BASE}{:#x}", case.base);
    }
    let _ = writeln!(text, "arch = \"{}\"\nentry = {}\nmax_insts = {}", case.arch, 4 * case.entry, settings.total());
    let _ = write!(text, "\n{}", tables("state", &initial_toml(case)));
    let Ok(reference) = differential::caught(|| differential::interpret(case, settings.total(), false)) else {
        return text;
    };
    let (outcome, executed) = (reference.outcome.name(), reference.wave.executed);
    let _ = writeln!(text, "\n[expect]\noutcome = \"{outcome}\"\ninstructions = {executed}\n");
    let memory = memory_toml(&memory_after(case, &reference.context));
    text.push_str(&tables("expect.state", &(memory + &state_toml(&reference.wave, None, &case.vgprs))));
    text
}

/// Beginning of the comment line with the base address. Sidecars have no key for it.
const BASE: &str = "# base: ";

/// Nests the tables of `state` under `key`.
fn tables(key: &str, state: &str) -> String {
    format!(
        "[{key}]\n{}",
        state.replace("[sgpr]", &format!("[{key}.sgpr]")).replace("[vgpr]", &format!("[{key}.vgpr]"))
    )
}

/// Returns the initial state of a case as TOML.
fn initial_toml(case: &Case) -> String {
    memory_toml(&case.outside) + &state_toml(&case.wave(), Some(case.arch), &VgprFile::zeroed())
}

/// Returns memory, LDS, GDS and apertures as TOML. They come before the tables of a state.
fn memory_toml(spec: &StateSpec) -> String {
    let mut text = String::new();
    let regions: Vec<_> = spec
        .memory
        .iter()
        .map(|region| format!("{{base = \"{:#x}\", hex = \"{}\"}}", region.base, hex_of_bytes(&region.bytes)))
        .collect();
    if !regions.is_empty() {
        let _ = writeln!(text, "memory = [{}]", regions.join(", "));
    }
    for (name, share) in [("lds", &spec.lds), ("gds", &spec.gds)] {
        let Some(share) = share else { continue };
        let size = share.size.map_or(String::new(), |size| format!("size = {size}, "));
        let used = share.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let _ = writeln!(text, "{name} = {{{size}hex = \"{}\"}}", hex_of_bytes(&share.bytes[..used]));
    }
    if let Some(ApertureSpec { shared, private, hidden_private_base: base }) = spec.apertures {
        let _ = writeln!(
            text,
            "apertures = {{shared = \"{shared:#x}\", private = \"{private:#x}\", hidden_private_base = \"{base:#x}\"}}"
        );
    }
    text
}

/// Returns the memory, LDS and GDS of a case after a run.
fn memory_after(case: &Case, context: &Context) -> StateSpec {
    let after = |region: &Region| {
        let addresses = (region.base..).take(region.bytes.len());
        Region::new(region.base, addresses.map(|at| context.byte(Place::Memory, at)).collect())
    };
    let share =
        |bytes: &[u8], spec: &Option<LdsSpec>| spec.is_some().then(|| LdsSpec { size: None, bytes: bytes.to_vec() });
    StateSpec {
        memory: case.outside.memory.iter().map(after).collect(),
        lds: share(&context.lds, &case.outside.lds),
        gds: share(&context.gds, &case.outside.gds),
        ..StateSpec::default()
    }
}

/// Returns a state as TOML. If `from` is a generation, PC and values that equal its initial state are left out.
/// Vector registers are included if they differ from `vgprs`, even if they are 0.
fn state_toml(wave: &Wave, from: Option<Arch>, vgprs: &VgprFile) -> String {
    let mut text = String::new();
    let state = &wave.state;
    let fresh = from.map(|arch| WaveState::initial(arch, 0));
    let differs = |of: &dyn Fn(&WaveState) -> u64| fresh.as_ref().is_none_or(|fresh| of(fresh) != of(state));
    for (name, value) in [("vcc", state.vcc()), ("exec", state.exec())] {
        if differs(&|s| if name == "vcc" { s.vcc() } else { s.exec() }) {
            let _ = writeln!(text, "{name} = \"{value:#x}\"");
        }
    }
    type Field = (&'static str, fn(&WaveState) -> u32);
    let fields: [Field; 4] =
        [("m0", |s| s.sgpr[reg::M0 as usize]), ("scc", |s| s.scc), ("mode", |s| s.mode), ("trapsts", |s| s.trapsts)];
    for (name, field) in fields {
        if differs(&|s| field(s) as u64) {
            let _ = writeln!(text, "{name} = \"{:#x}\"", field(state));
        }
    }
    if from.is_none() {
        let _ = writeln!(text, "pc = \"{:#x}\"", state.pc);
    }
    let spec = StateSpec::of_wave(wave);
    let elsewhere = [reg::VCC_LO, reg::VCC_HI, reg::M0, reg::EXEC_LO, reg::EXEC_HI];
    text.push_str("[sgpr]\n");
    for (code, value) in spec.sgpr.iter().filter(|(code, _)| !elsewhere.contains(code)) {
        let _ = writeln!(text, "{code} = \"{value:#x}\"");
    }
    let pairs = wave.vgprs.regs().iter().zip(vgprs.regs()).enumerate();
    let mut changed = pairs.filter(|(_, (is, was))| is != was).peekable();
    if changed.peek().is_some() {
        text.push_str("[vgpr]\n");
    }
    for (n, (lanes, _)) in changed {
        let _ = writeln!(text, "{n} = {:?}", lanes.0);
    }
    text
}

/// A case that was read from its files.
#[derive(Debug)]
pub struct Regression {
    /// The program and its initial state.
    pub case: Case,
    /// Budget of the run in instructions.
    pub budget: u64,
    /// The sidecar, with the expected result.
    pub sidecar: Sidecar,
}

/// Reads a case whose [`files`] lie at `path` and beside it.
///
/// # Errors
/// [`ReadError`]
pub fn read(path: &Path) -> Result<Regression, ReadError> {
    let bytes = fs::read(path)?;
    let text = fs::read_to_string(path.with_extension("toml"))?;
    let sidecar = Sidecar::parse(&text)?;
    let base = text
        .lines()
        .find_map(|line| line.strip_prefix(BASE))
        .and_then(|base| gcnsim_engine::number::parse(base, 64).ok());
    let base = base.unwrap_or(0);
    let arch = sidecar.arch.unwrap_or(Arch::Gcn14);
    let entry = sidecar.entry.unwrap_or(0);
    let mut wave = Wave::from_state(WaveState::initial(arch, base.wrapping_add(entry)));
    let mut outside = StateSpec::default();
    if let Some(state) = &sidecar.state {
        state.apply(&mut wave);
        let StateSpec { memory, lds, gds, apertures, .. } = state.clone();
        outside = StateSpec { memory, lds, gds, apertures, ..outside };
    }
    let (words, _) = bytes.as_chunks::<4>();
    let case = Case {
        arch,
        words: words.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect(),
        base,
        entry: entry as usize / 4,
        state: wave.state,
        vgprs: wave.vgprs.clone(),
        outside,
        launch: None,
    };
    Ok(Regression { case, budget: sidecar.max_insts.unwrap_or(super::settings::FULL_BUDGET), sidecar })
}
