//! Formatted buffer accesses: elements of memory to components of registers and back (docs/gcn/buffer-formats.md).

use gcnsim_isa::buffer::{BufferDescriptor, DataFormat, Field, NumFormat, Selector};
use gcnsim_isa::{Arch, LANES, Note, Notes, Vgpr};

use super::convert::{self, Lossy};
use super::element::Element;
use crate::host::Lanes;
use crate::host::lanes::{expanded, lanes_of};

/// The relation between components of an element and components in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    data: DataFormat,
    number: NumFormat,
    /// The selector of each register component.
    select: [Selector; 4],
    arch: Arch,
    /// Whether components have 16 bits in registers.
    is_half: bool,
}

const IDENTITY: [Selector; 4] =
    [Selector::Component(0), Selector::Component(1), Selector::Component(2), Selector::Component(3)];

impl Format {
    /// The format with `codes`, which are those of data and number format; `None` if the data format does not
    /// exist. Adds the notes on the codes.
    pub fn new(codes: (u8, u8), arch: Arch, is_half: bool, notes: &mut Notes) -> Option<Format> {
        let (code, number_code) = codes;
        let Some(data) = DataFormat::of_code(code) else {
            notes.insert(Note::FormatInvalid);
            return None;
        };
        let number = NumFormat::of_code(arch, number_code);
        notes.insert_if(number.is_none(), Note::FormatInvalid);
        let has = |bits: u8| data.fields.iter().any(|field| field.bits == bits);
        let is_float = number == Some(NumFormat::Float);
        notes.insert_if(is_float && (has(8) || has(2)), Note::FormatInvalid);
        let number = number.filter(|_| !(is_float && has(8))).unwrap_or(NumFormat::Uint);
        let is_doubtful = matches!(code, DataFormat::CODE_10_11_11 | DataFormat::CODE_11_11_10);
        notes.insert_if(is_doubtful && arch == Arch::Gcn10, Note::Format101111Gfx6);
        Some(Format { data, number, select: IDENTITY, arch, is_half })
    }

