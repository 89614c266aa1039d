//! Text that holds code words beside its instructions: what drivers print of their shaders, hang reports, and listings
//! of disassemblers. A log may have much else in it.
//!
//! ```text
//! Pixel Shader                                    heading: the stage
//! disasm:                                         heading: code follows
//! BB0:
//!         s_mov_b32 s0, s3             ; be800003
//!         s_nop 0                      ; bf800000
//!         (then repeated 3 times)                 repeats the instruction before it
//!         s_endpgm                     ; bf810000
//!
//! /* constant data */                             lies behind the code
//! [000000] 3f800000 40000000
//! ```
//!
//! A shader begins at its heading, or at its first line with code, and ends at the next heading or at a line that is no
//! part of a listing. Code is never dropped silently: inside of a shader an instruction without code words, broken
//! words and a gap between addresses are errors with the number of the line. So are code and constants that go on after
//! a foreign line: behind one, a shader needs a heading, a label that is no block, or code that states the offset 0.
//! Source: Mesa, `aco_print_asm.cpp`, `radv_debug.c`, `si_debug.c`.

mod chip;
mod heading;
mod line;

use std::collections::{HashMap, HashSet};

use gcnsim_isa::Arch;

use super::{Bare, Found};
use crate::error::LoadError;
use crate::{FileKind, PROGRAM_LIMIT, Shader, Skipped, Stage};
use chip::{Chip, Chips};
use heading::Heading;
use line::{Code, Line};

/// S_ENDPGM, with the same encoding in all generations.
const END: u32 = 0xbf81_0000;

/// Limit in dwords for what repetitions add to the shaders of a file. Drivers print them for padding.
const MOST_REPEATED: u64 = 1 << 18;

/// Lines that tell a log of shaders, if it has no code words.
const OF_SHADERS: [&str; 5] =
    ["ACO shader stage:", "shader: MESA_SHADER_", "*** SHADER STATS ***", "ACO IR:", "LLVM IR:"];

/// Reads the text of a file. `wanted` is the generation that the user states. `None` if it has nothing to do with
/// shaders' code.
///
/// # Errors
/// [`LoadError::Listing`] for a line that is broken; [`LoadError::NoCodeWords`] if a driver's log has none.
pub(super) fn read(bytes: &[u8], wanted: Option<Arch>) -> Result<Option<Found>, LoadError> {
    if !crate::foreign::begins_like_text(bytes) {
        return Ok(None);
    }
    let mut reader = Reader::default();
    let read = reader.lines(bytes);
    // Odd bytes in a log (names in Latin-1, controls of a terminal) do not matter if it has shaders.
    if reader.shaders.is_empty() && !crate::foreign::is_text(bytes) {
        return Ok(None);
    }
    read?;
    reader.finish(wanted)
}

/// A shader that is being read.
#[derive(Default)]
struct Draft {
    name: Option<String>,
    stage: Option<Stage>,
    words: Vec<u32>,
    /// Number of words before the constants, once these begin.
    code_end: Option<usize>,
    /// Number of words of the instruction before.
    last: usize,
    /// The address of the first word, where lines state addresses.
    address: Option<u64>,
    /// The address behind the instruction before, where lines state addresses.
    next_address: Option<u64>,
}

/// Where the reader is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Place {
    /// Between shaders.
    #[default]
    Outside,
    /// Behind a heading that announces code.
    Announced,
    /// In the code of the last shader.
    Inside,
    /// In its constants.
    Constants,
}

