//! `gcnsim launch-template`: prints a launch file to fill in.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Value, json};

use super::{CommandResult, Exit, args, output};
use gcnsim_device::args::explicit;
use gcnsim_device::images::Kind;
use gcnsim_engine::quote;
use gcnsim_launches::Launcher;
use gcnsim_launches::launch::NumberType;
use gcnsim_loader::TargetChoice;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};
use gcnsim_loader::code_object::{CodeObject, Kernel};

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
    let launches: Vec<String> = kernels.into_iter().map(|kernel| Launch::of(kernel).text()).collect();
    let mut out = output::stdout_for(true);
    writeln!(out, "{{\n  \"launch\": [\n{}\n  ]\n}}", launches.join(",\n"))?;
    out.flush()?;
    Ok(Exit::Success)
}

/// A launch to fill in.
struct Launch {
    kernel: String,
    grid: Vec<u32>,
    group: Vec<u32>,
    args: Vec<Value>,
    /// Buffers by name, in the order of the arguments.
    buffers: Vec<(String, Value)>,
    /// Images by name, in the order of the arguments.
    images: Vec<(String, Value)>,
}

impl Launch {
    /// Makes a launch of a kernel, with guesses for everything that the metadata does not say.
    fn of(kernel: &Kernel) -> Launch {
        let metadata = kernel.metadata.as_ref();
        let group = match metadata.and_then(|metadata| metadata.required_group_size) {
            Some(required) => required.to_vec(),
            None => vec![metadata.and_then(|metadata| metadata.max_group_size).map_or(64, |most| most.min(64))],
        };
        let grid = group.iter().map(|size| 4 * size).collect();
        let (mut args, mut buffers, mut images) = (Vec::new(), Vec::new(), Vec::new());
        for (i, arg) in explicit(kernel).unwrap_or_default().into_iter().enumerate() {
            let name = arg.name.clone().unwrap_or_else(|| format!("arg{i}"));
            args.push(argument(arg, &name));
            let is_new = |list: &[(String, Value)]| list.iter().all(|(other, _)| *other != name);
            if arg.kind == ArgKind::Buffer && is_new(&buffers) {
                let ty = arg.type_name.as_deref().and_then(NumberType::of_source).map_or(NumberType::U32, |(ty, _)| ty);
                buffers.push((name, json!({"fill": { ty.name(): zero(ty) }, "size": 4096})));
            } else if arg.kind == ArgKind::Image && is_new(&images) {
                images.push((name, image(arg)));
            }
        }
        Launch { kernel: kernel.name.clone(), grid, group, args, buffers, images }
    }

    /// Returns the launch as JSON: keys in the order of docs/use/launch-files.md#a-launch, and a line for each
    /// argument, buffer and image.
    fn text(&self) -> String {
        let named = |(name, value): &(String, Value)| format!("{}: {}", in_line(&json!(name)), in_line(value));
        let lists = [
            ("args", '[', ']', self.args.iter().map(in_line).collect::<Vec<_>>()),
            ("buffers", '{', '}', self.buffers.iter().map(named).collect()),
            ("images", '{', '}', self.images.iter().map(named).collect()),
        ];
        let (name, grid, group) =
            (in_line(&json!(self.kernel)), in_line(&json!(self.grid)), in_line(&json!(self.group)));
        let mut text =
            format!("    {{\n      \"name\": {name}, \"kernel\": {name}, \"grid\": {grid}, \"group\": {group}");
        for (key, open, close, lines) in lists.into_iter().filter(|(.., lines)| !lines.is_empty()) {
            let lines = lines.join(",\n        ");
            text.push_str(&format!(",\n      \"{key}\": {open}\n        {lines}\n      {close}"));
        }
        text + "\n    }"
    }
}

/// A writer of JSON in one line, with spaces behind commas and colons.
struct OneLine;

impl Formatter for OneLine {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        if is_first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        if is_first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

fn in_line(value: &Value) -> String {
    let mut text = Vec::new();
    // Memory takes all that is written.
    let written = value.serialize(&mut Serializer::with_formatter(&mut text, OneLine));
    written.map_or_else(|_| value.to_string(), |()| String::from_utf8_lossy(&text).into_owned())
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
            if let Some(value) = arg.type_name.as_deref().and_then(|name| number(name, arg.size)) {
                return value;
            }
            match arg.size {
                1 => json!({"u8": 0}),
                2 => json!({"u16": 0}),
                4 => json!({"u32": 0}),
                8 => json!({"u64": 0}),
                size => json!({"hex": "00".repeat(size.min(4096) as usize)}),
            }
        }
        ArgKind::Image => json!({ "image": name }),
        ArgKind::Sampler => json!({"sampler": {"address": "clamp_to_edge", "filter": "nearest", "normalized": true}}),
        ArgKind::Pipe | ArgKind::Queue | ArgKind::Hidden(_) => {
            json!({"null": true})
        }
    }
}

/// Returns zeros of a type of OpenCL C, such as `float4`, if it has so many bytes.
fn number(type_name: &str, size: u64) -> Option<Value> {
    let (ty, count) = NumberType::of_source(type_name).filter(|_| !type_name.contains('*'))?;
    // Three numbers take the room of four.
    let has_room = size == ty.size() as u64 * if count == 3 { 4 } else { u64::from(count) };
    has_room.then(|| match count {
        1 => json!({ ty.name(): zero(ty) }),
        _ => json!({ ty.name(): vec![zero(ty); count.into()] }),
    })
}

fn zero(ty: NumberType) -> Value {
    if ty.is_float() { json!(0.0) } else { json!(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_give_numbers() {
        assert_eq!(number("float", 4), Some(json!({"f32": 0.0})));
        assert_eq!(number("int3", 16), Some(json!({"i32": [0, 0, 0]})));
        assert_eq!(number("uchar16", 16).map(|value| in_line(&value).len()), Some(r#"{"u8": []}"#.len() + 16 + 15 * 2));
        for (name, size) in [("float", 8), ("Big", 4), ("int3", 12), ("float0", 4), ("", 4), ("7", 4)] {
            assert_eq!(number(name, size), None, "{name}");
        }
    }

    #[test]
    fn a_launch_has_its_keys_in_order() {
        let launch = Launch {
            kernel: "a \"b\"".to_owned(),
            grid: vec![256, 4],
            group: vec![64, 1],
            args: vec![json!({"buffer": "x"}), json!({"i32": [0, 0]})],
            buffers: vec![("x".to_owned(), json!({"fill": {"u32": 0}, "size": 4096}))],
            images: Vec::new(),
        };
        let expected = r#"    {
      "name": "a \"b\"", "kernel": "a \"b\"", "grid": [256, 4], "group": [64, 1],
      "args": [
        {"buffer": "x"},
        {"i32": [0, 0]}
      ],
      "buffers": {
        "x": {"fill": {"u32": 0}, "size": 4096}
      }
    }"#;
        assert_eq!(launch.text(), expected);
    }
}
