//! Launch files: dispatches of a code object's kernels, their arguments, buffers and expected results, in TOML or JSON.
//!
//! Reading a file ([`LaunchFile::parse`]) checks everything that can be checked without the code object; errors state
//! the place, for example `launch[0].args[2].f32`. Contents of buffers are made by [`BufferSpec::given`].

mod buffer;
mod expect;
mod identity;
mod image;
mod named;
mod registers;
mod tree;
mod value;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::Sha256;

pub use buffer::{At, BufferError, BufferSpec, Content, Given};
pub use expect::{Actual, Check, CheckKind, Expect, Tolerance};
use gcnsim_device::args::ArgValue;
use gcnsim_device::geometry::Geometry;
use gcnsim_loader::recorded;
pub use image::{number_type, sampler_of_json, shape_of_json};
pub use named::named_files;
pub use registers::{Allocation, RegistersSpec};
pub use tree::LaunchError;
use tree::{Node, Read};
pub use value::{NumberType, split_mix};

/// A launch file.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchFile {
    /// Buffers and images that all launches share. If there are any, launches run in order on the same memory.
    pub buffers: Vec<BufferSpec>,
    /// The launches.
    pub launches: Vec<LaunchSpec>,
}

/// A dispatch as a launch file describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchSpec {
    /// Name of the launch; by default its number in the file.
    pub name: String,
    /// Name of the kernel; `None` means the object's only one.
    pub kernel: Option<String>,
    /// Sizes of grid and groups, and the global offset.
    pub geometry: Geometry,
    /// Explicit arguments.
    pub args: Vec<ArgValue>,
    /// Buffers and images that only this launch has, or its memory at fixed addresses.
    pub buffers: Vec<BufferSpec>,
    /// How a launch by registers starts. Such a launch has no arguments, and is of the geometry of its registers.
    pub registers: Option<RegistersSpec>,
    /// Expected results.
    pub expect: Option<Expect>,
    /// Budget in instructions, if the launch states one.
    pub max_insts: Option<u64>,
    /// Text of the launch in the file without its name, as JSON with sorted keys. It identifies the launch.
    pub text: String,
}

/// A launch file in which single launches may be wrong.
#[derive(Clone, Debug)]
pub struct LaunchDraft {
    /// Buffers and images that all launches share.
    pub buffers: Vec<BufferSpec>,
    /// File with the code that is launched, as the launch file states it. `None` if the file lies beside the code.
    pub program: Option<PathBuf>,
    /// Text of the shared buffers and images in the file, as JSON with sorted keys.
    pub buffers_text: String,
    /// The launches with their names. A wrong launch is its error.
    pub launches: Vec<(String, Result<LaunchSpec, LaunchError>)>,
    /// For each launch, if they share buffers: the SHA-256 over the texts up to its own, and the number of `files` that
    /// the launches up to it read.
    chain: Vec<(Sha256, usize)>,
    /// Files that launches read, in order.
    files: Vec<PathBuf>,
}

/// Languages of launch files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// JSON.
    Json,
    /// TOML.
    Toml,
}

impl Syntax {
    /// Returns the language of the file at `path`: JSON if its extension says so.
    pub fn of_path(path: &Path) -> Syntax {
        if path.extension().is_some_and(|extension| extension == "json") { Syntax::Json } else { Syntax::Toml }
    }
}

/// Whether launch files may name files outside their folder.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Outside {
    /// They may not.
    #[default]
    Refused,
    /// They may.
    Allowed,
}

impl Outside {
    /// Whether a launch file in `folder` may name `path` for reading.
    pub(crate) fn allows(self, folder: &Path, path: &Path) -> bool {
        self == Outside::Allowed || recorded::may_name(folder, path)
    }
}

impl LaunchFile {
    /// Reads the text of a launch file.
    ///
    /// # Errors
    /// [`LaunchError`] that states the place.
    pub fn parse(text: &str, syntax: Syntax) -> Result<LaunchFile, LaunchError> {
        LaunchFile::try_from(LaunchDraft::parse(text, syntax)?)
    }

    /// Whether `text` is TOML of a launch file. (Otherwise it is a sidecar of raw programs.)
    pub fn is_launch_toml(text: &str) -> bool {
        toml::from_str::<toml::Table>(text).is_ok_and(|table| table.contains_key("launch"))
    }

