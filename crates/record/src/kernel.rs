//! Launch files by kernel and arguments: buffers with names, at any address.
//!
//! A dispatch has such a launch file if it would do the same with its buffers elsewhere: all that it accessed lies in
//! the kernarg segment, in the dispatch packet, in the code object as its file has it, and in the allocations that
//! explicit arguments point to; no aligned qword there, before or after, could be an address of an allocation; and what
//! was asked of the hardware is what the kernel's descriptor asks for.

use std::collections::BTreeSet;
use std::ops::Range;
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
        let image = Image { object: &object, moved: given.moved, mappings: Default::default() };
        let kernarg = (kernarg, kernarg_bytes(kernel) + PADDING);
        let is_elsewhere = |piece: &&Piece| {
            let is_read = piece.after.is_none();
            let is_given = piece.is_in(kernarg.0, kernarg.1)
                || about.packet.is_some_and(|packet| piece.is_in(packet, PACKET))
                || image.has(piece);
            !(is_read && is_given)
        };
        let elsewhere: Vec<&Piece> = capture.pieces.iter().filter(is_elsewhere).collect();
        if elsewhere.iter().any(|piece| may_have_address(piece, capture)) {
            return None;
        }
        let args = explicit(kernel)?;
        // Whole allocations where that is not too much, else what is behind each pointer.
        let both = [Buffers::whole(&args, capture), Buffers::behind_pointers(&args, capture)];
        let (args, (contents, expected), mut files) = both.into_iter().flatten().find_map(|buffers| {
            let mut files = Files::default();
            let args = args.iter().map(|arg| buffers.argument(arg, capture)).collect::<Option<Vec<Value>>>()?;
            Some((args, buffers.contents(&elsewhere, &mut files)?, files))
        })?;
        let program = files.add_file("program.co", given.bytes);
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

/// The memory that arguments point to.
struct Buffers(Vec<Buffer>);

/// A range of addresses with a name.
struct Buffer {
    name: String,
    range: Range<u64>,
}

impl Buffers {
    /// The allocations that arguments point to; `None` if there is one that cannot be a buffer.
    fn whole(args: &[&Arg], capture: &Capture) -> Option<Buffers> {
        let mut buffers = Buffers(Vec::new());
        for (number, arg, address) in pointers(args, capture) {
            let (base, size) = capture.allocations[capture.allocation_at(address)?];
            buffers.add(number, arg, base..base + size)?;
        }
        Some(buffers)
    }

    /// What is behind each pointer, up to the next one or to the end of its allocation.
    fn behind_pointers(args: &[&Arg], capture: &Capture) -> Option<Buffers> {
        let start = |address: u64| address & !(ALIGNMENT - 1);
        let starts: BTreeSet<u64> = pointers(args, capture).map(|(_, _, address)| start(address)).collect();
        let mut buffers = Buffers(Vec::new());
        for (number, arg, address) in pointers(args, capture) {
            let (base, size) = capture.allocations[capture.allocation_at(address)?];
            let start = start(address);
            let next = starts.range(start + 1..).next().copied().unwrap_or(u64::MAX);
            buffers.add(number, arg, start.max(base)..next.min(base + size))?;
        }
        Some(buffers)
    }