    /// The format with the selectors of the descriptor `v`.
    pub fn selected_by(self, v: BufferDescriptor) -> Format {
        Format { select: [0, 1, 2, 3].map(|i| v.selector(i)), ..self }
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> u8 {
        self.data.bytes
    }

    /// The alignment of an address, in bytes. Elements of three dwords are aligned to one dword.
    pub fn alignment(&self) -> u64 {
        match self.data.bytes {
            12 => 4,
            bytes if self.arch == Arch::Gcn10 => bytes as u64,
            bytes => bytes.min(4) as u64,
        }
    }

    /// Notes on the selectors of the first `components` components.
    pub fn selector_notes(&self, components: u8, is_store: bool) -> Notes {
        let used = &self.select[..components as usize];
        let is_component = |selector: &Selector| matches!(selector, Selector::Component(_));
        let is_twice = |i: usize| is_component(&used[i]) && used[..i].contains(&used[i]);
        let mut notes = Notes::NONE;
        notes.insert_if(used.contains(&Selector::Reserved), Note::FormatDstSel);
        notes.insert_if(is_store && (0..used.len()).any(is_twice), Note::FormatDstSel);
        notes
    }

    /// Whether the first component has two bits, whose sign is in doubt.
    pub fn begins_with_two_bits(&self) -> bool {
        let is_signed = matches!(self.number, NumFormat::Snorm | NumFormat::Sscaled | NumFormat::Sint);
        is_signed && self.data.fields.first().is_some_and(|field| field.bits == 2)
    }

    /// Returns the register components of an element in memory. If that is out of range (`None`), components with a
    /// constant selector are the constant, and others are 0.
    pub fn load(&self, element: Option<&Element>, components: u8, notes: &mut Notes) -> [u32; 4] {
        let one = match (self.number.is_integer(), self.is_half) {
            (true, _) => 1,
            (false, false) => 1.0f32.to_bits(),
            (false, true) => 0x3c00,
        };
        notes.insert_if(element.is_some() && self.begins_with_two_bits(), Note::Format2bit);
        let mut result = [0; 4];
        for (value, selector) in result.iter_mut().zip(self.select).take(components as usize) {
            *value = match (selector, element) {
                (Selector::One, _) => one,
                (Selector::Component(i), Some(element)) => self.component(element, i, notes),
                (Selector::Zero | Selector::Reserved | Selector::Component(_), _) => 0,
            };
        }
        result
    }

    /// Returns register component `i` of all lanes, 32 bits each. Lanes that `mask` does not have are out of range: the
    /// component is the constant if its selector is one, or 0.
    #[inline(always)]
    pub fn load_all(&self, elements: &[Vgpr; 4], mask: u64, i: usize) -> Lanes {
        let component = match self.select[i] {
            Selector::One if self.number.is_integer() => return [1; LANES],
            Selector::One => return [1.0f32.to_bits(); LANES],
            Selector::Zero | Selector::Reserved => return [0; LANES],
            Selector::Component(component) => component,
        };
        let Some(&field) = self.data.fields.get(component as usize) else { return [0; LANES] };
        let (dword, shift) = (field.shift / 32, field.shift % 32);
        let dword = &elements[dword as usize].0;
        let bits = lanes_of!(lane => dword[lane] >> shift & (u32::MAX >> (32 - field.bits)));
        let signed_pair = self.arch.has_signed_pairs();
        let mut values =
            if field.bits == 32 { bits } else { convert::load_all(self.number, field.bits, &bits, signed_pair) };
        if mask != !0 {
            let active = expanded(mask);
            (0..LANES).for_each(|lane| values[lane] &= active[lane]);
        }
        values
    }

    /// The dwords of stored elements, from register components of 32 bits. Adds the notes of the lanes of `mask`.
    #[inline(always)]
    pub fn store_all(&self, registers: &[Vgpr], mask: u64, notes: &mut Notes) -> [Lanes; 4] {
        let active = expanded(mask);
        let mut elements = [[0; LANES]; 4];
        let mut taken = 0u8;
        for (Vgpr(register), selector) in registers.iter().zip(self.select) {
            let Selector::Component(i) = selector else { continue };
            let Some(&field) = self.data.fields.get(i as usize) else { continue };
            if taken >> i & 1 == 1 {
                continue;
            }
            taken |= 1 << i;
            let dword = &mut elements[field.shift as usize / 32 % 4];
            if field.bits == 32 {
                *dword = *register;
                continue;
            }
            let (bits, is_lossy) = convert::store_all(self.number, field.bits, register, &active);
            (0..LANES).for_each(|lane| dword[lane] |= bits[lane] << (field.shift % 32));
            notes.insert_if(is_lossy, self.lossy_note());
        }
        elements
    }

    /// Component `i` of an element, converted for a register.
    fn component(&self, element: &Element, i: u8, notes: &mut Notes) -> u32 {
        let Some(&field) = self.data.fields.get(i as usize) else { return 0 };
        let bits = extract(element, field);
        let signed_pair = self.arch.has_signed_pairs();
        let value = if field.bits == 32 { bits } else { convert::load(self.number, field.bits, bits, signed_pair) };
        if !self.is_half {
            return value;
        }
        if self.number.is_integer() {
            return value & 0xffff;
        }
        let half = convert::to_f16_nearest(value);
        notes.insert_if(half.is_lossy, Note::FormatD16Round);
        half.bits
    }

    /// The element that a store makes of register components. Components without a register are 0.
    pub fn store(&self, values: &[u32], notes: &mut Notes) -> Element {
        let mut element = 0u128;
        let mut taken = 0u8;
        for (&value, selector) in values.iter().zip(self.select) {
            let Selector::Component(i) = selector else { continue };
            let Some(&field) = self.data.fields.get(i as usize) else { continue };
            if taken >> i & 1 == 0 {
                taken |= 1 << i;
                element |= (self.field(field, value, notes) as u128) << field.shift;
            }
        }
        element.to_le_bytes()
    }

    /// The bits in memory of a register component.
    fn field(&self, field: Field, value: u32, notes: &mut Notes) -> u32 {
        let value = match self.number {
            _ if !self.is_half => value,
            NumFormat::Uint => value & 0xffff,
            NumFormat::Sint => value as u16 as i16 as u32,
            _ => convert::float_of(16, value & 0xffff),
        };
        if field.bits == 32 {
            return value;
        }
        let Lossy { bits, is_lossy } = convert::store(self.number, field.bits, value);
        notes.insert_if(is_lossy, self.lossy_note());
        bits
    }

    /// The note of a store that changes or has to choose a value.
    fn lossy_note(&self) -> Note {
        match self.number {
            NumFormat::Uscaled | NumFormat::Sscaled | NumFormat::SnormOgl => Note::FormatScaledStore,
            NumFormat::Float => Note::FormatF16Store,
            _ => Note::FormatIntStore,
        }
    }
}

fn extract(element: &Element, field: Field) -> u32 {
    let bits = (u128::from_le_bytes(*element) >> field.shift) as u32;
    if field.bits == 32 { bits } else { bits & ((1 << field.bits) - 1) }
}
