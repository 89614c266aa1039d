//! The start of kernels with a descriptor: arguments that are made up by their metadata, and the registers of a
//! dispatch.
//!
//! | argument | value |
//! |---|---|
//! | buffer | memory of its own, with the values of the world |
//! | value | 64; if its type is a float, one of the floats of a world |
//! | LDS | 4 KiB |
//! | image, sampler | an object with a descriptor: 64 texels wide and high, four floats; nearest texel |
//! | pipe, queue, hostcall, heap | null |
//! | hidden | as in a dispatch of four groups |

use gcnsim_device::abi::{self, Addresses};
use gcnsim_device::args::{self, ArgValue, Place, Places};
use gcnsim_device::geometry::Geometry;
use gcnsim_device::images::{Format, Kind, Layout, MipFilter, Sampler, Shape, Wrap};
use gcnsim_device::{SetupError as DeviceError, Waves, apertures};
use gcnsim_isa::Note;
use gcnsim_isa::kernel::CodeProperties;
use gcnsim_loader::Shader;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_machine::world::{CODE, SCRATCH, World, WorldKind, WorldPiece};
use gcnsim_machine::{VgprFile, Wave};

use super::classify::{Classes, classify};
use super::{Group, Setup, SetupError, most_lds, stages};
use crate::Subject;

/// Addresses of the parts of a dispatch.
const KERNARG: u64 = 0x2400_0000;
const PACKET: u64 = 0x2410_0000;
const QUEUE: u64 = 0x2420_0000;
const OBJECTS: u64 = 0x2430_0000;
const PRINTF: u64 = 0x2500_0000;
/// Size of the printf buffer in bytes, without its head.
const PRINTF_BYTES: u32 = 64 << 10;
/// Address of the first buffer. `BUFFER_STEP` is the distance from one buffer to the next.
const BUFFERS: u64 = 0x1_0000_0000;
const BUFFER_STEP: u64 = 0x0100_0000;
/// The number that an argument is if nothing says what it means.
const NUMBER: u32 = 64;
/// The number that argument 0 is in detailed worlds: the second group reaches it. Each argument is one more than the
/// one before.
const DETAILED_NUMBER: u32 = 100;
/// Dynamic LDS of an argument in bytes, if there is room.
const LOCAL: u32 = 4 << 10;
/// Most bytes of a kernarg segment.
const MOST_KERNARG: u64 = 1 << 20;
/// Number of groups of the grid, in its first dimension. Two of the groups run; the second one is in another place of
/// the grid.
const GROUPS: u32 = 4;
const GROUP_IDS: [[u32; 3]; 2] = [[0; 3], [1, 0, 0]];

