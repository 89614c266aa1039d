//! Buffers and images of launch files, and their contents.

use std::borrow::Cow;
use std::io::{self, Read as _, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use multiversion::multiversion;

use super::tree::{Node, Read};
use super::value::{NumberType, split_mix};
use super::{Outside, part};
use gcnsim_device::args::{ArgError, ArgValue, Places};
use gcnsim_device::images::Shape;
use gcnsim_engine::quote;
use gcnsim_loader::{FileContent, LoadError};
use gcnsim_machine::Backing;

/// A buffer or an image as a launch file describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct BufferSpec {
    /// Name of the buffer or image.
    pub name: String,
    /// Contents at the start.
    pub content: Content,
    /// Size in bytes; `None` is the size of the contents. The size of an image is that of its texels, without padding.
    pub size: Option<u64>,
    /// File to which the contents are written after the launch.
    pub save: Option<PathBuf>,
    /// Type, sizes and format of an image; `None` for a buffer.
    pub shape: Option<Shape>,
    /// Where memory of a launch by registers lies; `None` for buffers, which get an address.
    pub at: Option<At>,
}

/// Where memory lies, and what kernels may do with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// Guest address.
    pub base: u64,
    /// Whether kernels may write it.
    pub writable: bool,
}

/// Contents of a buffer. The bytes after them are 0.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// Zeros only.
    Zero,
    /// Bytes.
    Bytes(Vec<u8>),
    /// Parts one after the other, each at its natural alignment. A part may be a pointer.
    Struct(Vec<ArgValue>),
    /// The bytes of a file, with its path as the launch file states it.
    File(PathBuf),
    /// Copies of an element, up to the size.
    Fill(Vec<u8>),
    /// The numbers start, start + step, ...
    Iota {
        /// Type of the elements.
        ty: NumberType,
        /// The first number.
        start: Number,
        /// The difference between neighbours.
        step: Number,
    },
    /// Random numbers by SplitMix64.
    Random {
        /// Type of the elements.
        ty: NumberType,
        /// The least number.
        min: Number,
        /// The greatest number of an integer type; the limit, which is excluded, of a float type.
        max: Number,
        /// Seed of the numbers.
        seed: u64,
    },
}

/// A number from which contents are computed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A number of an integer type.
    Integer(i128),
    /// A number of a float type.
    Float(f64),
}

/// Error of making a buffer's contents.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// The file with the contents cannot be read.
    #[error("{name}: {path}: {error}")]
    File {
        /// The buffer or image, as [`BufferSpec::label`] says.
        name: String,
        /// Path of the file.
        path: String,
        /// The error of reading it.
        error: LoadError,
    },
    /// The file with the contents is not in the folder of the launch file.
    #[error("{name}: {path} leaves the folder of the launch file (--allow-outside lets it)")]
    Outside {
        /// The buffer or image, as [`BufferSpec::label`] says.
        name: String,
        /// Path of the file.
        path: String,
    },
    /// The contents are longer than the size.
    #[error("{name}: a content of {content} bytes in {size} bytes")]
    TooLong {
        /// The buffer or image, as [`BufferSpec::label`] says.
        name: String,
        /// Size of the contents in bytes.
        content: u64,
        /// Size of the buffer in bytes.
        size: u64,
    },
    /// The contents of an image have not the size of its texels.
    #[error("{name}: a content of {content} bytes: {shape} has {size} bytes")]
    Length {
        /// The image, as [`BufferSpec::label`] says.
        name: String,
        /// Size of the contents in bytes.
        content: u64,
        /// Type, sizes and format of the image.
        shape: String,
        /// Size of the image's texels in bytes.
        size: u64,
    },
    /// The contents repeat, and no size says how often.
    #[error("{name}: its size is not given")]
    NoSize {
        /// The buffer or image, as [`BufferSpec::label`] says.
        name: String,
    },
    /// A pointer in the contents is wrong.
    #[error("{name}: {error}")]
    Pointer {
        /// The buffer or image, as [`BufferSpec::label`] says.
        name: String,
        /// The error of the pointer.
        error: ArgError,
    },
}