    /// Whether `text`, which has no key `launch`, may be meant as a launch file: it has other keys of one, or a key
    /// that is nearly `launch`.
    pub fn is_lookalike(text: &str, syntax: Syntax) -> bool {
        const KEYS: [&str; 6] = ["kernel", "grid", "group", "args", "buffers", "dispatch"];
        let is_like = |key: &str| {
            let key = key.to_ascii_lowercase();
            KEYS.contains(&key.as_str()) || strsim::damerau_levenshtein(&key, "launch") <= 2
        };
        // A launch file with a duplicate key is wrong, but still meant as a launch file.
        let tree = match syntax {
            Syntax::Json => serde_json::from_str(text).ok(),
            Syntax::Toml => tree::parse(text, syntax).ok(),
        };
        match tree {
            Some(Value::Object(table)) => !table.contains_key("launch") && table.keys().any(|key| is_like(key)),
            // The list may be a list of launches without the table around it.
            Some(Value::Array(list)) => {
                let keys = list.first().and_then(Value::as_object).into_iter().flat_map(|table| table.keys());
                keys.into_iter().any(|key| is_like(key))
            }
            _ => false,
        }
    }

    /// Whether `text` is JSON of a launch file, even of a broken one.
    pub fn is_launch_json(text: &str) -> bool {
        // Only the keys are read; `IgnoredAny` skips the values.
        match serde_json::from_str::<BTreeMap<Cow<'_, str>, IgnoredAny>>(text) {
            Ok(table) => table.contains_key("launch"),
            Err(error) => !error.is_data() && text.contains("\"launch\""),
        }
    }
}

/// Returns the text of a launch file as a tree. Dates become strings, and so do floats that JSON does not have.
///
/// # Errors
/// [`LaunchError`] if the text is not TOML, or not JSON, as `syntax` says.
pub fn parse_tree(text: &str, syntax: Syntax) -> Result<Value, LaunchError> {
    tree::parse(text, syntax)
}

impl TryFrom<LaunchDraft> for LaunchFile {
    type Error = LaunchError;

    /// Fails with the error of the first wrong launch.
    fn try_from(draft: LaunchDraft) -> Result<LaunchFile, LaunchError> {
        let launches = draft.launches.into_iter().map(|(_, launch)| launch).collect::<Result<_, _>>()?;
        Ok(LaunchFile { buffers: draft.buffers, launches })
    }
}

impl LaunchDraft {
    /// Reads the text of a launch file.
    ///
    /// # Errors
    /// [`LaunchError`] if the file as a whole is wrong.
    pub fn parse(text: &str, syntax: Syntax) -> Result<LaunchDraft, LaunchError> {
        let value = tree::parse(text, syntax)?;
        let root = Node::root(&value);
        root.allow(&["program", "buffers", "images", "launch"])?;
        let program = root.get("program").map(|program| program.text().map(PathBuf::from)).transpose()?;
        let buffers = buffers(&root)?;
        let shared: HashSet<&str> = buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        let mut names = HashSet::new();
        let mut launches: Vec<(String, Result<LaunchSpec, LaunchError>)> = Vec::new();
        for (i, node) in root.need("launch")?.list_or_one()?.iter().enumerate() {
            let name = node.value.get("name").and_then(Value::as_str).map_or_else(|| i.to_string(), str::to_owned);
            let read = launch(node, i).and_then(|launch| {
                if launch.registers.is_some() && !buffers.is_empty() {
                    return Err(node.error("a launch by registers shares no buffers"));
                }
                let mut launch = launch;
                if launch.registers.is_some() && program.is_some() && node.get("kernel").is_none() {
                    launch.kernel = None;
                }
                if let Some(both) = launch.buffers.iter().find(|own| shared.contains(own.name.as_str())) {
                    return Err(node.error(format_args!("{} is among the shared ones, too", both.label())));
                }
                Ok(launch)
            });
            let is_second = !names.insert(name.clone());
            let read = read.and_then(|launch| match is_second {
                true => Err(node.error(format_args!("a second launch named '{name}'"))),
                false => Ok(launch),
            });
            launches.push((name, read));
        }
        if launches.is_empty() {
            return Err(root.error("no launches"));
        }
        let text = |key: &str| value.get(key).map(Value::to_string).unwrap_or_default();
        let buffers_text = text("buffers") + &text("images");
        Ok(LaunchDraft { buffers, program, buffers_text, launches, chain: Vec::new(), files: Vec::new() }.link())
    }
}

