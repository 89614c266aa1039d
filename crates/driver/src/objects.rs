//! The code objects that ROCr has loaded, from the list that it keeps for debuggers: names and source lines of kernels.
//!
//! Source: ROCr's `_amdgpu_r_debug`, which has the form of the C library's `r_debug` (a list of link maps, whose names
//! are URIs).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::{CodeObject, Kernel};

use crate::program::Program;

/// Most loaded objects that are looked at.
const MOST_OBJECTS: usize = 4096;
/// Most bytes of a URI.
const MOST_URI: usize = 4096;
/// Most bytes of a code object.
const MOST_BYTES: u64 = 1 << 30;

/// A code object that is loaded.
pub struct Object {
    /// Distance from an address of the file to the guest address.
    pub moved: u64,
    /// The bytes of its file.
    pub bytes: FileBytes,
    /// The object.
    pub object: CodeObject,
    /// Its source lines.
    pub lines: SourceLines,
}

/// What is known of a kernel beyond its descriptor.
#[derive(Clone)]
pub struct Named {
    /// The object.
    pub object: Arc<Object>,
    /// Number of the kernel in it.
    index: usize,
}

impl Named {
    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.object.object.kernels[self.index]
    }

    /// Returns the name of the kernel.
    pub fn name(&self) -> &str {
        &self.kernel().name
    }

    /// Returns the source line of a guest address.
    pub fn line(&self, pc: u64) -> Option<String> {
        self.object.lines.at(pc.wrapping_sub(self.object.moved))
    }
}

/// An entry of the list: the distance, and where the file is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Link {
    moved: u64,
    uri: String,
}

/// The objects that are known, and the list as it was when they were read.
#[derive(Default)]
pub struct Objects {
    links: Vec<Link>,
    objects: Vec<Arc<Object>>,
}

impl Objects {
    /// Returns what is known of the kernel whose descriptor is at `address`. `list` is the address of ROCr's list.
    pub fn named(&mut self, program: &dyn Program, list: u64, address: u64) -> Option<Named> {
        let links = links(program, list);
        if links != self.links {
            let known = std::mem::take(&mut self.objects);
            let old = std::mem::take(&mut self.links);
            for link in links {
                // An object stays if its place and its file are the same.
                let same = old.iter().position(|other| *other == link);
                let object = same.and_then(|at| known.iter().find(|object| object.moved == old[at].moved).cloned());
                self.objects.extend(object.or_else(|| load(program, &link).map(Arc::new)));
                self.links.push(link);
            }
        }
        self.objects.iter().find_map(|object| {
            let kernels = &object.object.kernels;
            let is_it = |kernel: &Kernel| kernel.descriptor_address.wrapping_add(object.moved) == address;
            Some(Named { object: object.clone(), index: kernels.iter().position(is_it)? })
        })
    }
}

fn u64_at(program: &dyn Program, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    program.read(address, &mut bytes).then(|| u64::from_le_bytes(bytes))
}

/// Reads the list: `r_debug` has the first link at byte 8; a link has the distance at byte 0, the name at byte 8, and
/// the next one at byte 24.
fn links(program: &dyn Program, list: u64) -> Vec<Link> {
    let mut links = Vec::new();
    let mut next = u64_at(program, list.wrapping_add(8)).unwrap_or(0);
    while next != 0 && links.len() < MOST_OBJECTS {
        let field = |at: u64| u64_at(program, next.wrapping_add(at));
        let (Some(moved), Some(name), Some(after)) = (field(0), field(8), field(24)) else { break };
        links.push(Link { moved, uri: string(program, name) });
        next = after;
    }
    links
}

/// Reads a string that ends with 0, piece by piece, as the page behind it may be missing.
fn string(program: &dyn Program, address: u64) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < MOST_URI {
        let mut piece = [0; 64];
        let at = address.wrapping_add(bytes.len() as u64);
        let len = 64 - (at % 64) as usize;
        if !program.read(at, &mut piece[..len]) {
            break;
        }
        let end = piece[..len].iter().position(|&byte| byte == 0);
        bytes.extend_from_slice(&piece[..end.unwrap_or(len)]);
        if end.is_some() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn load(program: &dyn Program, link: &Link) -> Option<Object> {
    let file = FileBytes::from(bytes_of(program, &link.uri)?);
    let object = CodeObject::parse(&file).ok()?;
    Some(Object { moved: link.moved, object, lines: SourceLines::of(&file), bytes: file })
}

/// Returns the bytes that a URI names: `file://PATH#offset=N&size=N`, or `memory://PID#offset=ADDRESS&size=N`.
fn bytes_of(program: &dyn Program, uri: &str) -> Option<Vec<u8>> {
    let (place, range) = uri.split_once('#').unwrap_or((uri, ""));
    let number = |name: &str| {
        let text = range.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))?;
        match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    if place.strip_prefix("memory://").is_some() {
        let (offset, size) = (number("offset")?, number("size").filter(|&size| size <= MOST_BYTES)?);
        let mut bytes = vec![0; size as usize];
        return program.read(offset, &mut bytes).then_some(bytes);
    }
    let file = File::open(unescaped(place.strip_prefix("file://")?)).ok()?;
    let offset = number("offset").unwrap_or(0);
    let size = match number("size") {
        Some(size) => size,
        None => file.metadata().ok()?.len().checked_sub(offset)?,
    };
    let mut bytes = vec![0; usize::try_from(size).ok().filter(|_| size <= MOST_BYTES)?];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

/// Replaces `%xx` by the byte that it stands for.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
