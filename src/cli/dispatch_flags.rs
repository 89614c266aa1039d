//! A dispatch from flags: `--kernel`, `--grid`, `--group`, `--arg`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

use super::args;
use gcnsim_launches::launch::{BufferSpec, LaunchDraft, LaunchFile, LaunchSpec, NumberType, Outside, Syntax};
use gcnsim_loader::nearest;

/// What `--arg` takes.
const KEYS: [&str; 17] = [
    "f32=V",
    "f64=V",
    "f16=V",
    "i32=V",
    "u32=V",
    "i64=V",
    "u64=V",
    "i16=V",
    "u16=V",
    "i8=V",
    "u8=V",
    "buf=FILE[:OUT]",
    "out=BYTES:FILE",
    "zero=BYTES",
    "local=BYTES",
    "hex=DIGITS",
    "null",
];

/// The flags that describe a dispatch.
pub(super) struct LaunchFlags<'a> {
    pub grid: &'a Option<String>,
    pub group: &'a Option<String>,
    pub args: &'a [String],
    pub kernel: Option<&'a str>,
}

impl LaunchFlags<'_> {
    /// Returns the launch that the flags describe. Its outputs are `outputs` and the buffers that arguments write to
    /// files.
    ///
    /// # Errors
    /// The error names the flag that is wrong.
    pub fn wanted(&self, mut outputs: Vec<Dump>) -> anyhow::Result<Wanted> {
        let sizes = |text: &Option<String>| -> anyhow::Result<Value> {
            let text = text.as_deref().unwrap_or_default();
            let sizes: Result<Vec<u32>, _> = text.split(',').map(|size| size.trim().parse()).collect();
            Ok(sizes.with_context(|| format!("'{text}' is no X[,Y,Z]"))?.into())
        };
        let (mut list, mut buffers) = (Vec::new(), Map::new());
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
                    outputs.extend(out.map(|out| Dump::new(&name, out)));
                    pointer
                }
                "out" => {
                    let (size, out) =
                        value.split_once(':').with_context(|| format!("--arg {text}: out=BYTES:FILE is expected"))?;
                    buffers.insert(name.clone(), json!({"size": bytes(size)?}));
                    outputs.push(Dump::new(&name, out));
                    pointer
                }
                "zero" => {
                    buffers.insert(name.clone(), json!({"size": bytes(value)?}));
                    pointer
                }
                "local" => json!({"local": bytes(value)?}),
                "null" => json!({"null": true}),
                "hex" => json!({"hex": value}),
                _ if NumberType::by_name(kind).is_none() => {
                    let near =
                        nearest::question(kind, KEYS.into_iter().map(|key| key.split('=').next().unwrap_or(key)));
                    bail!("--arg {text}: unknown key '{kind}'{near} (known: {})", KEYS.join(", "));
                }
                _ if !text.contains('=') => bail!("--arg {text}: {kind}=VALUE is expected"),
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
            json!({"grid": sizes(self.grid)?, "group": sizes(self.group)?, "args": list, "buffers": buffers});
        if let Some(kernel) = self.kernel {
            launch["kernel"] = kernel.into();
        }
        let text = json!({"launch": [launch]}).to_string();
        let draft = LaunchDraft::parse(&text, Syntax::Json);
        let both = draft.and_then(|draft| Ok((LaunchFile::try_from(draft.clone())?, draft)));
        let (file, draft) = both.map_err(|error| {
            // The message names flags, because the user did not write a launch file.
            let number = error.path.strip_prefix("launch[0].args[").and_then(|rest| rest.split(']').next());
            match number.and_then(|number| self.args.get(number.parse::<usize>().ok()?)) {
                Some(arg) => anyhow::anyhow!("--arg {arg}: {}", error.what),
                None => anyhow::anyhow!("{}: {}", error.path.replace("launch[0].", "--"), error.what),
            }
        })?;
        Ok(Wanted {
            file,
            shown: vec![true],
            draft,
            text: (text, Syntax::Json),
            folder: PathBuf::new(),
            outside: Outside::Allowed,
            outputs,
            is_from_flags: true,
            launch_file: None,
        })
    }
}

/// A buffer that is written to a file.
pub(super) struct Dump {
    /// Name of the buffer.
    pub buffer: String,
    pub path: PathBuf,
    /// Whether a launch file names the path, not the command line.
    pub is_save: bool,
}

impl Dump {
    /// A buffer and a file that the command line names.
    pub fn new(buffer: &str, path: &str) -> Dump {
        Dump { buffer: buffer.to_owned(), path: path.into(), is_save: false }
    }
}

/// The launches to run, and what to do with their results.
pub(super) struct Wanted {
    /// The launches that run, and their buffers.
    pub file: LaunchFile,
    /// Whether each launch is shown. Other launches run only because they share memory with shown ones.
    pub shown: Vec<bool>,
    /// All launches of the launch file. A wrong launch is its error.
    pub draft: LaunchDraft,
    /// The text of the launch file, and its language.
    pub text: (String, Syntax),
    /// Folder that paths in the launch file are relative to.
    pub folder: PathBuf,
    pub outside: Outside,
    /// The buffers to write to files.
    pub outputs: Vec<Dump>,
    /// Path of the launch file; `None` if the launch comes from flags.
    pub launch_file: Option<PathBuf>,
    /// Whether the launch comes from flags, not from a launch file.
    pub is_from_flags: bool,
}

impl Wanted {
    /// Whether a launch expects anything.
    pub fn expects(&self) -> bool {
        self.file.launches.iter().any(|launch| launch.expect.is_some())
    }

    /// Returns all files that the launches read, without the launch file.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let of_launches = self.file.launches.iter().flat_map(LaunchSpec::files);
        let shared = self.file.buffers.iter().filter_map(BufferSpec::file_path);
        of_launches.chain(shared).map(|path| self.folder.join(path)).collect()
    }

    /// Returns the launches that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &LaunchSpec> {
        self.file.launches.iter().zip(&self.shown).filter(|&(_, &is_shown)| is_shown).map(|(launch, _)| launch)
    }
}
