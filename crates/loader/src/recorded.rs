//! Launch files that name their code: `launch.json` in a folder of its own, as recordings have it
//! (docs/use/recordings.md).
//!
//! Such a file, or its folder, stands for the code that it launches: the code object that its key `program` names, or
//! one that is made of the raw code of its launches by registers. Only what says where code is is read here.

use std::path::{Component, Path, PathBuf};

use object::elf::SHF_EXECINSTR;
use serde_json::Value;

use crate::bytes::{FileBytes, read_text};
use crate::driver::image::{Image, Piece};
use crate::error::LoadError;
use crate::{PROGRAM_LIMIT, TargetChoice, machine};

/// Name of a launch file that names its code.
pub const LAUNCH: &str = "launch.json";
/// Name of the list of a recording, which is beside the folders of its launches.
pub const LIST: &str = "record.jsonl";
/// Name of the folder of a recording that has the contents of memory.
pub const DATA: &str = "data";

/// Type of a symbol of a function.
const FUNCTION: u8 = 2;
/// Size of a kernel descriptor in bytes.
const DESCRIPTOR: usize = 64;
/// Size of an ELF header in bytes.
const HEADER: usize = 64;

/// Returns the path of the launch file that `path` stands for: itself, or the one in a folder. `None` if it is neither.
pub fn launch_file(path: &Path) -> Option<PathBuf> {
    if is_launch_file(path) {
        return Some(path.to_owned());
    }
    let inside = path.join(LAUNCH);
    (path.is_dir() && inside.is_file()).then_some(inside)
}

/// Whether the path has the name of a launch file that names its code.
pub fn is_launch_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == LAUNCH)
}

/// Whether the file at `path` names its code, even if it is broken. What else is in its folder belongs to it then.
pub fn names_code(path: &Path) -> bool {
    let Ok(text) = read_text(path) else { return false };
    match serde_json::from_str::<Value>(&text) {
        Ok(tree) => {
            tree.get("launch").is_some()
                && (tree.get("program").is_some() || launches(&tree).any(|launch| launch.get("registers").is_some()))
        }
        Err(error) => !error.is_data() && ["\"registers\"", "\"program\""].iter().any(|key| text.contains(key)),
    }
}

