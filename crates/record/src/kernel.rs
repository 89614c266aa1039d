//! Launch files by kernel and arguments: buffers with names, at any address.
//!
//! A dispatch has such a launch file if it would do the same with its buffers elsewhere: all that it accessed lies in
//! the kernarg segment, in the dispatch packet, in the code object as its file has it, and in the allocations that
//! explicit arguments point to; no aligned qword there, before or after, could be an address of an allocation; and what
//! was asked of the hardware is what the kernel's descriptor asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gcnsim_device::args::explicit;
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{Dispatch, load};
use gcnsim_launches::launch::NumberType;
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_machine::Mapping;
use serde_json::{Value, json};

use crate::About;
use crate::capture::{Capture, Piece};
use crate::folder::{Files, Launch};
use crate::registers::{check, content};

/// Number of objects that are remembered.
const MOST_OBJECTS: usize = 64;
/// Most bytes of an allocation that is a buffer.
const MOST_BUFFER: u64 = 256 << 20;
/// Most bytes of contents for each byte that was loaded, and how many may be wasted in any case.
const MOST_SPARSE: u64 = 8;
const LITTLE_WASTE: u64 = 64 << 10;
/// Size of a dispatch packet in bytes, and alignment of buffers.
const PACKET: u64 = 64;
const ALIGNMENT: u64 = 256;
/// Number of zero bytes that follow a kernarg segment.
const PADDING: u64 = 64;

/// Code objects that were read before. The bytes of each stay, so that their place tells which one it is.
#[derive(Default, Debug)]
pub struct Objects(Mutex<Vec<(FileBytes, Option<Arc<CodeObject>>)>>);

impl Objects {
    /// Returns a code object, unless it is none that can be launched.
    fn get(&self, bytes: &FileBytes) -> Option<Arc<CodeObject>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(other, _): &&(FileBytes, _)| std::ptr::eq(other.as_ref(), bytes.as_ref());
        if let Some((_, object)) = known.iter().find(is_it) {
            return object.clone();
        }
        let object = CodeObject::parse(bytes).ok().map(Arc::new);
        if known.len() >= MOST_OBJECTS {
            known.remove(0);
        }
        known.push((bytes.clone(), object.clone()));
        object
    }

    /// Returns the size in bytes of the kernarg segment of a kernel; 0 if it is not known.
    pub fn kernarg_size(&self, about: &About<'_>) -> usize {
        let size = || {
            let given = about.object.as_ref()?;
            let object = self.get(given.bytes)?;
            Some(kernarg_bytes(&object.kernels[object.kernel_index(given.kernel)?]) as usize)
        };
        size().unwrap_or(0)
    }

    /// Returns guest address and size of the segment of code that has an address.
    pub fn segment(&self, about: &About<'_>, address: u64) -> Option<(u64, u64)> {
        let given = about.object.as_ref()?;
        let (object, at) = (self.get(given.bytes)?, address.wrapping_sub(given.moved));
        let segment = object.segments.iter().find(|segment| segment.is_code_at(at))?;
        Some((segment.address.wrapping_add(given.moved), segment.size))
    }

    /// Makes the launch file of a dispatch; `None` if it would not do the same with its buffers elsewhere.
    pub fn launch(&self, dispatch: &Dispatch, about: &About<'_>, capture: &Capture) -> Option<Launch> {
        let given = about.object.as_ref()?;
        let object = self.get(given.bytes)?;
        let kernel = &object.kernels[object.kernel_index(given.kernel)?];
        let kernarg = about.kernarg?;
        let registers = dispatch.waves().registers();
        let geometry = geometry(about, capture)?;
        let static_lds = kernel.descriptor.group_segment_size.next_multiple_of(512);
        let is_as_stated = registers.pc == given.moved.wrapping_add(kernel.entry)
            && registers.grid == geometry.grid()
            && registers.lds_bytes.next_multiple_of(512) == static_lds
            && registers.rsrc1 == kernel.descriptor.rsrc1;
        if !is_as_stated {
            return None;
        }
        let mut buffers = Buffers::default();
        let args = explicit(kernel)?;
        let args = args.into_iter().enumerate().map(|(number, arg)| buffers.argument(number, arg, capture));
        let args = args.collect::<Option<Vec<Value>>>()?;
        let image = Image { object: &object, moved: given.moved, mappings: Default::default() };
        let kernarg = (kernarg, kernarg_bytes(kernel) + PADDING);
        let is_elsewhere = |piece: &&Piece| {
            let is_read = piece.after.is_none();
            let is_given = piece.is_in(kernarg.0, kernarg.1)
                || about.packet.is_some_and(|packet| piece.is_in(packet, PACKET))
                || image.has(piece);
            !(is_read && is_given)
        };
        let mut files = Files::default();
        let program = files.add_as("program.co", given.bytes.as_ref());
        let mut pieces: HashMap<usize, Vec<&Piece>> = HashMap::new();
        for piece in capture.pieces.iter().filter(is_elsewhere) {
            let allocation = piece.allocation.filter(|index| buffers.names.contains_key(index))?;
            if may_have_address(piece, capture) {
                return None;
            }
            pieces.entry(allocation).or_default().push(piece);
        }
        let (mut contents, mut expected) = (json!({}), json!({}));
        for (allocation, name) in &buffers.names {
            let pieces = pieces.get(allocation).map_or(&[][..], Vec::as_slice);
            let (base, size) = capture.allocations[*allocation];
            contents[name] = buffer(base, size, pieces, &mut files)?;
            let checks: Vec<Value> = pieces
                .iter()
                .filter_map(|piece| {
                    let mut check = check(piece.after.as_ref()?, piece.stored.clone(), &mut files);
                    let at = check.get("at").and_then(Value::as_u64).unwrap_or(0) + (piece.base - base);
                    check["at"] = at.into();
                    Some(check)
                })
                .collect();
            if !checks.is_empty() {
                expected[name] = checks.into();
            }
        }
        let dimensions = geometry.dimensions as usize;
        let launch = json!({
            "kernel": kernel.name,
            "grid": geometry.grid[..dimensions],
            "group": geometry.group[..dimensions],
            "args": args,
            "buffers": contents,
            "expect": { "buffers": expected },
        });
        Some(Launch { tree: json!({ "program": program, "launch": [launch] }), files })
    }
}