impl LaunchSpec {
    /// Returns a launch of `kernel` without arguments; `grid` and `group` are sizes in one to three dimensions.
    ///
    /// # Errors
    /// [`LaunchError`] if there are no sizes or more than three, or one is 0.
    pub fn new(kernel: &str, grid: &[u32], group: &[u32]) -> Result<LaunchSpec, LaunchError> {
        let wrong = |path: &str, what: &str| LaunchError { path: path.to_owned(), what: what.to_owned() };
        for (path, sizes) in [("grid", grid), ("group", group)] {
            match sizes.len() {
                1..=3 if !sizes.contains(&0) => {}
                1..=3 => return Err(wrong(path, "a size of 0")),
                _ => return Err(wrong(path, "there are 1 to 3 dimensions")),
            }
        }
        let geometry = Geometry::new(grid, group, &[]).filter(|_| group.len() <= grid.len());
        Ok(LaunchSpec {
            name: kernel.to_owned(),
            kernel: Some(kernel.to_owned()),
            geometry: geometry.ok_or_else(|| wrong("group", "the group has more dimensions than the grid"))?,
            args: Vec::new(),
            buffers: Vec::new(),
            registers: None,
            expect: None,
            max_insts: None,
            text: String::new(),
        })
    }

    /// Adds arguments, in the order of the kernel's explicit ones.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = ArgValue>) -> LaunchSpec {
        self.args.extend(args);
        self
    }

    /// Adds a buffer with these contents.
    #[must_use]
    pub fn buffer(mut self, name: &str, bytes: Vec<u8>) -> LaunchSpec {
        let content = Content::Bytes(bytes);
        self.buffers.push(BufferSpec { name: name.to_owned(), content, size: None, save: None, shape: None, at: None });
        self
    }

    /// Returns the paths of the files that its own buffers and expectations are read from, as the launch file states
    /// them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let checks = self.expect.iter().flat_map(Expect::checks);
        self.buffers
            .iter()
            .filter_map(BufferSpec::file_path)
            .chain(self.registers.iter().map(|registers| registers.code.as_path()))
            .chain(checks.filter_map(|(_, _, check)| check.file_path()))
    }
}

/// Reads the buffers and images of a file or launch.
fn buffers(node: &Node<'_>) -> Read<Vec<BufferSpec>> {
    let mut specs = Vec::new();
    if let Some(table) = node.get("buffers") {
        for (name, node) in table.table()? {
            specs.push(BufferSpec::read(name, &node)?);
        }
    }
    if let Some(table) = node.get("images") {
        for (name, node) in table.table()? {
            if specs.iter().any(|spec: &BufferSpec| spec.name == name) {
                return Err(node.error("a buffer has this name, too"));
            }
            specs.push(image::image(name, &node)?);
        }
    }
    Ok(specs)
}

