//! `gcnsim launch-template`: prints a launch file to fill in.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::{CommandResult, Exit, args, output};
use crate::dispatch::Launcher;
use crate::dispatch::args::{describe, explicit};
use crate::dispatch::images::Kind;
use crate::loader::TargetChoice;
use crate::loader::code_object::metadata::{Arg, ArgKind};
use crate::loader::code_object::{CodeObject, Kernel};
use crate::quote;

const EXAMPLES: &str = "\
Examples:
  gcnsim launch-template saxpy.co > saxpy.json
  gcnsim launch-template kernels.co --kernel reduce

Every number in it is a guess: fill in sizes, contents and values, then run  gcnsim saxpy.co --launch saxpy.json";

/// Arguments of `launch-template`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Code object (amdhsa, linked), or a bundle, archive or executable with several
    file: PathBuf,
    /// Only the part of a bundle for this target, such as gfx906 or gfx906:xnack+; or the generation of an object that
    /// does not name its own
    #[arg(long)]
    arch: Option<TargetChoice>,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
}

/// Prints a file with a launch for each kernel.
pub(super) fn execute(args: Args) -> CommandResult {
    let bytes = args::load_object(&args.file, args.arch)?;
    let name = || args::quoted(&args.file);
    let (objects, skipped) = CodeObject::choose_parts(&bytes, args.arch.as_ref(), None).with_context(name)?;
    args::note_not_read(&args.file, &skipped);
    let mut seen = HashSet::new();
    // A kernel that is there for several chips gets one launch: its arguments are the same on all.
    let all = objects.iter().flat_map(|object| &object.kernels).filter(|kernel| seen.insert(kernel.name.as_str()));
    let mut kernels: Vec<&Kernel> = all.collect();
    if let Some(wanted) = &args.kernel {
        let object = objects.iter().find(|object| object.has_kernel(wanted)).unwrap_or(&objects[0]);
        kernels = vec![&object.kernels[Launcher::kernel(object, Some(wanted)).with_context(name)?]];
    }
    for kernel in kernels.iter().filter(|kernel| kernel.metadata.is_none()) {
        let (file, name) = (args::quoted(&args.file), quote::name(&kernel.name));
        output::note(format_args!("{file}: no metadata of {name}: list its arguments in order, with their types"));
    }
    let launches: Vec<Value> = kernels.into_iter().map(launch).collect();
    let mut out = output::stdout();
    writeln!(out, "{}", serde_json::to_string_pretty(&json!({ "launch": launches }))?)?;
    out.flush()?;
    Ok(Exit::Success)
}

fn launch(kernel: &Kernel) -> Value {
    let metadata = kernel.metadata.as_ref();
    let group = match metadata.and_then(|metadata| metadata.required_group_size) {
        Some(required) => required.to_vec(),
        None => vec![metadata.and_then(|metadata| metadata.max_group_size).map_or(64, |most| most.min(64))],
    };
    let grid: Vec<u32> = group.iter().map(|size| 4 * size).collect();
    let (mut list, mut buffers, mut images) = (Vec::new(), Map::new(), Map::new());
    for (i, arg) in explicit(kernel).unwrap_or_default().into_iter().enumerate() {
        let name = arg.name.clone().unwrap_or_else(|| format!("arg{i}"));
        list.push(argument(arg, &name));
        if arg.kind == ArgKind::Buffer {
            buffers.insert(name, json!({"fill": {"u32": 0}, "size": 4096}));
        } else if arg.kind == ArgKind::Image {
            images.insert(name, image(arg));
        }
    }
    let mut launch = json!({
        "name": kernel.name, "kernel": kernel.name, "grid": grid, "group": group, "args": list, "buffers": buffers
    });
    if !images.is_empty() {
        launch["images"] = images.into();
    }
    launch
}

/// Makes an example of an image of the argument's type, if that is known; else of two dimensions.
fn image(arg: &Arg) -> Value {
    let (kind, is_depth) = arg.type_name.as_deref().and_then(Kind::of_opencl).unwrap_or((Kind::D2, false));
    let size = &[64, 64, 4][..kind.dimensions()];
    let format = if is_depth { "d32_sfloat" } else { "r8g8b8a8_unorm" };
    let mut image = json!({"type": kind.name(), "size": size, "format": format, "fill": {"u8": 0}});
    if is_depth {
        image["fill"] = json!({"f32": 0.0});
    }
    if kind.has_layers() {
        image["layers"] = 2.into();
    }
    image
}

/// Makes an example value of the argument's size. Its type follows the argument's type name, if that is known.
fn argument(arg: &Arg, name: &str) -> Value {
    match arg.kind {
        ArgKind::Buffer => json!({ "buffer": name }),
        ArgKind::Local => json!({"local": 256}),
        ArgKind::ByValue => {
            let text = describe(arg);
            let float = text.split_whitespace().next().is_some_and(|ty| matches!(ty, "float" | "double" | "half"));
            match (arg.size, float) {
                (2, true) => json!({"f16": 0.0}),
                (4, true) => json!({"f32": 0.0}),
                (8, true) => json!({"f64": 0.0}),
                (1, _) => json!({"u8": 0}),
                (2, _) => json!({"u16": 0}),
                (4, _) => json!({"u32": 0}),
                (8, _) => json!({"u64": 0}),
                (size, _) => json!({"hex": "00".repeat(size.min(4096) as usize)}),
            }
        }
        ArgKind::Image => json!({ "image": name }),
        ArgKind::Sampler => json!({"sampler": {"address": "clamp_to_edge", "filter": "nearest", "normalized": true}}),
        ArgKind::Pipe | ArgKind::Queue | ArgKind::Hidden(_) => {
            json!({"null": true})
        }
    }
}
