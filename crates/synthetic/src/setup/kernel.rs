//! The start of kernels with a descriptor: arguments that are made up by metadata and code, and the registers of a
//! dispatch.
//!
//! | argument | value |
//! |---|---|
//! | buffer | memory of its own, with the values of the world, of the type of its elements |
//! | value | a number of the [plan]; if its type is a float, one of the floats of a world |
//! | LDS | 4 KiB |
//! | image, sampler | an object with a descriptor: 64 x 48 texels, four floats; nearest texel |
//! | pipe, queue, hostcall, heap | null |
//! | hidden | as in a dispatch of four groups in each dimension |

use std::sync::Arc;

use gcnsim_device::abi::{self, Addresses};
use gcnsim_device::args::{self, ArgValue, Place, Places};
use gcnsim_device::images::{Format, Kind, Layout, MipFilter, Sampler, Shape, Wrap};
use gcnsim_device::{DispatchError, Waves, apertures};
use gcnsim_isa::Note;
use gcnsim_isa::kernel::CodeProperties;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_machine::world::{
    CODE, Descriptors, Element, POINTED, SCRATCH, TARGET_STEP, TARGETS, TypedBuffer, World, WorldPiece,
};
use gcnsim_machine::{VgprFile, Wave};

use super::classify::{Classes, classify};
use super::plan::{Order, Plan};
use super::takes::{self, Meaning, Takes};
use super::{Group, Setup, SetupError, most_lds};
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
/// Dynamic LDS of an argument in bytes, if there is room.
const LOCAL: u32 = 4 << 10;
/// Most bytes of a kernarg segment.
const MOST_KERNARG: u64 = 1 << 20;
/// Returns how `kernel` of `object` starts.
///
/// # Errors
/// [`SetupError`] if metadata and descriptor contradict each other.
pub fn setup(subject: &Subject, object: &CodeObject, kernel: &Kernel, world: &World) -> Result<Setup, SetupError> {
    let arch = object.arch;
    let takes = subject.takes().cloned().unwrap_or_default();
    let plan = Plan::new(kernel, &subject.shader, takes.dimensions, world);
    let addresses =
        Addresses { image: CODE, kernarg: KERNARG, packet: PACKET, queue: QUEUE, scratch: SCRATCH, printf: PRINTF };
    let size = abi::kernarg_size(kernel).max(if kernel.metadata.is_some() { 0 } else { GUESSED_KERNARG });
    // Arguments that overlap can have more bytes than their segment.
    let explicit = args::explicit(kernel).unwrap_or_default();
    let sum = explicit.iter().fold(0, |sum: u64, arg| sum.saturating_add(arg.size));
    if size.max(sum) > MOST_KERNARG {
        return Err(contradiction(format!("kernel arguments of {} bytes", size.max(sum))));
    }
    let mut arguments = Arguments::new(kernel, arch, (world, &plan, &takes));
    let is_guessed = kernel.metadata.is_none();
    if is_guessed {
        arguments.buffers = guessed_buffers(&takes);
    }
    let guess = |placed: &mut args::PlacedArgs| {
        if placed.guessed {
            fill_guessed(&mut placed.kernarg, kernel, &classify(&subject.program), (world, &plan, &takes));
            placed.end = size.saturating_sub(if object.version >= 5 { 256 } else { 56 });
        }
    };
    let values = (&arguments.values[..], size);
    let prepared = abi::prepare(object, kernel, &plan.geometry, values, &arguments.places, &addresses, guess);
    let prepared = prepared.map_err(|error| match error {
        DispatchError::Lds { most, .. } => contradiction(format!("more LDS than {most} bytes")),
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
    let groups = plan.groups.map(|id| group(&waves, id, plan.order)).to_vec();
    Ok(Setup {
        initial_sgprs: waves.initial_sgprs() as usize,
        initial_vgprs: waves.local_ids([1; 3], 0).len(),
        undefined: 0,
        wave_scratch: waves.wave_scratch(),
        is_group_stated: plan.is_group_stated,
        buffers: arguments.buffers,
        descriptors: Descriptors::Made,
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

/// Returns a group. The waves have the work-items that the order says, and each the scratch of its place.
pub(super) fn group(setup: &Waves, id: [u32; 3], order: Order) -> Group {
    let size = setup.group_size(id);
    let count = setup.waves(id);
    let wave = |index: u32| {
        let vgprs = VgprFile::with_count(setup.vgprs());
        let mut wave = Wave { vgprs, ..Wave::from_state(setup.state(id, index)) };
        let number = order.wave(index, count);
        wave.vgprs.regs_mut().iter_mut().zip(setup.local_ids(size, number)).for_each(|(to, from)| *to = from);
        wave
    };
    Group { id, waves: (0..count).map(wave).collect() }
}

/// How arguments are made up: the world, the plan of the dispatch, and what the kernel takes its arguments for.
type By<'a> = (&'a World, &'a Plan, &'a Takes);

/// The arguments that a kernel gets, and the places that they point to.
struct Arguments {
    values: Vec<ArgValue>,
    places: Places,
    /// Memory with typed data, by address.
    buffers: Vec<TypedBuffer>,
    /// Number of the integers so far.
    integers: usize,
}

impl Arguments {
    fn new(kernel: &Kernel, arch: gcnsim_isa::Arch, by: By<'_>) -> Arguments {
        let explicit = args::explicit(kernel).unwrap_or_default();
        let locals = explicit.iter().filter(|arg| arg.kind == ArgKind::Local).count() as u32;
        let room = most_lds(arch).saturating_sub(kernel.descriptor.group_segment_size);
        // Each argument of LDS begins at a multiple of 256 bytes.
        let local = LOCAL.min((room / locals.max(1)) & !0xff);
        let places = Places { arch, objects: OBJECTS, list: Vec::new() };
        let mut made = Arguments { values: Vec::new(), places, buffers: Vec::new(), integers: 0 };
        let mut inner = explicit.len();
        for (index, arg) in explicit.into_iter().enumerate() {
            let value = match arg.kind {
                ArgKind::Buffer => {
                    made.buffers.extend(typed(index, takes::pointee(arg, by.2)));
                    pointer(index)
                }
                ArgKind::Local => ArgValue::Local(local),
                ArgKind::Image => made.image(index, arg),
                ArgKind::Sampler => ArgValue::Sampler(Sampler { normalized: by.1.is_normalized, ..SAMPLER }),
                ArgKind::Pipe | ArgKind::Queue | ArgKind::Hidden(_) => ArgValue::Null,
                ArgKind::ByValue => ArgValue::Bytes { bytes: made.value(arg, index, &mut inner, by), align: 1 },
            };
            made.values.push(value);
        }
        made.places.list.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        let points = |buffer: &TypedBuffer| buffer.elements.contains(&Element::Pointer);
        if made.buffers.iter().any(points) {
            made.buffers.extend(pointed(by.2.deep(kernel)));
        }
        made.buffers.sort_by_key(|buffer| buffer.addresses.start);
        made
    }

    /// Returns the bytes of an argument by value. Pointers in a structure get buffers from number `inner` on.
    fn value(&mut self, arg: &Arg, index: usize, inner: &mut usize, (world, plan, takes): By<'_>) -> Vec<u8> {
        let size = usize::try_from(arg.size).unwrap_or(0).min(MOST_KERNARG as usize);
        let float = |i: usize| world.typed(Element::F32, BUFFERS + 4 * (64 * index + i) as u64);
        let number = plan.number(self.integers, takes.meaning(arg));
        let mut bytes: Vec<u8> = match takes::element(takes.type_name(arg)) {
            Some(takes::Scalar::Bool) => vec![1],
            Some(takes::Scalar::Element(Element::F16)) => {
                (0..size / 2).flat_map(|i| half(float(i)).to_le_bytes()).collect()
            }
            Some(takes::Scalar::Element(Element::F32)) => (0..size / 4).flat_map(|i| float(i).to_le_bytes()).collect(),
            Some(takes::Scalar::Element(Element::F64)) => {
                (0..size / 8).flat_map(|i| f64::from(f32::from_bits(float(i))).to_le_bytes()).collect()
            }
            Some(takes::Scalar::Element(element)) => {
                self.integers += 1;
                let bytes = takes::bytes_of(element);
                (0..size / bytes).flat_map(|_| u64::from(number).to_le_bytes().into_iter().take(bytes)).collect()
            }
            None => {
                let mut dwords: Vec<u32> = Vec::with_capacity(size / 4);
                while dwords.len() < size / 4 {
                    self.append(&mut dwords, (index, inner), arg, (world, plan, takes));
                }
                dwords.into_iter().flat_map(u32::to_le_bytes).collect()
            }
        };
        if bytes.is_empty() {
            bytes.push(number as u8);
        }
        bytes.resize(size, 0);
        bytes
    }

    /// Appends one or two dwords of an argument whose type nobody names: what the code takes them for.
    fn append(
        &mut self,
        dwords: &mut Vec<u32>,
        (index, inner): (usize, &mut usize),
        arg: &Arg,
        (world, plan, takes): By<'_>,
    ) {
        let k = dwords.len();
        let offset = arg.offset as u32 + 4 * k as u32;
        let float = world.typed(Element::F32, BUFFERS + 4 * (64 * index + k) as u64);
        let of = |at: u32| takes.uses.values.get(&at).copied().unwrap_or(Element::Any);
        let number = plan.number(self.integers, takes.meaning(arg));
        match of(offset) {
            Element::F32 => dwords.push(float),
            Element::F16 => dwords.push(u32::from(half(float)) * 0x1_0001),
            Element::F64 => {
                let bits = f64::from(f32::from_bits(float)).to_bits();
                dwords.extend([bits as u32, (bits >> 32) as u32]);
            }
            Element::Pointer => {
                let address = address(*inner);
                self.buffers.extend(typed(*inner, takes.uses.pointees.get(&offset).cloned().unwrap_or_default()));
                *inner += 1;
                dwords.extend([address as u32, (address >> 32) as u32]);
            }
            Element::I64 => {
                self.integers += 1;
                dwords.extend([number, 0]);
            }
            Element::I8 | Element::I16 | Element::I32 | Element::Flag => {
                self.integers += 1;
                dwords.push(number);
            }
            // A number, or two, of which nobody says anything: the floats that the code computes with.
            Element::Any if takes.unknown_float(arg) == Some(Element::F32) => dwords.push(float),
            Element::Any if takes.unknown_float(arg) == Some(Element::F64) => {
                let bits = f64::from(f32::from_bits(float)).to_bits();
                dwords.extend([bits as u32, (bits >> 32) as u32]);
            }
            // A number of 32 or 64 bits.
            Element::Any => {
                self.integers += usize::from(k.is_multiple_of(2));
                dwords.push(if k.is_multiple_of(2) { number } else { 0 });
            }
        }
    }

    /// Returns an image of the type that the argument takes.
    fn image(&mut self, index: usize, arg: &Arg) -> ArgValue {
        let (kind, is_depth) = arg.type_name.as_deref().and_then(Kind::of_opencl).unwrap_or((Kind::D2, false));
        let format = Format::by_name(if is_depth { "d32_sfloat" } else { "r32g32b32a32_sfloat" });
        let Some(format) = format else { return ArgValue::Null };
        let size = match (kind.dimensions(), kind) {
            (1, _) => [64, 1, 1],
            (_, Kind::D3) => [64, 48, 8],
            // A cube has square faces.
            (_, Kind::Cube) => [64, 64, 1],
            _ => [64, 48, 1],
        };
        let shape = Shape { kind, size, layers: if kind.has_layers() { 6 } else { 1 }, levels: 1, format };
        let layout = Layout::new(&shape, self.places.arch);
        let name = format!("image {index}");
        let place = Place { name: name.clone(), base: address(index), size: BUFFER_STEP, image: Some((shape, layout)) };
        self.places.list.push(place);
        ArgValue::Image(name)
    }
}

/// The sampler of all arguments: the nearest texel. The plan says what its coordinates are.
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

/// Returns the memory around the address of buffer `index`, if the types of its dwords are known. Code may reach back
/// behind an address: it subtracts the base of an index that starts at 1. Buffers that would lie behind what pointers
/// point to, the 512th and later ones, have no types.
fn typed(index: usize, elements: Vec<Element>) -> Option<TypedBuffer> {
    let is_known = elements.iter().any(|element| *element != Element::Any);
    let addresses = address(index) - BUFFER_STEP / 2..address(index) + BUFFER_STEP / 2;
    let has_room = addresses.end <= POINTED;
    (is_known && has_room).then(|| TypedBuffer { addresses, elements: Arc::from(elements) })
}

/// Returns the memory that pointers in memory point to. Each place begins with a structure, as the number of dwords of
/// one is a power of two.
fn pointed(elements: Vec<Element>) -> Option<TypedBuffer> {
    let is_known = elements.iter().any(|element| *element != Element::Any);
    let addresses = POINTED..POINTED + TARGETS * TARGET_STEP;
    is_known.then(|| TypedBuffer { addresses, elements: Arc::from(elements) })
}

/// Returns a float of the world as binary16.
fn half(bits: u32) -> u16 {
    gcnsim_machine::world::half(bits) as u16
}

/// Size of the kernarg segment in bytes, if neither metadata nor descriptor state it.
const GUESSED_KERNARG: u64 = 256;

/// Fills the arguments of a kernel without metadata: with what the code takes a dword for, with a number where it loads
/// a single dword, with addresses of buffers elsewhere.
fn fill_guessed(kernarg: &mut [u8], kernel: &Kernel, classes: &Classes, (world, plan, takes): By<'_>) {
    for (index, slot) in kernarg.chunks_exact_mut(8).enumerate() {
        slot.copy_from_slice(&address(index).to_le_bytes());
    }
    let base = kernarg_sgpr(kernel.descriptor.properties);
    let single = classes.single_loads.iter().filter(|(of, _)| Some(*of) == base);
    let numbers = single.filter_map(|(_, offset)| Some((u32::try_from(*offset).ok()?, Element::I32)));
    let used = takes.uses.values.iter().map(|(&offset, &element)| (offset, element));
    let is_number = |element: &Element| matches!(element, Element::F32 | Element::I32);
    for (offset, element) in numbers.chain(used.filter(|(_, element)| is_number(element))) {
        let index = offset as usize / 4;
        let value = match element {
            Element::F32 => world.typed(Element::F32, BUFFERS + 4 * (64 * index) as u64),
            _ => plan.number(index, Meaning::Number),
        };
        if let Some(place) = kernarg.get_mut(offset as usize..).and_then(|rest| rest.get_mut(..4)) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }
}

/// Returns the memory behind the arguments of a kernel without metadata.
fn guessed_buffers(takes: &Takes) -> Vec<TypedBuffer> {
    let pointees = takes.uses.pointees.iter().filter(|(offset, _)| offset.is_multiple_of(8));
    pointees.filter_map(|(offset, elements)| typed(*offset as usize / 8, elements.clone())).collect()
}

/// Returns the first SGPR of the kernarg segment's address.
pub(super) fn kernarg_sgpr(properties: CodeProperties) -> Option<u8> {
    use CodeProperties as P;
    let before = [(P::PRIVATE_SEGMENT_BUFFER, 4), (P::DISPATCH_PTR, 2), (P::QUEUE_PTR, 2)];
    let first = before.into_iter().filter(|(bit, _)| properties.has(*bit)).map(|(_, count)| count).sum();
    properties.has(P::KERNARG_PTR).then_some(first)
}
