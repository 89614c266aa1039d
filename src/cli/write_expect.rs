//! `run --write-expect`: writes the launch file with the results as expectations.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use super::dispatch_flags::Wanted;
use super::{args, output, result_file};
use gcnsim_inputs::InputPath;
use gcnsim_launches::LaunchResult;
use gcnsim_launches::launch::{self, NumberType};

/// Most values that are written into the launch file. Longer lists go to files of their own.
const MOST_VALUES: usize = 256;

/// Writes a launch file with expectations.
pub(super) struct ExpectWriter<'a> {
    /// The file to write.
    pub path: &'a Path,
    /// Path of the code object.
    pub object: &'a Path,
    /// Whether numbers of instructions become expectations, too.
    pub instructions: bool,
    pub wanted: &'a Wanted,
    /// Returns the types of the explicit arguments of a launch's kernel in the source, as far as its metadata says.
    pub types: &'a dyn Fn(&str) -> Vec<Option<String>>,
}

impl ExpectWriter<'_> {
    /// Writes the launch file with `results`, which are named by launch. A launch without a result stays as it is.
    pub fn write(&self, results: &[(&str, LaunchResult)]) -> anyhow::Result<()> {
        let (text, syntax) = &self.wanted.text;
        let mut file = launch::parse_tree(text, *syntax)?;
        let shared = file.get("buffers").cloned().unwrap_or_default();
        let list = match &mut file["launch"] {
            Value::Array(list) => list.iter_mut().collect::<Vec<_>>(),
            one => vec![one],
        };
        let mut outputs = Vec::new();
        for (launch, (name, _)) in list.into_iter().zip(&self.wanted.draft.launches) {
            let Some((_, result)) = results.iter().find(|(other, _)| other == name) else { continue };
            self.expect(launch, &shared, name, result, &mut outputs)?;
        }
        self.check_values(&outputs)?;
        // The values are written first: the launch file must not name incomplete files.
        for (path, bytes) in &outputs {
            result_file::write(path, bytes)?;
        }
        let text = match self.path.extension().is_some_and(|extension| extension == "json") {
            true => pretty(&file)?,
            false => toml::to_string_pretty(&for_toml(file))?,
        };
        result_file::write(self.path, text.as_bytes())?;
        output::note(format_args!("{}: what came out is what is expected now", args::quoted(self.path)));
        Ok(())
    }

    /// Checks that no file with values is the object, or one that buffers are read from.
    fn check_values(&self, values: &[(PathBuf, Vec<u8>)]) -> anyhow::Result<()> {
        let paths: Vec<&Path> = values.iter().map(|(path, _)| path.as_path()).collect();
        let Wanted { file, folder, .. } = self.wanted;
        let specs = file.launches.iter().flat_map(|launch| &launch.buffers).chain(&file.buffers);
        let inputs: Vec<_> = specs.filter_map(|spec| Some(folder.join(spec.file_path()?))).collect();
        let inputs = inputs.iter().map(PathBuf::as_path).chain([self.object]);
        result_file::check_outputs(&paths, inputs.map(InputPath::named))
    }

    fn expect(
        &self,
        launch: &mut Value,
        shared: &Value,
        name: &str,
        result: &LaunchResult,
        outputs: &mut Vec<(PathBuf, Vec<u8>)>,
    ) -> anyhow::Result<()> {
        let before = launch.get("expect").cloned().unwrap_or_default();
        let mut expect = Map::new();
        let outcome = result.run.outcome.as_ref().map_or("ended", |outcome| outcome.name());
        expect.insert("outcome".to_owned(), outcome.into());
        if self.instructions || before.get("instructions").is_some_and(|n| !n.is_null()) {
            expect.insert("instructions".to_owned(), result.run.instructions.into());
        }
        let checks_of = |key: &str| before.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let mut checks = [checks_of("buffers"), checks_of("images")];
        // Memory of launches by registers has its checks beside its content.
        let mut memory = launch.get("memory").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_checked = |memory: &Value| memory.get("expect").is_some_and(|checks| !checks.is_null());
        let has_checks = checks.iter().any(|checks| !checks.is_empty()) || memory.iter().any(is_checked);
        for buffer in &result.buffers {
            let Some(bytes) = result.buffer(&buffer.name) else { continue };
            if let Some(memory) = memory.iter_mut().find(|memory| name_of(memory) == buffer.name && is_checked(memory))
            {
                let mut to = Output { writer: self, launch: name, buffer: &buffer.name, bytes: &bytes, outputs };
                match &mut memory["expect"] {
                    Value::Array(checks) => {
                        checks.iter_mut().enumerate().try_for_each(|(i, check)| to.update(check, i))?;
                    }
                    check => to.update(check, 0)?,
                }
            }
            let spec = launch.get("buffers").and_then(|own| own.get(&buffer.name)).or_else(|| shared.get(&buffer.name));
            let checks = &mut checks[usize::from(buffer.image.is_some())];
            let mut to = Output { writer: self, launch: name, buffer: &buffer.name, bytes: &bytes, outputs };
            match checks.get_mut(&buffer.name) {
                Some(Value::Array(checks)) => {
                    for (i, check) in checks.iter_mut().enumerate() {
                        to.update(check, i)?;
                    }
                }
                Some(check) => to.update(check, 0)?,
                // If the launch has checks, buffers without one stay unchecked.
                None if has_checks => {}
                None if !buffer.changed => {
                    checks.insert(buffer.name.clone(), json!({"hash": format!("{:016x}", buffer.hash)}));
                }
                None => {
                    let of_texels = buffer.image.map(|shape| gcnsim_launches::launch::number_type(shape.format));
                    let stated = spec.filter(|spec| !is_of_zeros(spec)).and_then(type_of);
                    let ty = of_texels.or(stated).or_else(|| self.source_type(launch, name, &buffer.name));
                    let ty = ty.or_else(|| spec.and_then(type_of)).unwrap_or_else(|| to.of_size());
                    checks.insert(buffer.name.clone(), to.check(ty));
                }
            }
        }
        for (key, checks) in ["buffers", "images"].into_iter().zip(checks) {
            if !checks.is_empty() {
                expect.insert(key.to_owned(), checks.into());
            }
        }
        launch["expect"] = expect.into();
        if !memory.is_empty() {
            launch["memory"] = memory.into();
        }
        Ok(())
    }
}