/// Returns how `kernel` of `object` starts.
///
/// # Errors
/// [`SetupError`] if metadata and descriptor contradict each other.
pub fn setup(subject: &Subject, object: &CodeObject, kernel: &Kernel, world: &World) -> Result<Setup, SetupError> {
    let arch = object.arch;
    let geometry = geometry(kernel, &subject.shader);
    let addresses =
        Addresses { image: CODE, kernarg: KERNARG, packet: PACKET, queue: QUEUE, scratch: SCRATCH, printf: PRINTF };
    let size = abi::kernarg_size(kernel).max(if kernel.metadata.is_some() { 0 } else { GUESSED_KERNARG });
    // Arguments that overlap can have more bytes than their segment.
    let explicit = args::explicit(kernel).unwrap_or_default();
    let sum = explicit.iter().fold(0, |sum: u64, arg| sum.saturating_add(arg.size));
    if size.max(sum) > MOST_KERNARG {
        return Err(contradiction(format!("kernel arguments of {} bytes", size.max(sum))));
    }
    let arguments = Arguments::new(kernel, arch, world);
    let classes = &classify(&subject.program);
    let guess = |placed: &mut args::Placed| {
        if placed.guessed {
            fill_guessed(&mut placed.kernarg, kernel, classes);
            placed.end = size.saturating_sub(if object.version >= 5 { 256 } else { 56 });
        }
    };
    let values = (&arguments.values[..], size);
    let prepared = abi::prepare(object, kernel, &geometry, values, &arguments.places, &addresses, guess);
    let prepared = prepared.map_err(|error| match error {
        DeviceError::Lds { most, .. } => contradiction(format!("more LDS than {most} bytes")),
        error => contradiction(error.to_string()),
    })?;
    let mut pieces = vec![
        piece(KERNARG, prepared.kernarg),
        piece(PACKET, prepared.packet.to_vec()),
        piece(QUEUE, prepared.queue.to_vec()),
    ];
    if !prepared.objects.is_empty() {
        pieces.push(piece(OBJECTS, prepared.objects));
    }
    if abi::has_printf(kernel) {
        pieces.push(piece(PRINTF, [[0; 4], PRINTF_BYTES.to_le_bytes()].concat()));
    }
    let lds_bytes = prepared.registers.lds_bytes as usize;
    let waves = Waves::new(arch, prepared.registers);
    let mut notes = super::notes_of(subject);
    notes.insert_if(prepared.guessed, Note::KernargGuessed);
    let groups = GROUP_IDS.map(|id| group(&waves, id)).to_vec();
    let metadata = kernel.metadata.as_ref();
    Ok(Setup {
        initial_sgprs: waves.initial_sgprs() as usize,
        initial_vgprs: waves.local_ids([1; 3], 0).len(),
        lds_fill: 0,
        wave_scratch: waves.wave_scratch(),
        is_group_stated: metadata.is_some_and(|metadata| metadata.required_group_size.is_some())
            || subject.shader.group.is_some(),
        lds_is_input: false,
        groups,
        lds_bytes,
        pieces,
        apertures: apertures(arch, addresses.scratch),
        coverage: u64::MAX,
        notes,
    })
}

fn contradiction(what: String) -> SetupError {
    SetupError::Contradiction { what }
}

fn piece(address: u64, bytes: Vec<u8>) -> WorldPiece {
    WorldPiece::new(address, bytes)
}

/// Returns the size of a group that the kernel requires, or the only one that it allows; `None` if it takes any.
fn stated_group(kernel: &Kernel, shader: &Shader) -> Option<[u32; 3]> {
    let metadata = kernel.metadata.as_ref();
    let required = metadata.and_then(|metadata| metadata.required_group_size).or(shader.group);
    match (required.filter(stages::is_group), metadata.and_then(|metadata| metadata.max_group_size)) {
        (Some(required), _) => Some(required),
        (None, Some(most @ 1..64)) => Some([most, 1, 1]),
        (None, _) => None,
    }
}

/// Returns the size of a group if the kernel takes any.
pub(super) fn assumed_group(kernel: &Kernel, shader: &Shader) -> Option<[u32; 3]> {
    stated_group(kernel, shader).is_none().then(|| default_group(kernel))
}

fn default_group(kernel: &Kernel) -> [u32; 3] {
    stages::default_group(&Shader { rsrc2: Some(kernel.descriptor.rsrc2.0), ..Shader::default() })
}

/// Returns a grid of four groups of 64 work-items, or of as many as the kernel requires or allows.
fn geometry(kernel: &Kernel, shader: &Shader) -> Geometry {
    let group = stated_group(kernel, shader).unwrap_or_else(|| default_group(kernel));
    let dimensions = match group {
        [_, 1, 1] => 1,
        [_, _, 1] => 2,
        _ => 3,
    };
    Geometry { dimensions, grid: [group[0] * GROUPS, group[1], group[2]], group, offset: [0; 3] }
}

