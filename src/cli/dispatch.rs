//! Dispatches by `gcnsim run`: from a launch file, or from flags.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

use super::args::{self, EngineArgs};
use super::output::{self, Colour};
use super::{CommandResult, Exit};
use crate::dispatch::launch::{LaunchFile, LaunchSpec};
use crate::dispatch::report::LaunchReport;
use crate::dispatch::{DispatchOptions, LaunchResult, Launcher};
use crate::engine::RunOptions;
use crate::loader::code_object::CodeObject;
use crate::loader::{self, FileBytes};
use crate::report::ByClass;

/// Arguments of dispatches.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Dispatches")]
pub(super) struct DispatchArgs {
    /// Run the dispatches of a launch file [default: FILE's stem with .toml or .json, if that is one]
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Only the launch with this name or number
    #[arg(long, value_name = "NAME|N", requires = "launch")]
    only: Option<String>,
    /// Work-items of a dispatch of --kernel
    #[arg(long, value_name = "X[,Y,Z]", conflicts_with = "launch", requires = "group")]
    grid: Option<String>,
    /// Work-items of a group
    #[arg(long, value_name = "X[,Y,Z]", requires = "grid")]
    group: Option<String>,
    /// An argument, in order: f32=2.0, i32=1,2,3,4, hex=00ff, buf=FILE, buf=FILE:OUT, out=BYTES:FILE, zero=BYTES, local=BYTES, null
    #[arg(long = "arg", value_name = "ARG", requires = "grid", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Write a buffer to a file after the last launch
    #[arg(long, value_name = "NAME=FILE")]
    dump_buffer: Vec<String>,
    /// Write the launch file with what came out as what is expected
    #[arg(long, value_name = "FILE", requires = "launch", conflicts_with = "only")]
    write_expect: Option<PathBuf>,
    /// Files of a launch file may lie outside its folder
    #[arg(long)]
    allow_outside: bool,
    /// Threads [default: all cores where the order of groups does not matter, else 1]
    #[arg(long, value_name = "N", value_parser = args::u32_number)]
    jobs: Option<u32>,
}

/// What to launch.
pub(super) struct Wanted {
    file: LaunchFile,
    /// The text that it was made of, and whether that is JSON.
    text: (String, bool),
    /// Folder of its files.
    folder: PathBuf,
    allow_outside: bool,
    /// Buffers to write, and where.
    outputs: Vec<(String, PathBuf)>,
}

impl DispatchArgs {
    /// Is there a dispatch to run? A launch file, or flags for one; or a launch file beside a code object.
    pub(super) fn wanted(&self, object: &Path, kernel: Option<&str>) -> anyhow::Result<Option<Wanted>> {
        if self.grid.is_some() {
            return self.wanted_by_flags(kernel).map(Some);
        }
        let Some(path) = self.launch.clone().or_else(|| beside(object)) else { return Ok(None) };
        let text = loader::read_text(&path).with_context(|| path.display().to_string())?;
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if self.launch.is_none()
            && !(if is_json { LaunchFile::is_launch_json(&text) } else { LaunchFile::is_launch_toml(&text) })
        {
            return Ok(None);
        }
        let mut file = LaunchFile::parse(&text, is_json).with_context(|| path.display().to_string())?;
        if let Some(only) = &self.only {
            let names = file.launches.iter().map(|launch| launch.name.clone()).collect::<Vec<_>>().join(", ");
            let number = only.parse::<usize>().ok();
            let index = file.launches.iter().position(|launch| launch.name == *only).or(number);
            match index.filter(|&index| index < file.launches.len()) {
                Some(index) => file.launches = vec![file.launches.swap_remove(index)],
                None => bail!("{}: no launch '{only}'; there are {names}", path.display()),
            }
        }
        if let Some(kernel) = kernel {
            file.launches.retain(|launch| launch.kernel.as_deref() == Some(kernel));
            if file.launches.is_empty() {
                bail!("{}: no launch of kernel '{kernel}'", path.display());
            }
        }
        let folder = path.parent().map_or(PathBuf::new(), Path::to_path_buf);
        let mut outputs = self.dumps()?;
        for spec in file.launches.iter().flat_map(|launch| &launch.buffers).chain(&file.buffers) {
            if let Some(save) = &spec.save {
                outputs.push((spec.name.clone(), folder.join(save)));
            }
        }
        Ok(Some(Wanted { file, text: (text, is_json), folder, allow_outside: self.allow_outside, outputs }))
    }