impl ExpectWriter<'_> {
    /// Returns the type of a buffer's numbers by the metadata: that of an argument which points to its start.
    fn source_type(&self, launch: &Value, name: &str, buffer: &str) -> Option<NumberType> {
        let args = launch.get("args")?;
        let args = args.as_array().map_or(std::slice::from_ref(args), Vec::as_slice);
        let points = |arg: &Value| {
            let at = arg.get("at").unwrap_or(&Value::Null);
            arg.get("buffer").is_some_and(|to| to == buffer) && (at.is_null() || at == 0)
        };
        let types = (self.types)(name);
        let of = |(arg, ty): (&Value, &Option<String>)| {
            let (ty, _) = NumberType::of_source(ty.as_deref().filter(|_| points(arg))?)?;
            Some(ty)
        };
        args.iter().zip(&types).find_map(of)
    }
}

/// Returns the name of the memory of a launch by registers in results.
fn name_of(memory: &Value) -> String {
    if let Some(Value::String(name)) = memory.get("name") {
        return name.clone();
    }
    let base = match memory.get("base") {
        Some(Value::String(text)) => gcnsim_engine::number::parse(text, 64).ok(),
        base => base.and_then(Value::as_u64),
    };
    format!("{:#x}", base.unwrap_or(0))
}

/// Whether a buffer begins as zeros, whose type says little of what is written to it.
fn is_of_zeros(spec: &Value) -> bool {
    let fill = spec.get("fill").and_then(Value::as_object);
    fill.is_some_and(|fill| fill.values().all(|value| value.as_f64() == Some(0.0)))
}

/// A buffer whose content becomes an expectation.
struct Output<'a, 'o> {
    writer: &'a ExpectWriter<'a>,
    launch: &'a str,
    buffer: &'a str,
    bytes: &'a [u8],
    outputs: &'o mut Vec<(PathBuf, Vec<u8>)>,
}

impl Output<'_, '_> {
    /// Returns the type of numbers for a buffer of which nothing but the size tells the type.
    fn of_size(&self) -> NumberType {
        if self.bytes.len().is_multiple_of(4) { NumberType::U32 } else { NumberType::U8 }
    }

    /// Makes a check of the whole buffer.
    fn check(&mut self, ty: NumberType) -> Value {
        let ty = if self.bytes.len().is_multiple_of(ty.size()) { ty } else { NumberType::U8 };
        if self.bytes.len() / ty.size() <= MOST_VALUES {
            return json!({ty.name(): self.bytes.chunks(ty.size()).map(|bytes| value(ty, bytes)).collect::<Vec<_>>()});
        }
        let file = self.file(0, self.bytes.to_vec());
        json!({"file": file, "type": ty.name()})
    }