fn launch(node: &Node<'_>, number: usize) -> Read<LaunchSpec> {
    if node.get("registers").is_some() {
        return registers::launch(node, number);
    }
    node.allow(&["name", "kernel", "grid", "group", "offset", "args", "buffers", "images", "expect", "max_insts"])?;
    let text = |key: &str| node.get(key).map(|node| node.text().map(str::to_owned)).transpose();
    let sizes = |key: &str| -> Read<Vec<u32>> {
        let node = node.need(key)?;
        let list = node.list_or_one()?;
        let sizes: Vec<u32> = list.iter().map(Node::integer_in).collect::<Read<_>>()?;
        match sizes.len() {
            1..=3 if !sizes.contains(&0) => Ok(sizes),
            1..=3 => Err(node.error("a size of 0")),
            n => Err(node.error(format_args!("{n} sizes: there are 1 to 3 dimensions"))),
        }
    };
    let (grid, group) = (sizes("grid")?, sizes("group")?);
    if group.len() > grid.len() {
        return Err(node.error("the group has more dimensions than the grid"));
    }
    let offset: Vec<u64> = match node.get("offset") {
        Some(offset) => {
            let list = offset.list_or_one()?;
            if list.len() > 3 {
                return Err(offset.error("more than three dimensions"));
            }
            list.iter().map(Node::integer_in).collect::<Read<_>>()?
        }
        None => Vec::new(),
    };
    let geometry = Geometry::new(&grid, &group, &offset).ok_or_else(|| node.error("no grid"))?;
    let args = match node.get("args") {
        Some(args) => args.list()?.iter().map(argument).collect::<Read<_>>()?,
        None => Vec::new(),
    };
    Ok(LaunchSpec {
        name: text("name")?.unwrap_or_else(|| number.to_string()),
        kernel: text("kernel")?,
        geometry,
        args,
        buffers: buffers(node)?,
        registers: None,
        expect: node.get("expect").map(|node| Expect::read(&node)).transpose()?,
        max_insts: node.get("max_insts").map(|node| node.integer_in()).transpose()?,
        text: text_of(node),
    })
}

/// Returns the text that identifies a launch.
fn text_of(node: &Node<'_>) -> String {
    serde_json::to_string(&WithoutName(node.value)).unwrap_or_default()
}

/// A launch that is serialised without its name.
struct WithoutName<'a>(&'a Value);

impl Serialize for WithoutName<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.as_object() {
            Some(table) => to.collect_map(table.iter().filter(|(key, _)| *key != "name")),
            None => self.0.serialize(to),
        }
    }
}

/// Keys of arguments other than numbers.
const KINDS: [&str; 10] = [
    "buffer",
    "image",
    "sampler",
    "hex",
    "struct",
    "local",
    "null",
    "image_descriptor",
    "sampler_descriptor",
    "buffer_descriptor",
];

/// Reads an argument.
fn argument(node: &Node<'_>) -> Read<ArgValue> {
    if let Some(image) = node.get("image") {
        node.allow(&["image"])?;
        return Ok(ArgValue::Image(image.text()?.to_owned()));
    }
    if let Some(sampler) = node.get("sampler") {
        node.allow(&["sampler"])?;
        return Ok(ArgValue::Sampler(image::sampler(&sampler)?));
    }
    part(node)
}