/// Whether a folder of a recording has a launch: its name begins with the launch's number. Others have contents of
/// memory, or are not complete.
pub fn is_of_launch(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split_once('-').is_some_and(|(number, _)| number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a launch file in `folder` may name `path` for reading: a path inside the folder, or one of the contents of
/// the recording that the folder belongs to.
pub fn may_name(folder: &Path, path: &Path) -> bool {
    let mut parts = path.components();
    if parts.clone().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return true;
    }
    let is_data = parts.next() == Some(Component::ParentDir)
        && parts.next().is_some_and(|part| part.as_os_str() == DATA)
        && matches!(parts.next(), Some(Component::Normal(_)))
        && parts.next().is_none();
    is_data && folder.join("..").join(LIST).is_file()
}

/// Reads the code that a launch file stands for: the bytes of a code object.
pub(crate) fn code(path: &Path) -> Result<FileBytes, LoadError> {
    let wrong = |what: String| LoadError::LaunchFile { what };
    let tree: Value = serde_json::from_str(&read_text(path)?).map_err(|error| wrong(format!("no JSON: {error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = |name: &str| -> Result<FileBytes, LoadError> {
        let named = Path::new(name);
        if !may_name(folder, named) {
            return Err(wrong(format!("{name} leaves the folder of the launch file")));
        }
        FileBytes::read(&folder.join(named)).map_err(|error| wrong(format!("{name}: {error}")))
    };
    match tree.get("program") {
        Some(Value::String(name)) => read(name),
        Some(_) => Err(wrong("program: no string".to_owned())),
        None => made(&tree, read),
    }
}

fn launches(tree: &Value) -> impl Iterator<Item = &Value> {
    let one_or_many = tree.get("launch").map(|launch| match launch {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    });
    one_or_many.unwrap_or_default().iter()
}

/// Makes a code object of the code of launches by registers: a kernel for each, with the name that it has there.
fn made(tree: &Value, read: impl Fn(&str) -> Result<FileBytes, LoadError>) -> Result<FileBytes, LoadError> {
    let mut file = vec![0; HEADER];
    let mut kernels = Vec::new();
    let mut processor: Option<&str> = None;
    for (number, launch) in launches(tree).enumerate() {
        let wrong = |what: &str| LoadError::LaunchFile { what: format!("launch[{number}]{what}") };
        let registers = launch.get("registers").ok_or_else(|| wrong(": neither 'registers' here nor a 'program'"))?;
        let wrong = |what: &str| LoadError::LaunchFile { what: format!("launch[{number}].registers.{what}") };
        let arch = registers.get("arch").and_then(Value::as_str).ok_or_else(|| wrong("arch: there is none"))?;
        if processor.is_some_and(|other| other != arch) {
            return Err(wrong("arch: launches of one file are for one processor"));
        }
        processor = Some(arch);
        let code = registers.get("code").and_then(Value::as_str).ok_or_else(|| wrong("code: there is none"))?;
        let code = read(code)?;
        let len = code.as_ref().len() as u64;
        if len > PROGRAM_LIMIT {
            return Err(LoadError::ProgramTooLong { length: len });
        }
        let integer = |key: &str| registers.get(key).and_then(integer);
        let base = integer("base").ok_or_else(|| wrong("base: there is none"))?;
        let entry = integer("pc").unwrap_or(base).wrapping_sub(base);
        if entry >= len || !entry.is_multiple_of(4) {
            return Err(wrong("pc: there is no instruction in the code"));
        }
        let mut descriptor = [0; DESCRIPTOR];
        let fields = [("lds_bytes", 0), ("scratch_bytes_per_lane", 4), ("rsrc1", 48), ("rsrc2", 52)];
        for (key, at) in fields {
            let value = integer(key).unwrap_or(0) as u32;
            descriptor[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        let at = file.len() as u64;
        file.extend(descriptor);
        file.extend(code.as_ref());
        file.resize(file.len().next_multiple_of(HEADER), 0);
        kernels.push((kernel_name(launch, number), at, len, entry));
    }
    let processor = processor.ok_or_else(|| LoadError::LaunchFile { what: "no launches".to_owned() })?;
    object(&file, &kernels, processor)
}

/// Returns the name of the kernel of launch `number` by registers, in the object that is made of its code.
pub fn kernel_name(launch: &Value, number: usize) -> String {
    let text = |key: &str| launch.get(key).and_then(Value::as_str).map(str::to_owned);
    text("kernel").or_else(|| text("name")).unwrap_or_else(|| number.to_string())
}

/// A kernel of an object that is made: its name, the place of its descriptor in the file with the code behind it, the
/// size of the code and the offset of its first instruction in bytes.
type Kernel = (String, u64, u64, u64);

fn object(file: &[u8], kernels: &[Kernel], processor: &str) -> Result<FileBytes, LoadError> {
    let wrong = |what: String| LoadError::LaunchFile { what };
    let target: TargetChoice = processor.parse().map_err(|error| wrong(format!("arch: {error}")))?;
    let mach = target.processor.and_then(machine::mach_of).or_else(|| machine::mach_of_arch(target.arch));
    let mach = mach.ok_or_else(|| wrong(format!("arch: no processor '{processor}'")))?;
    let mut image = Image::new(file);
    let too_large = |(_, what): (u64, String)| wrong(what);
    let mut codes: Vec<Piece> = Vec::new();
    for (name, at, len, _) in kernels {
        let place = (at + DESCRIPTOR as u64, *len);
        codes.push(image.load(name, place, *len, SHF_EXECINSTR.0).map_err(too_large)?);
    }
    let mut bytes = file.to_vec();
    for ((name, at, len, entry), code) in kernels.iter().zip(&codes) {
        image.symbol(name, FUNCTION, *code, (*entry, len - entry));
        let place = (*at, DESCRIPTOR as u64);
        let descriptor = image.load(&format!("{name}.kd"), place, DESCRIPTOR as u64, 0).map_err(too_large)?;
        image.symbol(&format!("{name}.kd"), 1, descriptor, (0, DESCRIPTOR as u64));
        let distance = code.address.wrapping_add(*entry).wrapping_sub(descriptor.address);
        let field = *at as usize + 16;
        bytes[field..field + 8].copy_from_slice(&distance.to_le_bytes());
    }
    let mut made = image.finish(mach, 64).map_err(too_large)?;
    made[HEADER..bytes.len()].copy_from_slice(&bytes[HEADER..]);
    // The version of the ABI: a code object of version 3.
    made[8] = 1;
    Ok(FileBytes::from(made))
}

/// Returns a number, or one in a string `"0x.."`.
fn integer(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => u64::from_str_radix(text.strip_prefix("0x").or(text.strip_prefix("0X"))?, 16).ok(),
        _ => None,
    }
}