#[derive(Default)]
struct Reader {
    shaders: Vec<Draft>,
    skipped: Vec<Skipped>,
    chips: Chips,
    place: Place,
    /// The stage that the last heading names, until a shader takes it.
    stage: Option<Stage>,
    /// The name of the last label outside of shaders.
    label: Option<(String, Option<u64>)>,
    /// The name that a directive gives the kernel whose code follows.
    kernel: Option<String>,
    /// The part of a shader of radeonsi that is read, and whether the next code continues the shader.
    part: Option<u8>,
    continues: bool,
    /// Number of the foreign line that ended the last shader. A heading makes it `None`.
    ended_by: Option<u64>,
    /// Whether lines behind it are those of a compiler's intermediate code, which may have constants, too.
    is_intermediate: bool,
    /// Number of words that repetitions have added.
    repeated: u64,
    /// Whether llvm-objdump has left zeros out.
    left_out: bool,
    is_of_shaders: bool,
    /// Number of words of all shaders.
    length: u64,
}

impl Reader {
    fn lines(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        // Lines end with "\n" or "\r\n"; in a file without "\n", with "\r". A "\r" elsewhere does not count as a line.
        let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
        for (number, line) in bytes.split(|&byte| byte == end).enumerate() {
            let at = number as u64 + 1;
            for text in line.split(|&byte| byte == b'\r') {
                let text = line::without_escapes(&String::from_utf8_lossy(text));
                self.line(at, line::without_prefix(&text)).map_err(|what| LoadError::Listing { line: at, what })?;
            }
        }
        Ok(())
    }

    fn line(&mut self, at: u64, text: &str) -> Result<(), String> {
        if let Some(heading) = heading::read(text) {
            self.heading(heading);
            self.chips.read(text);
            return Ok(());
        }
        match line::read(text)? {
            Line::Code(code) => self.code(code),
            Line::Repeat(times) => self.repeat(times),
            Line::ConstantData if self.place == Place::Inside => {
                self.place = Place::Constants;
                let shader = self.shaders.last_mut();
                shader.into_iter().for_each(|shader| shader.code_end = Some(shader.words.len()));
                Ok(())
            }
            Line::Constants { offset, words } if self.place == Place::Constants => self.constants(offset, &words),
            Line::ConstantData | Line::Constants { .. } => self.stray_constants(at, text),
            Line::NoCode if self.place != Place::Outside => {
                Err(format!("'{}' has no code words beside it", line::shown(text)))
            }
            Line::Label { name, address } => {
                self.label(name, address);
                Ok(())
            }
            Line::Kernel(name) => {
                self.heading(Heading::Code);
                self.place = Place::Outside;
                self.kernel = Some(name.to_owned());
                Ok(())
            }
            Line::Zeros => {
                self.left_out = self.place == Place::Inside;
                Ok(())
            }
            Line::Remark => {
                self.chips.read(text);
                Ok(())
            }
            Line::Other if self.place == Place::Constants && line::is_cut_row(text) => {
                Err(format!("'{}' is a row of constants that is cut short", line::shown(text)))
            }
            Line::Other if line::is_damaged(text) => self.stray_constants(at, text),
            Line::Other | Line::NoCode => {
                self.other(at, text);
                Ok(())
            }
        }
    }

    fn heading(&mut self, heading: Heading) {
        self.ended_by = None;
        self.is_intermediate = false;
        self.label = None;
        self.continues = false;
        match heading {
            Heading::Stage { stage, is_code } => {
                self.stage = Some(stage);
                self.part = None;
                self.place = if is_code { Place::Announced } else { Place::Outside };
            }
            Heading::Code => self.place = Place::Announced,
            Heading::Part(part) => {
                self.continues = self.part.is_some_and(|before| before < part) && self.stage.is_none();
                self.part = Some(part);
                self.place = Place::Announced;
            }
            Heading::NoCode => {
                let stage = self.stage.take().map_or("shader".to_owned(), |stage| format!("{stage} shader"));
                let reason = "the driver printed no code words of it".to_owned();
                self.skipped.push(Skipped { is_host: false, name: stage, reason });
                self.place = Place::Outside;
            }
        }
    }

    /// A line that is no part of a listing.
    fn other(&mut self, at: u64, text: &str) {
        let is_of_shaders = OF_SHADERS.iter().any(|mark| text.contains(mark));
        self.is_of_shaders |= is_of_shaders;
        self.is_intermediate |= is_of_shaders;
        self.chips.read(text);
        if matches!(self.place, Place::Inside | Place::Constants) {
            self.ended_by = Some(at);
        }
        self.place = Place::Outside;
        self.label = None;
    }