/// Reads an argument that may be a part of a structure.
fn part(node: &Node<'_>) -> Read<ArgValue> {
    let table = node.table()?;
    let keys: Vec<&str> = table.iter().map(|(key, _)| *key).collect();
    if let Some(buffer) = node.get("buffer") {
        node.allow(&["buffer", "at"])?;
        let at = node.get("at").map(|at| at.integer_in()).transpose()?.unwrap_or(0);
        return Ok(ArgValue::Pointer { buffer: buffer.text()?.to_owned(), at });
    }
    let [(key, value)] = &table[..] else {
        return Err(
            node.error(format_args!("an argument has one of a type's name, {}; not {keys:?}", KINDS.join(", ")))
        );
    };
    match *key {
        "hex" => Ok(ArgValue::Bytes { bytes: buffer::hex(value)?, align: 1 }),
        "image_descriptor" => Ok(ArgValue::ImageDescriptor(value.text()?.to_owned())),
        "sampler_descriptor" => {
            let words = image::sampler(value)?.descriptor();
            Ok(ArgValue::Bytes { bytes: words.into_iter().flat_map(u32::to_le_bytes).collect(), align: 4 })
        }
        "buffer_descriptor" => image::buffer_descriptor(value),
        key @ ("image" | "sampler") => Err(node
            .error(format_args!("'{key}' is an argument of its own; structures and buffers hold '{key}_descriptor'"))),
        "struct" => Ok(ArgValue::Struct(value.list()?.iter().map(part).collect::<Read<_>>()?)),
        "local" => Ok(ArgValue::Local(value.integer_in()?)),
        "null" => match value.value.as_bool() {
            Some(true) => Ok(ArgValue::Null),
            _ => Err(value.error("null is true or left out")),
        },
        name => {
            let Some(ty) = NumberType::by_name(name) else {
                let mut known = KINDS.to_vec();
                known.extend(NumberType::ALL.map(NumberType::name));
                node.allow(&known)?;
                return Err(node.error(format_args!("no argument: {keys:?}")));
            };
            let numbers = value.list_or_one()?;
            let mut bytes = Vec::new();
            for number in &numbers {
                ty.append(&mut bytes, ty.read(number)?);
            }
            // A vector is aligned to its size. One of three elements is aligned like one of four.
            let align = (ty.size() * numbers.len().max(1).next_power_of_two()) as u64;
            Ok(ArgValue::Bytes { bytes, align })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        LaunchFile::parse(text, Syntax::Json).unwrap_err().to_string()
    }

    #[test]
    fn toml_and_json_say_the_same() {
        let json = r#"{"buffers": {"x": {"f32": [1, "inf"]}}, "launch": [{"kernel": "k", "grid": [10, 2], "group": [5],
            "args": [{"buffer": "x", "at": 4}, {"f32": 2.5}, {"i32": [1, 2, 3]}, {"local": 64}, {"null": true},
                     {"struct": [{"u8": 1}, {"u64": 2}]}],
            "expect": {"buffers": {"x": {"f32": [1, null], "ulp": 2}}}}]}"#;
        let toml = r#"
            [buffers]
            x = {f32 = [1, inf]}
            [[launch]]
            kernel = "k"
            grid = [10, 2]
            group = 5
            args = [{buffer = "x", at = 4}, {f32 = 2.5}, {i32 = [1, 2, 3]}, {local = 64}, {null = true},
                    {struct = [{u8 = 1}, {u64 = 2}]}]
            expect.buffers.x = {f32 = [1, "any"], ulp = 2}
        "#;
        let (json, mut toml) =
            (LaunchFile::parse(json, Syntax::Json).unwrap(), LaunchFile::parse(toml, Syntax::Toml).unwrap());
        toml.launches[0].text.clone_from(&json.launches[0].text);
        assert_eq!(json, toml);
        let launch = &json.launches[0];
        assert_eq!((launch.name.as_str(), launch.geometry.group, launch.geometry.dimensions), ("0", [5, 1, 1], 2));
        assert_eq!(launch.args[2], ArgValue::Bytes { bytes: vec![1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0], align: 16 });
        assert_eq!(launch.args[5].layout(), (16, 8));
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(error("{}"), "no 'launch'");
        assert_eq!((error(""), error(" \n")), ("the file is empty".to_owned(), "the file is empty".to_owned()));
        assert_eq!(error(r#"{"launch": [{"grid": 1, "group": 0}]}"#), "launch[0].group: a size of 0");
        assert_eq!(
            error(r#"{"launch": [{"grid": [1, 1, 1, 1], "group": 1}]}"#),
            "launch[0].grid: 4 sizes: there are 1 to 3 dimensions"
        );
        let unknown = error(r#"{"launch": [{"gird": 1, "group": 1}]}"#);
        assert!(
            unknown.starts_with("launch[0]: unknown key 'gird'; did you mean 'grid'? (known: name, kernel, "),
            "{unknown}"
        );
        assert_eq!(
            error(r#"{"launch": [{"grid": 1, "group": 1, "args": [{"f32": "x"}]}]}"#),
            "launch[0].args[0].f32: the string \"x\" where a number is expected (or \"nan\", \"inf\", \"-inf\", or \
             bits as \"0x..\")"
        );
        assert_eq!(
            error(r#"{"launch": [{"grid": 1, "group": 1, "args": [{"u8": 300}]}]}"#),
            "launch[0].args[0].u8: 300 does not fit u8"
        );
        let both = error(
            r#"{"buffers": {"a": {"size": 4}}, "launch": [{"grid": 1, "group": 1, "buffers": {"a": {"size": 4}}}]}"#,
        );
        assert_eq!(both, "launch[0]: buffer 'a' is among the shared ones, too");
        assert!(error("{").starts_with("no JSON: "));
        let unknown = error(r#"{"launch": [{"grid": 1, "group": 1, "args": [{"f23": 1}]}]}"#);
        assert!(unknown.contains("unknown key 'f23'; did you mean 'f32'?"), "{unknown}");
    }
}