fn kernarg_bytes(kernel: &Kernel) -> u64 {
    gcnsim_device::abi::kernarg_size(kernel).min(gcnsim_device::MOST_KERNARG)
}

fn geometry(about: &About<'_>, capture: &Capture) -> Option<Geometry> {
    let used = (0..3).rposition(|i| about.grid[i] != 1 || about.group[i] != 1).map_or(1, |last| last + 1);
    let dimensions = (capture.dimensions as usize).max(used);
    Geometry::new(about.grid.get(..dimensions)?, about.group.get(..dimensions)?, &[])
}

/// The image of a code object in guest memory.
struct Image<'a> {
    object: &'a CodeObject,
    moved: u64,
    /// The segments as the file has them, once somebody asks.
    mappings: std::cell::OnceCell<Vec<Mapping>>,
}

impl Image<'_> {
    /// Whether memory was that of the file.
    fn has(&self, piece: &Piece) -> bool {
        let (first, span) = self.object.span();
        if !piece.is_in(first.wrapping_add(self.moved), span) {
            return false;
        }
        let mappings = self.mappings.get_or_init(|| load::mappings(self.object, self.moved).unwrap_or_default());
        let place = mappings.iter().find_map(|mapping| Some((mapping, mapping.place(piece.base, piece.len())?)));
        place.is_some_and(|(mapping, at)| {
            let mut bytes = vec![0; piece.before.len()];
            mapping.backing.read_into(at, &mut bytes);
            // What was not read is 0.
            piece.before.iter().zip(&bytes).all(|(read, byte)| read == byte || *read == 0)
        })
    }
}

/// The allocations that arguments point to.
#[derive(Default)]
struct Buffers {
    /// Names of buffers by allocation.
    names: std::collections::BTreeMap<usize, String>,
}