    /// A line with constants, or a damaged one, where none are expected. Those of intermediate code are left out.
    fn stray_constants(&mut self, at: u64, text: &str) -> Result<(), String> {
        if let Some(line) = self.ended_by.filter(|_| !self.is_intermediate) {
            let shown = line::shown(text);
            return Err(format!("'{shown}' comes after line {line}, which is no part of a listing"));
        }
        if matches!(self.place, Place::Inside | Place::Constants) {
            return Err(format!("'{}' does not belong here: the shader before would lose data", line::shown(text)));
        }
        self.other(at, text);
        Ok(())
    }

    fn label(&mut self, name: &str, address: Option<u64>) {
        if address.is_some() {
            self.ended_by = self.ended_by.filter(|_| is_block(name));
            self.place = Place::Outside;
        }
        if matches!(self.place, Place::Outside | Place::Announced) {
            self.label = Some((name.to_owned(), address));
        }
    }

    fn code(&mut self, code: Code) -> Result<(), String> {
        let is_first = code.offset == Some(0) && self.shaders.last().is_some_and(|shader| !shader.words.is_empty());
        if self.place == Place::Constants {
            return Err("an instruction among the constants".into());
        }
        if self.place != Place::Inside || is_first {
            self.begin(code.offset == Some(0))?;
        }
        let left_out = std::mem::take(&mut self.left_out);
        let Some(shader) = self.shaders.last_mut() else { return Ok(()) };
        let bytes = 4 * shader.words.len() as u64;
        if let Some(offset) = code.offset.filter(|&offset| offset != bytes) {
            return Err(format!("code at {offset:#x} of its shader, of which {bytes:#x} bytes are there"));
        }
        match (shader.next_address, code.address) {
            (Some(next), Some(address)) if next != address => {
                let gap = address.checked_sub(next).filter(|gap| left_out && gap.is_multiple_of(4));
                let gap = gap.filter(|gap| self.length + gap / 4 <= PROGRAM_LIMIT / 4);
                let gap = gap.ok_or_else(|| format!("code at {address:#x}; the code before it ends at {next:#x}"))?;
                shader.words.resize(shader.words.len() + (gap / 4) as usize, 0);
                self.length += gap / 4;
            }
            _ => {}
        }
        if shader.words.is_empty() {
            shader.address = code.address;
        }
        shader.next_address = code.address.and_then(|address| address.checked_add(4 * code.words.len() as u64));
        shader.last = code.words.len();
        shader.words.extend(&code.words);
        self.length += code.words.len() as u64;
        Ok(())
    }

    /// Begins a shader, or goes on with the next part of the last one. `is_first`: the code states that it is at 0.
    fn begin(&mut self, is_first: bool) -> Result<(), String> {
        if let Some(line) = self.ended_by {
            let is_whole = self.shaders.last().is_some_and(Draft::is_whole);
            // S_ENDPGM may also stand before the end of a shader.
            let is_other = is_first || self.label.as_ref().is_some_and(|(name, _)| !is_block(name));
            if !is_whole || !is_other {
                return Err(format!("code goes on here after line {line}, which is no part of a listing"));
            }
        }
        self.ended_by = None;
        self.is_intermediate = false;
        self.place = Place::Inside;
        if std::mem::take(&mut self.continues) {
            return Ok(());
        }
        let stage = self.stage.take();
        let label =
            self.label.take().filter(|(name, address)| stage.is_none() && (address.is_some() || name != "main"));
        let name = self.kernel.take().or(label.map(|(name, _)| name)).filter(|name| !is_block(name));
        let by_name = name.as_ref().and_then(|name| Shader::of_symbol(name).stage);
        self.shaders.push(Draft { name, stage: stage.or(by_name), ..Draft::default() });
        Ok(())
    }