    /// Adds a range, unless it is there.
    fn add(&mut self, number: usize, arg: &Arg, range: Range<u64>) -> Option<()> {
        if self.0.iter().any(|buffer| buffer.range == range) {
            return Some(());
        }
        if !range.start.is_multiple_of(ALIGNMENT) || range.end - range.start > MOST_BUFFER {
            return None;
        }
        let name = arg.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("arg{number}"));
        let is_taken = self.0.iter().any(|buffer| buffer.name == name);
        let name = if is_taken { format!("{name}.{number}") } else { name };
        self.0.push(Buffer { name, range });
        Some(())
    }

    /// Returns an argument as a launch file has it. `None` if its meaning depends on addresses.
    fn argument(&self, arg: &Arg, capture: &Capture) -> Option<Value> {
        match arg.kind {
            ArgKind::ByValue => Some(value(arg, bytes_of(arg, capture)?)),
            ArgKind::Buffer => self.pointer(u64::from_le_bytes(bytes_of(arg, capture)?.try_into().ok()?)),
            ArgKind::Local
            | ArgKind::Sampler
            | ArgKind::Image
            | ArgKind::Pipe
            | ArgKind::Queue
            | ArgKind::Hidden(_) => None,
        }
    }

    fn pointer(&self, address: u64) -> Option<Value> {
        if address == 0 {
            return Some(json!({ "null": true }));
        }
        let Buffer { name, range } = self.0.iter().find(|buffer| buffer.range.contains(&address))?;
        match address - range.start {
            0 => Some(json!({ "buffer": name })),
            at => Some(json!({ "buffer": name, "at": at })),
        }
    }

    /// Returns contents and checks of the buffers, which have all of the pieces; `None` if one has not, or if the
    /// contents would be mostly zeros.
    fn contents(&self, pieces: &[&Piece], files: &mut Files) -> Option<(Value, Value)> {
        let (mut contents, mut expected) = (json!({}), json!({}));
        let mut bytes = 0;
        for Buffer { name, range } in &self.0 {
            let parts: Vec<Piece> = pieces.iter().filter_map(|piece| piece.part(range)).collect();
            bytes += parts.iter().map(Piece::len).sum::<u64>();
            contents[name] = buffer(range, &parts, files)?;
            let of_part = |piece: &Piece| {
                let mut check = check(piece.after.as_ref()?, piece.stored.clone(), files);
                let at = check.get("at").and_then(Value::as_u64).unwrap_or(0) + (piece.base - range.start);
                check["at"] = at.into();
                Some(check)
            };
            let checks: Vec<Value> = parts.iter().filter_map(of_part).collect();
            if !checks.is_empty() {
                expected[name] = checks.into();
            }
        }
        (bytes == pieces.iter().map(|piece| piece.len()).sum::<u64>()).then_some((contents, expected))
    }
}

/// Returns the arguments that point to memory: their numbers and addresses.
fn pointers<'a>(args: &'a [&'a Arg], capture: &'a Capture) -> impl Iterator<Item = (usize, &'a Arg, u64)> {
    let buffers = args.iter().copied().enumerate().filter(|(_, arg)| arg.kind == ArgKind::Buffer);
    let pointer = |(number, arg): (usize, &'a Arg)| {
        let address = u64::from_le_bytes(bytes_of(arg, capture)?.try_into().ok()?);
        (address != 0).then_some((number, arg, address))
    };
    buffers.filter_map(pointer)
}

/// Returns the bytes of an argument in the kernarg segment.
fn bytes_of<'c>(arg: &Arg, capture: &'c Capture) -> Option<&'c [u8]> {
    let (start, end) = (arg.offset, arg.offset.checked_add(arg.size)?);
    capture.kernarg.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
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
fn buffer(range: &Range<u64>, pieces: &[Piece], files: &mut Files) -> Option<Value> {
    let loaded: u64 = pieces.iter().map(|piece| piece.loaded).sum();
    let read = pieces.iter().filter(|piece| piece.loaded > 0);
    let end = read.clone().map(|piece| piece.base - range.start + piece.len()).max().unwrap_or(0);
    if end > loaded.saturating_mul(MOST_SPARSE).saturating_add(LITTLE_WASTE) {
        return None;
    }
    let mut bytes = vec![0; end as usize];
    for piece in read {
        let at = (piece.base - range.start) as usize;
        bytes[at..at + piece.before.len()].copy_from_slice(&piece.before);
    }
    let mut buffer = json!({ "size": range.end - range.start });
    content(&mut buffer, &bytes, files);
    Some(buffer)
}