impl BufferSpec {
    pub(super) fn read(name: &str, node: &Node<'_>) -> Read<BufferSpec> {
        let mut keys = Content::keys();
        keys.extend(["size", "save"]);
        node.allow(&keys)?;
        if name.is_empty() {
            return Err(node.error("a buffer without a name"));
        }
        let content = Content::of(node)?;
        let path = |key: &str| -> Read<Option<PathBuf>> {
            node.get(key).map(|node| node.text().map(PathBuf::from)).transpose()
        };
        let size = node.get("size").map(|size| size.integer_in()).transpose()?;
        if content.length().is_none() && size.is_none() && !matches!(content, Content::File(_)) {
            return Err(node.error("no 'size'"));
        }
        if content == Content::Zero && size.is_none() {
            return Err(node.error("neither a content nor a 'size'"));
        }
        Ok(BufferSpec { name: name.to_owned(), content, size, save: path("save")?, shape: None, at: None })
    }

    /// Reads memory of a launch by registers.
    pub(super) fn of_memory(name: &str, node: &Node<'_>, at: At, size: u64) -> Read<BufferSpec> {
        let mut keys = Content::keys();
        keys.extend(["base", "size", "rights", "name", "expect"]);
        node.allow(&keys)?;
        if name.is_empty() {
            return Err(node.error("memory without a name"));
        }
        let content = Content::of(node)?;
        if matches!(content, Content::Struct(_)) {
            return Err(node.need("struct")?.error("memory has no structures: the addresses in it are known"));
        }
        Ok(BufferSpec { name: name.to_owned(), content, size: Some(size), save: None, shape: None, at: Some(at) })
    }

    /// Returns the kind and name of a buffer or image for people, such as `image 'a'`.
    pub fn label(&self) -> String {
        let kind = match (self.shape, self.at) {
            (Some(_), _) => "image",
            (None, Some(_)) => "memory",
            (None, None) => "buffer",
        };
        format!("{kind} '{}'", quote::text(&self.name))
    }