    fn dumps(&self) -> anyhow::Result<Vec<(String, PathBuf)>> {
        let dump = |text: &String| match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_owned(), PathBuf::from(path))),
            _ => bail!("--dump-buffer {text}: NAME=FILE is expected"),
        };
        self.dump_buffer.iter().map(dump).collect()
    }

    fn wanted_by_flags(&self, kernel: Option<&str>) -> anyhow::Result<Wanted> {
        let sizes = |text: &Option<String>| -> anyhow::Result<Value> {
            let text = text.as_deref().unwrap_or_default();
            let sizes: Result<Vec<u32>, _> = text.split(',').map(|size| size.trim().parse()).collect();
            Ok(sizes.with_context(|| format!("'{text}' is no X[,Y,Z]"))?.into())
        };
        let (mut list, mut buffers, mut outputs) = (Vec::new(), Map::new(), self.dumps()?);
        for (i, text) in self.args.iter().enumerate() {
            let name = format!("arg{i}");
            let (kind, value) = text.split_once('=').unwrap_or((text, ""));
            let pointer = json!({"buffer": name});
            let bytes =
                |text: &str| args::count(text).map_err(|error| anyhow::anyhow!("--arg {kind}={value}: {error}"));
            list.push(match kind {
                "buf" => {
                    let (file, out) = value.split_once(':').map_or((value, None), |(file, out)| (file, Some(out)));
                    buffers.insert(name.clone(), json!({"file": file}));
                    outputs.extend(out.map(|out| (name.clone(), PathBuf::from(out))));
                    pointer
                }
                "out" => {
                    let (size, out) =
                        value.split_once(':').with_context(|| format!("--arg {text}: out=BYTES:FILE is expected"))?;
                    buffers.insert(name.clone(), json!({"size": bytes(size)?}));
                    outputs.push((name.clone(), PathBuf::from(out)));
                    pointer
                }
                "zero" => {
                    buffers.insert(name.clone(), json!({"size": bytes(value)?}));
                    pointer
                }
                "local" => json!({"local": bytes(value)?}),
                "null" => json!({"null": true}),
                "hex" => json!({"hex": value}),
                _ => {
                    let number = |text: &str| -> Value {
                        let text = text.trim();
                        serde_json::from_str(text)
                            .ok()
                            .filter(Value::is_number)
                            .unwrap_or_else(|| Value::String(text.to_owned()))
                    };
                    json!({kind: value.split(',').map(number).collect::<Vec<_>>()})
                }
            });
        }
        let mut launch =
            json!({"grid": sizes(&self.grid)?, "group": sizes(&self.group)?, "args": list, "buffers": buffers});
        if let Some(kernel) = kernel {
            launch["kernel"] = kernel.into();
        }
        let text = json!({"launch": [launch]}).to_string();
        let file = LaunchFile::parse(&text, true).map_err(|error| {
            // The user wrote flags, not a file.
            anyhow::anyhow!(
                "{}: {}",
                error.path.replace("launch[0].args", "--arg ").replace("launch[0].", "--"),
                error.what
            )
        })?;
        Ok(Wanted { file, text: (text, true), folder: PathBuf::new(), allow_outside: true, outputs })
    }
}

/// The launch file that may lie beside a code object.
fn beside(object: &Path) -> Option<PathBuf> {
    if object.as_os_str() == "-" {
        return None;
    }
    let candidates = ["toml", "json"].map(|extension| object.with_extension(extension));
    candidates.into_iter().find(|path| path != object && path.is_file())
}