    /// Puts the buffer's values into an existing check. Its place, type, tolerances and skipped values stay.
    fn update(&mut self, check: &mut Value, number: usize) -> anyhow::Result<()> {
        let at = match check.get("at").unwrap_or(&Value::Null) {
            Value::String(text) => gcnsim_engine::number::parse(text, 64)?,
            at => at.as_u64().unwrap_or(0),
        };
        let bytes = usize::try_from(at).ok().and_then(|at| self.bytes.get(at..));
        let bytes = bytes.with_context(|| format!("byte {at} is beyond the end of buffer '{}'", self.buffer))?;
        if let Some(hash) = check.get_mut("hash").filter(|hash| !hash.is_null()) {
            *hash = format!("{:016x}", gcnsim_engine::xxh3::xxh3(self.bytes)).into();
        } else if let Some(file) = check.get("file").filter(|file| !file.is_null()) {
            let folder = &self.writer.wanted.folder;
            let old = file.as_str().map(|file| folder.join(file));
            let len = old.and_then(|old| std::fs::metadata(old).ok()).map_or(u64::MAX, |meta| meta.len());
            let bytes = &bytes[..bytes.len().min(usize::try_from(len).unwrap_or(usize::MAX))];
            check["file"] = self.file(number, bytes.to_vec()).into();
        } else if let Some((ty, list)) =
            NumberType::ALL.into_iter().find_map(|ty| Some((ty, check.get(ty.name()).filter(|list| !list.is_null())?)))
        {
            let skipped = |old: &Value| old.is_null() || old == "any";
            let new = match list {
                Value::Array(list) => {
                    let pairs = list.iter().zip(bytes.chunks(ty.size()));
                    pairs.map(|(old, bytes)| if skipped(old) { old.clone() } else { value(ty, bytes) }).collect()
                }
                one if skipped(one) => one.clone(),
                _ => bytes.chunks(ty.size()).next().map_or(Value::Null, |bytes| value(ty, bytes)),
            };
            check[ty.name()] = new;
        }
        Ok(())
    }

    /// Adds a file with `bytes` to the outputs, beside the launch file and named after it. Returns its name.
    fn file(&mut self, number: usize, bytes: Vec<u8>) -> String {
        let stem = self.writer.path.file_stem().unwrap_or_default().to_string_lossy();
        let plain = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "_");
        let number = if number > 0 { format!(".{number}") } else { String::new() };
        let name = format!("{}.{}.{}{number}", plain(&stem), plain(self.launch), plain(self.buffer));
        let folder = self.writer.path.parent().unwrap_or(Path::new("")).to_owned();
        // Different names may become equal when characters are replaced.
        let mut unique = format!("{name}.values");
        let mut count = 1;
        while self.outputs.iter().any(|(path, _)| *path == folder.join(&unique)) {
            count += 1;
            unique = format!("{name}-{count}.values");
        }
        self.outputs.push((folder.join(&unique), bytes));
        unique
    }
}

/// Returns the type of a buffer's numbers, if the launch file tells it.
fn type_of(spec: &Value) -> Option<NumberType> {
    let spec = spec.as_object()?;
    let of_key = |table: &Map<String, Value>| table.keys().find_map(|key| NumberType::by_name(key));
    let named = |key: &str| NumberType::by_name(spec.get(key)?.get("type")?.as_str()?);
    of_key(spec)
        .or_else(|| of_key(spec.get("fill")?.as_object()?))
        .or_else(|| named("iota"))
        .or_else(|| named("random"))
}

/// Returns a number as launch files write it. Reading it gives the same bits, except for NaNs.
fn value(ty: NumberType, bytes: &[u8]) -> Value {
    let bits = ty.bits(bytes);
    if !ty.is_float() {
        return match ty.range().0 < 0 {
            true => (((bits << (64 - 8 * ty.size())) as i64) >> (64 - 8 * ty.size())).into(),
            false => bits.into(),
        };
    }
    let exact = ty.to_f64(bits);
    match exact {
        _ if exact.is_nan() => "nan".into(),
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        _ => {
            // The number is the shortest one that gives the same bits.
            let short = ty.show(bits).parse().unwrap_or(exact);
            json!(if ty.of_f64(short) == bits { short } else { exact })
        }
    }
}

/// Makes JSON text. Each key of a table has a line of its own, a list of numbers is on one line.
fn pretty(value: &Value) -> anyhow::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, Lists(PrettyFormatter::new())))?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

struct Lists<'a>(PrettyFormatter<'a>);

impl Formatter for Lists<'_> {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Returns `value` without what TOML lacks: nulls, and integers from 2^63 on.
fn for_toml(value: Value) -> Value {
    match value {
        Value::Array(list) => {
            let item = |item: Value| if item.is_null() { "any".into() } else { for_toml(item) };
            list.into_iter().map(item).collect()
        }
        Value::Object(table) => {
            let pairs = table.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(pairs.map(|(key, value)| (key, for_toml(value))).collect())
        }
        Value::Number(number) => match number.as_u64() {
            Some(large) if i64::try_from(large).is_err() => format!("{large:#x}").into(),
            _ => Value::Number(number),
        },
        other => other,
    }
}