    /// Returns the path of the file with the contents, as the launch file states it.
    pub fn file_path(&self) -> Option<&Path> {
        match &self.content {
            Content::File(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the size in bytes. If the contents are a file, it may be that of the file.
    ///
    /// # Errors
    /// [`BufferError::File`], [`BufferError::Outside`].
    pub fn size_in(&self, folder: &Path, outside: Outside) -> Result<u64, BufferError> {
        match (self.size.or_else(|| self.content.length()), &self.content) {
            (Some(size), _) => Ok(size),
            (None, Content::File(path)) => Ok(self.file(folder, path, outside)?.content.len()),
            (None, _) => Err(BufferError::NoSize { name: self.label() }),
        }
    }

    /// Returns the path of the file to which the contents are written after the launch, if there is one.
    ///
    /// # Errors
    /// [`BufferError::Outside`].
    pub fn save_in(&self, folder: &Path, outside: Outside) -> Result<Option<PathBuf>, BufferError> {
        match &self.save {
            Some(path) if outside != Outside::Allowed && !is_inside(path) => {
                Err(BufferError::Outside { name: self.label(), path: path.display().to_string() })
            }
            save => Ok(save.as_ref().map(|path| folder.join(path))),
        }
    }

    fn file(&self, folder: &Path, path: &Path, outside: Outside) -> Result<GivenFile, BufferError> {
        let (name, path_text) = (self.label(), path.display().to_string());
        if !outside.allows(folder, path) {
            return Err(BufferError::Outside { name, path: path_text });
        }
        match FileContent::open(&folder.join(path)) {
            Ok(content) => Ok(GivenFile { content, name, path: path_text }),
            Err(error) => Err(BufferError::File { name, path: path_text, error }),
        }
    }

    /// Returns the contents at the start. `folder` is the folder of the launch file; `outside` allows files
    /// elsewhere. `places` are those of buffers, for pointers.
    ///
    /// # Errors
    /// [`BufferError`].
    pub fn given(&self, folder: &Path, outside: Outside, places: &Places) -> Result<Given<'_>, BufferError> {
        let name = || self.label();
        let given = match &self.content {
            Content::Zero => Given::Bytes(Cow::Borrowed(&[])),
            Content::Bytes(bytes) => Given::Bytes(Cow::Borrowed(bytes)),
            Content::Struct(parts) => {
                let bytes = ArgValue::Struct(parts.clone()).bytes(places);
                Given::Bytes(Cow::Owned(bytes.map_err(|error| BufferError::Pointer { name: name(), error })?))
            }
            Content::File(path) => Given::File(self.file(folder, path, outside)?),
            repeated => {
                let size = self.size.ok_or_else(|| BufferError::NoSize { name: name() })?;
                return Ok(Given::Repeated(repeated, size));
            }
        };
        let content = given.len();
        match (self.size, self.shape) {
            (Some(size), Some(shape)) if content != size && self.content != Content::Zero => {
                Err(BufferError::Length { name: name(), content, shape: shape.to_string(), size })
            }
            (Some(size), _) if content > size => Err(BufferError::TooLong { name: name(), content, size }),
            _ => Ok(given),
        }
    }
}

/// The contents of a buffer at the start. Zeros follow.
pub enum Given<'a> {
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
    /// The bytes of a file.
    File(GivenFile),
    /// Copies of the element of a [`Content`], as many as fit the given size in bytes.
    Repeated(&'a Content, u64),
}

/// A file with contents.
pub struct GivenFile {
    content: FileContent,
    /// The buffer or image, as [`BufferSpec::label`] says.
    name: String,
    /// Path of the file, as the launch file states it.
    path: String,
}

/// Most bytes of a file that are read at once. They stay in the second-level cache.
const FILE_PIECE: usize = 256 << 10;

impl GivenFile {
    /// Has `length` bytes read by `read`, in pieces one after the other. It gets the place of a piece and its length,
    /// and returns how many bytes it has read, 0 at the end of the file.
    fn read(&self, length: u64, mut read: impl FnMut(u64, usize) -> io::Result<usize>) -> Result<(), BufferError> {
        let mut at = 0;
        while at < length {
            let error = match read(at, (length - at).min(FILE_PIECE as u64) as usize) {
                Ok(0) => LoadError::Shrunk { was: length, now: at },
                Ok(count) => {
                    at += count as u64;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => LoadError::from(error),
            };
            return Err(self.error(error));
        }
        Ok(())
    }

    /// Reads all bytes of a large file straight to the beginning of `memory`, which has room for them. Calls `read`
    /// after each piece with its place. Returns `false` if it is a small file.
    ///
    /// # Errors
    /// As [`Given::put`].
    pub fn read_to(&self, memory: &Backing, read: &mut dyn FnMut(Range<usize>)) -> Result<bool, BufferError> {
        let FileContent::Open(file, length) = &self.content else { return Ok(false) };
        self.read(*length, |at, len| {
            let count = memory.read_file(at as usize, len, file, at)?;
            read(at as usize..at as usize + count);
            Ok(count)
        })?;
        Ok(true)
    }

    fn error(&self, error: LoadError) -> BufferError {
        BufferError::File { name: self.name.clone(), path: self.path.clone(), error }
    }
}

impl Given<'_> {
    /// Returns the number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Given::Bytes(bytes) => bytes.len() as u64,
            Given::File(file) => file.content.len(),
            Given::Repeated(content, size) => size / content.element() * content.element(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes all bytes to `put`, in pieces one after the other.
    ///
    /// # Errors
    /// [`BufferError::File`] if they cannot be read, or the file has become shorter.
    pub fn put(&self, put: &mut dyn FnMut(&[u8])) -> Result<(), BufferError> {
        match self {
            Given::Bytes(bytes) => bytes.chunks(PIECE).for_each(put),
            Given::File(given @ GivenFile { content: FileContent::Open(file, length), .. }) => {
                let (mut bytes, mut file) = (vec![0; FILE_PIECE.min(*length as usize)], file);
                file.seek(SeekFrom::Start(0)).map_err(|error| given.error(error.into()))?;
                given.read(*length, |_, len| {
                    let count = file.read(&mut bytes[..len])?;
                    put(&bytes[..count]);
                    Ok(count)
                })?;
            }
            Given::File(given) => {
                let bytes = given.content.small().map_err(|error| given.error(error))?;
                bytes.iter().flat_map(|bytes| bytes.as_ref().chunks(PIECE)).for_each(put);
            }
            Given::Repeated(content, size) => content.repeated(*size, put),
        }
        Ok(())
    }
}

/// Whether a relative path stays in the folder that it is relative to.
pub(super) fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

impl Content {
    /// Returns the keys of all kinds of contents.
    pub(super) fn keys() -> Vec<&'static str> {
        let mut keys = vec!["hex", "base64", "struct", "file", "fill", "iota", "random"];
        keys.extend(NumberType::ALL.map(NumberType::name));
        keys
    }

    /// Reads the content of a buffer or image: at most one of the keys.
    pub(super) fn of(node: &Node<'_>) -> Read<Content> {
        let given: Vec<&str> = Content::keys().into_iter().filter(|key| node.get(key).is_some()).collect();
        match given[..] {
            [] => Ok(Content::Zero),
            [key] => Content::read(key, &node.need(key)?),
            _ => Err(node.error(format_args!("more than one content: {}", given.join(", ")))),
        }
    }

    fn read(key: &str, node: &Node<'_>) -> Read<Content> {
        Ok(match key {
            "hex" => Content::Bytes(hex(node)?),
            "base64" => Content::Bytes(
                STANDARD.decode(node.text()?).map_err(|error| node.error(format_args!("no base64: {error}")))?,
            ),
            "struct" => Content::Struct(node.list()?.iter().map(part).collect::<Read<_>>()?),
            "file" => Content::File(PathBuf::from(node.text()?)),
            "fill" => {
                let table = node.table()?;
                let [(name, value)] = &table[..] else { return Err(node.error("fill takes one type with its value")) };
                let ty = number_type(node, name)?;
                let mut bytes = Vec::new();
                for number in value.list_or_one()? {
                    ty.append(&mut bytes, ty.read(&number)?);
                }
                if bytes.is_empty() {
                    return Err(node.error("nothing to fill with"));
                }
                Content::Fill(bytes)
            }
            "iota" => {
                node.allow(&["type", "start", "step"])?;
                let ty = typed(node)?;
                let number = |key: &str, default: i128| number(node, key, ty, default);
                Content::Iota { ty, start: number("start", 0)?, step: number("step", 1)? }
            }
            "random" => {
                node.allow(&["type", "min", "max", "seed"])?;
                let ty = typed(node)?;
                let (least, most) = if ty.is_float() { (0, 1) } else { ty.range() };
                let (min, max) = (number(node, "min", ty, least)?, number(node, "max", ty, most)?);
                if matches!((min, max), (Number::Integer(min), Number::Integer(max)) if min > max) {
                    return Err(node.error("min is above max"));
                }
                let seed = node.get("seed").map(|seed| seed.integer_in()).transpose()?.unwrap_or(0);
                Content::Random { ty, min, max, seed }
            }
            name => {
                let ty = number_type(node, name)?;
                let mut bytes = Vec::new();
                for number in node.list_or_one()? {
                    ty.append(&mut bytes, ty.read(&number)?);
                }
                Content::Bytes(bytes)
            }
        })
    }

    /// Returns the size in bytes; `None` if the contents alone do not decide it.
    pub(super) fn length(&self) -> Option<u64> {
        match self {
            Content::Zero => Some(0),
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Struct(parts) => Some(ArgValue::Struct(parts.clone()).layout().0),
            Content::File(_) | Content::Fill(_) | Content::Iota { .. } | Content::Random { .. } => None,
        }
    }

    /// Returns the size of a repeated element in bytes.
    fn element(&self) -> u64 {
        match self {
            Content::Fill(element) => element.len() as u64,
            Content::Iota { ty, .. } | Content::Random { ty, .. } => ty.size() as u64,
            _ => 1,
        }
    }

    /// Passes copies of the element to `put` in pieces, as many whole ones as fit `size` bytes.
    fn repeated(&self, size: u64, put: &mut dyn FnMut(&[u8])) {
        match self {
            Content::Fill(element) => {
                let len = element.len() as u64;
                let mut left = size / len * len;
                let piece = element.repeat((PIECE as u64 / len).clamp(1, (size / len).max(1)) as usize);
                while left > 0 {
                    let part = &piece[..piece.len().min(left as usize)];
                    put(part);
                    left -= part.len() as u64;
                }
            }
            Content::Iota { ty, start, step } => match (*start, *step) {
                (Number::Integer(start), Number::Integer(step)) => {
                    let (start, step) = (start as u64, step as u64);
                    numbers(*ty, size, put, |i| start.wrapping_add(step.wrapping_mul(i)));
                }
                (Number::Float(start), Number::Float(step)) => {
                    numbers(*ty, size, put, |i| ty.of_f64(start + step * i as f64));
                }
                _ => numbers(*ty, size, put, |_| 0),
            },
            Content::Random { ty, min, max, seed } => {
                let random = |i: u64| split_mix(seed.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                match (*min, *max) {
                    (Number::Integer(min), Number::Integer(max)) => {
                        let (least, most) = (min as u64, (max - min) as u64);
                        match most.checked_add(1).filter(|count| !count.is_power_of_two()) {
                            Some(count) => numbers(*ty, size, put, |i| least.wrapping_add(random(i) % count)),
                            // The range has 2^n numbers (up to all 64 bits), so `most` is a mask.
                            None => numbers(*ty, size, put, |i| least.wrapping_add(random(i) & most)),
                        }
                    }
                    (Number::Float(min), Number::Float(max)) => {
                        let number = |i: u64| {
                            min + (max - min) * ((random(i) >> 11) as i64 as f64 * (1.0 / (1u64 << 53) as f64))
                        };
                        match ty {
                            // F32 and F64 have loops of their own, which the compiler turns into vector instructions.
                            NumberType::F32 => {
                                numbers(*ty, size, put, |i| u64::from((number(i) as f32).to_bits()));
                            }
                            NumberType::F64 => numbers(*ty, size, put, |i| number(i).to_bits()),
                            _ => numbers(*ty, size, put, |i| ty.of_f64(number(i))),
                        }
                    }
                    _ => numbers(*ty, size, put, |_| 0),
                }
            }
            _ => {}
        }
    }
}

/// Most bytes of a piece, unless a single element is longer.
const PIECE: usize = 16 << 10;

/// Fills a piece with numbers of `N` bytes, of which the first one has index `first`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn fill<const N: usize, F: Fn(u64) -> u64>(piece: &mut [u8], first: u64, bits: &F) {
    let (elements, _) = piece.as_chunks_mut::<N>();
    for (i, element) in elements.iter_mut().enumerate() {
        element.copy_from_slice(&bits(first + i as u64).to_le_bytes()[..N]);
    }
}

/// Passes numbers to `put` in pieces, as many as fit `size` bytes. `bits` returns the bits of a number by its index.
fn numbers<F: Fn(u64) -> u64>(ty: NumberType, size: u64, put: &mut dyn FnMut(&[u8]), bits: F) {
    let width = ty.size() as u64;
    let count = size / width;
    let mut piece = vec![0; PIECE.min((count * width) as usize)];
    let mut first = 0;
    while first < count {
        let len = (count - first).min(PIECE as u64 / width) * width;
        let piece = &mut piece[..len as usize];
        match width {
            1 => fill::<1, F>(piece, first, &bits),
            2 => fill::<2, F>(piece, first, &bits),
            4 => fill::<4, F>(piece, first, &bits),
            _ => fill::<8, F>(piece, first, &bits),
        }
        put(piece);
        first += len / width;
    }
}

fn number_type(node: &Node<'_>, name: &str) -> Read<NumberType> {
    let names = NumberType::ALL.map(NumberType::name).join(", ");
    NumberType::by_name(name).ok_or_else(|| node.error(format_args!("'{name}' is no type (there are {names})")))
}

fn typed(node: &Node<'_>) -> Read<NumberType> {
    let ty = node.need("type")?;
    number_type(&ty, ty.text()?)
}

fn number(node: &Node<'_>, key: &str, ty: NumberType, default: i128) -> Read<Number> {
    let given = node.get(key);
    if ty.is_float() {
        let x = match &given {
            Some(node) => node
                .value
                .as_f64()
                .ok_or_else(|| node.error(format_args!("{} where a number is expected", node.kind())))?,
            None => default as f64,
        };
        return Ok(Number::Float(x));
    }
    let n = match &given {
        Some(node) => node.integer()?,
        None => default,
    };
    let (least, most) = ty.range();
    match given {
        Some(node) if key != "step" && !(least..=most).contains(&n) => {
            Err(node.error(format_args!("{n} does not fit {}", ty.name())))
        }
        _ => Ok(Number::Integer(n)),
    }
}

/// Reads bytes from pairs of hexadecimal digits.
pub(super) fn hex(node: &Node<'_>) -> Read<Vec<u8>> {
    let digits: Vec<u8> = node.text()?.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = digits.as_chunks::<2>();
    let bytes: Option<Vec<u8>> = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    match bytes {
        Some(bytes) if rest.is_empty() => Ok(bytes),
        Some(_) => Err(node.error("an odd number of hexadecimal digits")),
        None => Err(node.error("no hexadecimal digits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_device::args::Place;

    fn bytes(json: &str) -> Result<Vec<u8>, String> {
        let value = serde_json::from_str(json).unwrap();
        let spec = BufferSpec::read("b", &Node::root(&value)).map_err(|error| error.to_string())?;
        let other = Place { name: "other".into(), base: 0x1000, size: 16, image: None };
        let places = Places { arch: gcnsim_isa::Arch::Gcn14, objects: 0, list: vec![other] };
        let given = spec.given(Path::new("nowhere"), Outside::Refused, &places).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        given.put(&mut |piece| bytes.extend(piece)).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    #[test]
    fn contents() {
        assert_eq!(bytes(r#"{"u16": [1, 258]}"#), Ok(vec![1, 0, 2, 1]));
        assert_eq!(bytes(r#"{"hex": "00 fF"}"#), Ok(vec![0, 255]));
        assert_eq!(bytes(r#"{"base64": "AQI="}"#), Ok(vec![1, 2]));
        assert_eq!(bytes(r#"{"fill": {"u16": 513}, "size": 5}"#), Ok(vec![1, 2, 1, 2]));
        assert_eq!(bytes(r#"{"iota": {"type": "i8", "start": -1, "step": 2}, "size": 3}"#), Ok(vec![255, 1, 3]));
        assert_eq!(
            bytes(r#"{"iota": {"type": "f32", "step": 0.5}, "size": 8}"#),
            Ok([0f32.to_le_bytes(), 0.5f32.to_le_bytes()].concat())
        );
        assert_eq!(
            bytes(r#"{"struct": [{"u8": 1}, {"buffer": "other", "at": 4}]}"#),
            Ok(vec![1, 0, 0, 0, 0, 0, 0, 0, 4, 0x10, 0, 0, 0, 0, 0, 0])
        );
        assert_eq!(bytes(r#"{"size": 4}"#), Ok(vec![]));
    }

    /// Expected numbers are those of the documented formula, computed in Python: z = splitmix64(seed + (i + 1) *
    /// golden).
    #[test]
    fn random_contents() {
        let z = [0x1, 0x2].map(|i: u64| split_mix(7u64.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
        let expected: Vec<u8> = z.iter().flat_map(|z| ((10 + z % 11) as u8).to_le_bytes()).collect();
        assert_eq!(bytes(r#"{"random": {"type": "u8", "min": 10, "max": 20, "seed": 7}, "size": 2}"#), Ok(expected));
        let expected: Vec<u8> = z
            .iter()
            .flat_map(|z| ((-1.0 + 2.0 * ((z >> 11) as f64 / 9007199254740992.0)) as f32).to_le_bytes())
            .collect();
        assert_eq!(bytes(r#"{"random": {"type": "f32", "min": -1, "max": 1, "seed": 7}, "size": 8}"#), Ok(expected));
        assert_eq!(
            bytes(r#"{"random": {"type": "u64"}, "size": 8}"#),
            Ok(0xe220_a839_7b1d_cdafu64.to_le_bytes().to_vec())
        );
    }

    /// Contents of several pieces, by the same formulas.
    #[test]
    fn long_contents_are_made_in_pieces() {
        const SIZE: usize = 3 * PIECE + 11;
        let of = |text: String| bytes(&text.replace("SIZE", &SIZE.to_string())).unwrap();
        let element = [3, 1, 2];
        let fill: Vec<u8> = element.iter().copied().cycle().take(SIZE / 3 * 3).collect();
        assert_eq!(of(r#"{"fill": {"u8": [3, 1, 2]}, "size": SIZE}"#.into()), fill);
        let count = SIZE as u64 / 4;
        let iota: Vec<u8> = (0..count as i32).flat_map(|i| (7 - 3 * i).to_le_bytes()).collect();
        assert_eq!(of(r#"{"iota": {"type": "i32", "start": 7, "step": -3}, "size": SIZE}"#.into()), iota);
        let z = |i: u64| split_mix(5u64.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        for (ty, least, most) in [
            (NumberType::U8, 0, 255),
            (NumberType::I16, -7, 8),
            (NumberType::U32, 3, 1000),
            (NumberType::I64, i64::MIN.into(), i64::MAX.into()),
            (NumberType::I64, -5, i64::MAX.into()),
            (NumberType::U64, 1, u64::MAX.into()),
        ] {
            let number = |i: u64| least + z(i) as i128 % (most - least + 1);
            let width = ty.size();
            let random: Vec<u8> =
                (0..(SIZE / width) as u64).flat_map(|i| number(i).to_le_bytes()[..width].to_vec()).collect();
            let text = format!(r#"{{"type": "{}", "min": {least}, "max": {most}, "seed": 5}}"#, ty.name());
            assert!(of(format!(r#"{{"random": {text}, "size": SIZE}}"#)) == random, "{ty:?} {least} {most}");
        }
    }

    #[test]
    fn contents_that_are_none() {
        let starts = |json: &str, start: &str| {
            let error = bytes(json).unwrap_err();
            assert!(error.starts_with(start), "{error}");
        };
        starts(r#"{"u8": [1], "hex": "00"}"#, "more than one content: hex, u8");
        starts("{}", "neither a content nor a 'size'");
        starts(r#"{"fill": {"u8": 1}}"#, "no 'size'");
        starts(r#"{"u32": [1, 2], "size": 4}"#, "buffer 'b': a content of 8 bytes in 4 bytes");
        starts(r#"{"hex": "0"}"#, "hex: an odd number");
        starts(r#"{"file": "../x"}"#, "buffer 'b': ../x leaves the folder");
        starts(r#"{"file": "/x"}"#, "buffer 'b': /x leaves the folder");
        starts(r#"{"file": "x"}"#, "buffer 'b': x: cannot read");
        starts(r#"{"struct": [{"buffer": "none"}]}"#, "buffer 'b': there is no buffer 'none'");
        starts(r#"{"struct": [{"buffer": "other", "at": 17}]}"#, "buffer 'b': byte 17 is beyond the end");
        starts(r#"{"random": {"type": "u8", "min": 3, "max": 2}, "size": 1}"#, "random: min is above max");
        starts(r#"{"iota": {"type": "u9"}, "size": 1}"#, "iota.type: 'u9' is no type");
    }
}