fn group(setup: &Waves, id: [u32; 3]) -> Group {
    let size = setup.group_size(id);
    let wave = |index: u32| {
        let vgprs = VgprFile::with_count(setup.vgprs());
        let mut wave = Wave { vgprs, ..Wave::from_state(setup.state(id, index)) };
        wave.vgprs.regs_mut().iter_mut().zip(setup.local_ids(size, index)).for_each(|(to, from)| *to = from);
        wave
    };
    Group { id, waves: (0..setup.waves(id)).map(wave).collect() }
}

/// The arguments that a kernel gets, and the places that they point to.
struct Arguments {
    values: Vec<ArgValue>,
    places: Places,
}

impl Arguments {
    fn new(kernel: &Kernel, arch: gcnsim_isa::Arch, world: &World) -> Arguments {
        let explicit = args::explicit(kernel).unwrap_or_default();
        let locals = explicit.iter().filter(|arg| arg.kind == ArgKind::Local).count() as u32;
        let room = most_lds(arch).saturating_sub(kernel.descriptor.group_segment_size);
        // Each argument of LDS begins at a multiple of 256 bytes.
        let local = LOCAL.min((room / locals.max(1)) & !0xff);
        let mut made = Arguments { values: Vec::new(), places: Places { arch, objects: OBJECTS, list: Vec::new() } };
        for (index, arg) in explicit.into_iter().enumerate() {
            let value = match arg.kind {
                ArgKind::Buffer => pointer(index),
                ArgKind::Local => ArgValue::Local(local),
                ArgKind::Image => made.image(index, arg),
                ArgKind::Sampler => ArgValue::Sampler(SAMPLER),
                ArgKind::Pipe | ArgKind::Queue | ArgKind::Hidden(_) => ArgValue::Null,
                ArgKind::ByValue => ArgValue::Bytes { bytes: value(arg, index, world), align: 1 },
            };
            made.values.push(value);
        }
        made.places.list.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        made
    }

    /// Returns an image of the type that the argument takes.
    fn image(&mut self, index: usize, arg: &Arg) -> ArgValue {
        let (kind, is_depth) = arg.type_name.as_deref().and_then(Kind::of_opencl).unwrap_or((Kind::D2, false));
        let format = Format::by_name(if is_depth { "d32_sfloat" } else { "r32g32b32a32_sfloat" });
        let Some(format) = format else { return ArgValue::Null };
        let size = match (kind.dimensions(), kind) {
            (1, _) => [64, 1, 1],
            (_, Kind::D3) => [64, 64, 8],
            _ => [64, 64, 1],
        };
        let shape = Shape { kind, size, layers: if kind.has_layers() { 6 } else { 1 }, levels: 1, format };
        let layout = Layout::new(&shape, self.places.arch);
        let name = format!("image {index}");
        let place = Place { name: name.clone(), base: address(index), size: BUFFER_STEP, image: Some((shape, layout)) };
        self.places.list.push(place);
        ArgValue::Image(name)
    }
}

/// The sampler of all arguments: coordinates in texels, and the nearest texel.
const SAMPLER: Sampler = Sampler {
    address: [Wrap::ClampToEdge; 3],
    linear: false,
    mip: MipFilter::None,
    normalized: false,
    compare: 0,
    border: 0,
    min_lod: 0,
    max_lod: 0,
    lod_bias: 0,
};

fn address(index: usize) -> u64 {
    BUFFERS + index as u64 * BUFFER_STEP
}

fn pointer(index: usize) -> ArgValue {
    ArgValue::Bytes { bytes: address(index).to_le_bytes().to_vec(), align: 8 }
}