impl Buffers {
    /// Returns an argument as a launch file has it. `None` if its meaning depends on addresses.
    fn argument(&mut self, number: usize, arg: &Arg, capture: &Capture) -> Option<Value> {
        let (start, end) = (usize::try_from(arg.offset).ok()?, usize::try_from(arg.offset + arg.size).ok()?);
        let bytes = capture.kernarg.get(start..end)?;
        match arg.kind {
            ArgKind::ByValue => Some(value(arg, bytes)),
            ArgKind::Buffer => self.pointer(number, arg, u64::from_le_bytes(bytes.try_into().ok()?), capture),
            ArgKind::Local
            | ArgKind::Sampler
            | ArgKind::Image
            | ArgKind::Pipe
            | ArgKind::Queue
            | ArgKind::Hidden(_) => None,
        }
    }

    fn pointer(&mut self, number: usize, arg: &Arg, address: u64, capture: &Capture) -> Option<Value> {
        if address == 0 {
            return Some(json!({ "null": true }));
        }
        let index = capture.allocation_at(address)?;
        let (base, size) = capture.allocations[index];
        if !base.is_multiple_of(ALIGNMENT) || size > MOST_BUFFER {
            return None;
        }
        let name = arg.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("arg{number}"));
        let is_taken = self.names.iter().any(|(other, known)| *other != index && *known == name);
        let name = if is_taken { format!("{name}.{number}") } else { name };
        let name = self.names.entry(index).or_insert(name).clone();
        match address - base {
            0 => Some(json!({ "buffer": name })),
            at => Some(json!({ "buffer": name, "at": at })),
        }
    }
}

/// Returns a value as a launch file has it: as a number, if its type is known.
fn value(arg: &Arg, bytes: &[u8]) -> Value {
    let hex = || json!({ "hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() });
    let ty = arg.type_name.as_deref().and_then(NumberType::of_source);
    let Some((ty, 1)) = ty.filter(|(ty, _)| ty.size() == bytes.len()) else { return hex() };
    let bits = ty.bits(bytes);
    if ty.is_float() {
        let number = ty.to_f64(bits);
        let is_exact = number.is_finite() && ty.of_f64(number) == bits;
        let number = if is_exact { json!(number) } else { json!(format!("{bits:#x}")) };
        return json!({ ty.name(): number });
    }
    match ty.show(bits).parse::<serde_json::Number>() {
        Ok(number) => json!({ ty.name(): number }),
        Err(_) => hex(),
    }
}

/// Whether an aligned qword of memory may be an address in an allocation.
fn may_have_address(piece: &Piece, capture: &Capture) -> bool {
    let skip = (piece.base.wrapping_neg() % 8) as usize;
    let is_address = |bytes: &[u8; 8]| capture.allocation_at(u64::from_le_bytes(*bytes)).is_some();
    let has = |bytes: &[u8]| bytes.get(skip..).is_some_and(|bytes| bytes.as_chunks::<8>().0.iter().any(is_address));
    has(&piece.before) || piece.after.as_deref().is_some_and(has)
}

/// Returns a buffer with the contents that were loaded; `None` if that were mostly zeros between them.
fn buffer(base: u64, size: u64, pieces: &[&Piece], files: &mut Files) -> Option<Value> {
    let loaded: u64 = pieces.iter().map(|piece| piece.loaded).sum();
    let read = pieces.iter().filter(|piece| piece.loaded > 0);
    let end = read.clone().map(|piece| piece.base - base + piece.len()).max().unwrap_or(0);
    if end > loaded.saturating_mul(MOST_SPARSE).saturating_add(LITTLE_WASTE) {
        return None;
    }
    let mut bytes = vec![0; end as usize];
    for piece in read {
        let at = (piece.base - base) as usize;
        bytes[at..at + piece.before.len()].copy_from_slice(&piece.before);
    }
    let mut buffer = json!({ "size": size });
    content(&mut buffer, &bytes, files);
    Some(buffer)
}