    fn repeat(&mut self, times: u32) -> Result<(), String> {
        let shader = self.shaders.last_mut().filter(|_| self.place == Place::Inside);
        let shader = shader.ok_or("nothing stands before it that could be repeated")?;
        let more = u64::from(times) * shader.last as u64;
        self.repeated += more;
        if self.repeated > MOST_REPEATED || self.length + more > PROGRAM_LIMIT / 4 {
            return Err(format!("repeated {times} times, the programs are too long"));
        }
        let last = shader.words[shader.words.len() - shader.last..].to_vec();
        (0..times).for_each(|_| shader.words.extend(&last));
        self.length += more;
        Ok(())
    }

    fn constants(&mut self, offset: u32, words: &[u32]) -> Result<(), String> {
        let Some(shader) = self.shaders.last_mut() else { return Ok(()) };
        let there = 4 * (shader.words.len() - shader.code_end.unwrap_or(shader.words.len()));
        if offset as usize != there {
            return Err(format!("constants at {offset}, of which {there} bytes are there"));
        }
        shader.words.extend(words);
        self.length += words.len() as u64;
        Ok(())
    }

    fn finish(self, wanted: Option<Arch>) -> Result<Option<Found>, LoadError> {
        if self.shaders.is_empty() {
            let is_log = self.is_of_shaders || !self.skipped.is_empty();
            return if is_log { Err(LoadError::NoCodeWords) } else { Ok(None) };
        }
        let chip = self.chips.chosen(wanted).map_err(|named| LoadError::SeveralChips { named })?;
        let (target, arch) = match chip {
            Some(Chip::Known(target, arch)) => (target, Some(arch)),
            Some(Chip::Newer) if wanted.is_none() => return Err(LoadError::NewerListing),
            Some(Chip::Newer) | None => (None, None),
        };
        let shaders = without_copies(self.shaders);
        let names = names(&shaders);
        let bare = |(draft, name): (Draft, String)| {
            let code: Vec<u8> = draft.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let shader = Shader { stage: draft.stage, ..Shader::default() };
            let code_length = 4 * draft.code_end.unwrap_or(draft.words.len()) as u64;
            Bare { name, code: code.into(), code_length, file_offset: None, shader }
        };
        let shaders = shaders.into_iter().zip(names).map(bare).collect();
        Ok(Some(Found { kind: FileKind::Text, target, arch, shaders, skipped: self.skipped }))
    }
}

impl Draft {
    /// Whether it ends with S_ENDPGM, or has constants behind it.
    fn is_whole(&self) -> bool {
        self.code_end.is_some() || self.words.last() == Some(&END)
    }
}

/// Removes shaders without a name that are the same at the same address: many waves execute one shader, and a dump
/// lists it for each.
fn without_copies(mut shaders: Vec<Draft>) -> Vec<Draft> {
    let mut seen = HashSet::new();
    shaders.retain(|shader| match shader.address {
        Some(address) if shader.name.is_none() => seen.insert((address, shader.words.clone())),
        _ => true,
    });
    shaders
}

/// Whether a label is that of a block, as compilers number them, and not a name.
fn is_block(name: &str) -> bool {
    let number = ["BB", ".LBB", "LBB", "_L", "label_", ".L"].iter().find_map(|start| name.strip_prefix(start));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_'))
}

/// The names of shaders: that of their label, or their stage with its number, the first of each stage being 0. A name
/// that is there already gets a number.
fn names(shaders: &[Draft]) -> Vec<String> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::new();
    for shader in shaders {
        let base = shader.name.as_deref().unwrap_or(shader.stage.map_or("shader", Stage::name));
        let count = counts.entry(base).or_insert(0);
        let mut name = if shader.name.is_some() && *count == 0 { base.to_owned() } else { format!("{base}-{count}") };
        while !taken.insert(name.clone()) {
            *count += 1;
            name = format!("{base}-{count}");
        }
        *count += 1;
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests;