/// Returns the bytes of an argument by value.
fn value(arg: &Arg, index: usize, world: &World) -> Vec<u8> {
    let size = usize::try_from(arg.size).unwrap_or(0).min(MOST_KERNARG as usize);
    let floats = World { kind: WorldKind::Float, variant: world.variant };
    let number = if world.is_detailed() { DETAILED_NUMBER + index as u32 } else { NUMBER };
    let float = |i: usize| f32::from_bits(floats.dword(BUFFERS + 4 * (64 * index + i) as u64));
    let mut bytes: Vec<u8> = match element(arg.type_name.as_deref().unwrap_or_default()) {
        Element::Half => (0..size / 2).flat_map(|i| half(float(i)).to_le_bytes()).collect(),
        Element::Float => (0..size / 4).flat_map(|i| float(i).to_le_bytes()).collect(),
        Element::Double => (0..size / 8).flat_map(|i| f64::from(float(i)).to_le_bytes()).collect(),
        Element::Bool => vec![1],
        Element::Integer(bytes) => {
            (0..size / bytes).flat_map(|_| u64::from(number).to_le_bytes().into_iter().take(bytes)).collect()
        }
        // The type is taken for a structure of numbers with 32 or 64 bits.
        Element::Unknown => (0..size / 4).flat_map(|i| if i % 2 == 0 { number } else { 0 }.to_le_bytes()).collect(),
    };
    if bytes.is_empty() {
        bytes.push(number as u8);
    }
    bytes.resize(size, 0);
    bytes
}

/// The elements that a type is made of.
enum Element {
    Half,
    Float,
    Double,
    Bool,
    /// Integers of this size in bytes.
    Integer(usize),
    Unknown,
}

/// Returns the elements of a scalar or vector type of OpenCL, such as `float`, `uint4`, `unsigned long`.
fn element(type_name: &str) -> Element {
    let name = type_name.trim().trim_end_matches(|c: char| c.is_ascii_digit());
    match name.rsplit(' ').next().unwrap_or_default() {
        "half" | "_Float16" | "__fp16" => Element::Half,
        "float" => Element::Float,
        "double" => Element::Double,
        "bool" | "_Bool" => Element::Bool,
        "char" | "uchar" | "int8_t" | "uint8_t" => Element::Integer(1),
        "short" | "ushort" | "int16_t" | "uint16_t" => Element::Integer(2),
        "int" | "uint" | "int32_t" | "uint32_t" | "unsigned" => Element::Integer(4),
        "long" | "ulong" | "size_t" | "ptrdiff_t" | "int64_t" | "uint64_t" => Element::Integer(8),
        _ => Element::Unknown,
    }
}

/// Returns a float of the world as binary16, which has all floats of worlds.
fn half(value: f32) -> u16 {
    let (sign, magnitude) = (value.to_bits() >> 16 & 0x8000, value.to_bits() & 0x7fff_ffff);
    (sign | magnitude.saturating_sub(112 << 23) >> 13) as u16
}

/// Size of the kernarg segment in bytes, if neither metadata nor descriptor state it.
const GUESSED_KERNARG: u64 = 256;

/// Fills the arguments of a kernel without metadata: with 64 where the code loads a single dword, with addresses of
/// buffers elsewhere.
fn fill_guessed(kernarg: &mut [u8], kernel: &Kernel, classes: &Classes) {
    for (index, slot) in kernarg.chunks_exact_mut(8).enumerate() {
        slot.copy_from_slice(&address(index).to_le_bytes());
    }
    let base = kernarg_sgpr(kernel.descriptor.properties);
    for &(of, offset) in &classes.single_loads {
        let place = usize::try_from(offset).ok().and_then(|at| kernarg.get_mut(at..)?.get_mut(..4));
        if let (Some(place), true) = (place, Some(of) == base) {
            place.copy_from_slice(&NUMBER.to_le_bytes());
        }
    }
}

/// Returns the first SGPR of the kernarg segment's address.
fn kernarg_sgpr(properties: CodeProperties) -> Option<u8> {
    use CodeProperties as P;
    let before = [(P::PRIVATE_SEGMENT_BUFFER, 4), (P::DISPATCH_PTR, 2), (P::QUEUE_PTR, 2)];
    let first = before.into_iter().filter(|(bit, _)| properties.has(*bit)).map(|(_, count)| count).sum();
    properties.has(P::KERNARG_PTR).then_some(first)
}