/// Runs what is wanted and reports each launch.
pub(super) fn execute(
    path: &Path,
    wanted: &Wanted,
    args: &DispatchArgs,
    engine: &EngineArgs,
    max_insts: Option<u64>,
    json: bool,
) -> CommandResult {
    let run = RunOptions { count_classes: json, ..engine.options()? };
    let options = DispatchOptions {
        run,
        jobs: args.jobs.map(|jobs| jobs.max(1) as usize),
        max_insts,
        default_max_insts: None,
        allow_outside: wanted.allow_outside,
    };
    let bytes = FileBytes::read(path).with_context(|| args::name(path))?;
    let object = CodeObject::parse(&bytes).with_context(|| args::name(path))?;
    // Before anything runs.
    for launch in &wanted.file.launches {
        Launcher::kernel(&object, launch.kernel.as_deref()).with_context(|| format!("launch '{}'", launch.name))?;
    }
    let mut launcher = Launcher::new(&object, &wanted.folder, &wanted.file.buffers, &options)?;
    let mut worst = Exit::Success;
    let mut expected = Vec::new();
    let count = wanted.file.launches.len();
    for (i, launch) in wanted.file.launches.iter().enumerate() {
        let bar = progress_bar(launch);
        let result = launcher.launch(launch, &|done| bar.set_position(done));
        bar.finish_and_clear();
        let result = result.with_context(|| format!("{}: launch '{}'", args::name(path), launch.name))?;
        let mut report =
            LaunchReport::new(&launch.name, object.chip, object.arch.name(), options.run.engine.name(), &result);
        if json {
            report.by_class = Some(ByClass(result.run.classes));
        }
        if let Err(error) = &result.run.outcome {
            output::message(error.name(), error);
        }
        print(&report, json, count > 1 && i > 0)?;
        for (name, path) in &wanted.outputs {
            if let Some(bytes) = result.buffer(name) {
                fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        worst = worst.max(match &result.run.outcome {
            Err(_) => Exit::OurFault,
            // An outcome other than `ended` stays what it is, expected or not.
            Ok(_) if report.outcome == "ended" => Exit::Success,
            Ok(_) => Exit::Negative,
        });
        expected.push(result);
    }
    if let Some(path) = &args.write_expect {
        write_expect(path, wanted, &expected)?;
    }
    Ok(worst)
}

fn progress_bar(launch: &LaunchSpec) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(launch.geometry.group_count());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} groups {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(launch.name.clone());
    bar
}

fn print(report: &LaunchReport, json: bool, separated: bool) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if json {
        writeln!(out, "{}", report.to_json())?;
        return Ok(out.flush()?);
    }
    if separated {
        writeln!(out)?;
    }
    let text = report.to_string();
    match text.split_once('\n') {
        Some((first, rest)) if output::colours(&io::stdout()) => {
            let colour = if report.outcome == "ended" { Colour::Green } else { Colour::Red };
            write!(out, "{}\n{rest}", output::paint(first, colour))?;
        }
        _ => out.write_all(text.as_bytes())?,
    }
    Ok(out.flush()?)
}

/// The launch file again, with what came out.
fn write_expect(path: &Path, wanted: &Wanted, results: &[LaunchResult]) -> anyhow::Result<()> {
    let (text, is_json) = &wanted.text;
    let mut value: Value = match is_json {
        true => serde_json::from_str(text)?,
        false => serde_json::to_value(toml::from_str::<toml::Table>(text)?)?,
    };
    let list = match &mut value["launch"] {
        Value::Array(list) => list.iter_mut().collect::<Vec<_>>(),
        one => vec![one],
    };
    for (launch, result) in list.into_iter().zip(results) {
        let outcome = result.run.outcome.as_ref().map_or("internal-error", |outcome| outcome.name());
        let buffers: Map<String, Value> = result
            .buffers
            .iter()
            .map(|buffer| (buffer.name.clone(), json!({"hash": format!("{:016x}", buffer.hash)})))
            .collect();
        launch["expect"] = json!({"outcome": outcome, "instructions": result.run.instructions, "buffers": buffers});
    }
    let text = serde_json::to_string_pretty(&value)? + "\n";
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
