//! Relocations of code objects: their names, their values, and which of them the code can run with.
//!
//! A linked object has only dynamic relocations (sections `SHT_RELA` with `SHF_ALLOC`). The loader applies them. A
//! relocatable object has static ones; for runs of one wave and in worlds, the loader links it (`link`).
//!
//! | name | value | written |
//! |---|---|---|
//! | `R_AMDGPU_ABS32_LO`, `R_AMDGPU_ABS32_HI` | S + A | low, high 32 bits |
//! | `R_AMDGPU_ABS32` / `R_AMDGPU_ABS64` | S + A | 32 / 64 bits |
//! | `R_AMDGPU_RELATIVE64` | base + A | 64 bits |
//! | `R_AMDGPU_REL32`, `.._LO`, `.._HI`, `R_AMDGPU_REL64` | S + A - place | 32 or 64 bits |
//! | `R_AMDGPU_GOTPCREL`, `R_AMDGPU_GOTPCREL32_LO`, `.._HI` | slot of S in the GOT + A - place | 32 bits |
//! | `R_AMDGPU_REL16` | (S + A - place - 4) / 4 | 16 bits |
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", relocation records.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A place in an object whose contents depend on an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Address of the first byte that is written.
    pub place: u64,
    /// Relocation type, as in the file.
    pub kind: u32,
    /// The symbol's name, or its section's if it has none; empty if there is no symbol.
    pub symbol: Arc<str>,
    /// Addend in bytes. `None` means that the place holds the addend (`SHT_REL`).
    pub addend: Option<i64>,
    /// The symbol's value.
    pub value: SymbolValue,
}

/// The value of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolValue {
    /// The relocation names no symbol.
    None,
    /// The symbol has this address in the object.
    At(u64),
    /// The symbol is this number, which does not depend on where the object is loaded (`SHN_ABS`).
    Absolute(u64),
    /// The object does not define the symbol, which has this number in the symbol table.
    Undefined(u32),
}

pub(super) const NONE: u32 = 0;
pub(super) const ABS32_LO: u32 = 1;
pub(super) const ABS32_HI: u32 = 2;
pub(super) const ABS64: u32 = 3;
pub(super) const REL32: u32 = 4;
pub(super) const REL64: u32 = 5;
pub(super) const ABS32: u32 = 6;
pub(super) const GOTPCREL: u32 = 7;
pub(super) const GOTPCREL32_LO: u32 = 8;
pub(super) const GOTPCREL32_HI: u32 = 9;
pub(super) const REL32_LO: u32 = 10;
pub(super) const REL32_HI: u32 = 11;
pub(super) const RELATIVE64: u32 = 13;
pub(super) const REL16: u32 = 14;

/// LLVM's name for the relocation type `kind`.
pub fn name(kind: u32) -> Cow<'static, str> {
    Cow::Borrowed(match kind {
        NONE => "R_AMDGPU_NONE",
        ABS32_LO => "R_AMDGPU_ABS32_LO",
        ABS32_HI => "R_AMDGPU_ABS32_HI",
        ABS64 => "R_AMDGPU_ABS64",
        REL32 => "R_AMDGPU_REL32",
        REL64 => "R_AMDGPU_REL64",
        ABS32 => "R_AMDGPU_ABS32",
        GOTPCREL => "R_AMDGPU_GOTPCREL",
        GOTPCREL32_LO => "R_AMDGPU_GOTPCREL32_LO",
        GOTPCREL32_HI => "R_AMDGPU_GOTPCREL32_HI",
        REL32_LO => "R_AMDGPU_REL32_LO",
        REL32_HI => "R_AMDGPU_REL32_HI",
        RELATIVE64 => "R_AMDGPU_RELATIVE64",
        REL16 => "R_AMDGPU_REL16",
        other => return Cow::Owned(format!("R_AMDGPU_UNKNOWN_{other}")),
    })
}

/// Prints, for example, `R_AMDGPU_REL32_LO helper+0x4`.
impl fmt::Display for Relocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addend = self.addend.unwrap_or(0);
        f.write_str(&name(self.kind))?;
        match (&*self.symbol, addend) {
            ("", addend) => write!(f, " {addend:#x}"),
            (symbol, 0) => write!(f, " {symbol}"),
            (symbol, 1..) => write!(f, " {symbol}+{addend:#x}"),
            (symbol, _) => write!(f, " {symbol}-{:#x}", addend.unsigned_abs()),
        }
    }
}

impl Relocation {
    /// The reason why an object with this dynamic relocation cannot be loaded; `None` if it can.
    pub(super) fn refusal(&self) -> Option<String> {
        let place = self.place;
        match (self.kind, self.value) {
            (NONE | RELATIVE64, _) => None,
            (ABS32_LO | ABS32_HI | ABS32 | ABS64, SymbolValue::Undefined(_)) => Some(format!(
                "relocation {} at {place:#x} needs symbol '{}', which the object does not define",
                name(self.kind),
                self.symbol
            )),
            (ABS32_LO | ABS32_HI | ABS32 | ABS64, _) => None,
            (kind, _) => Some(format!(
                "relocation {} at {place:#x} is one that the linker resolves; the object is linked",
                name(kind)
            )),
        }
    }

    /// Writes the value of the relocation into `bytes`, whose first byte has the address `start`. Does nothing if the
    /// place is not within `bytes`.
    ///
    /// `bias` is the address where the object is loaded minus the address in the file. It is added to addresses of the
    /// object. `slot` returns the address of a symbol's GOT slot, and the address that stands for the symbol if it is
    /// undefined.
    pub(super) fn apply(&self, bytes: &mut [u8], start: u64, bias: u64, slot: impl Fn(SymbolValue) -> [u64; 2]) {
        let length = self.length();
        let Some(at) = self.place.checked_sub(start).and_then(|at| usize::try_from(at).ok()) else { return };
        let Some(place) = at.checked_add(length).and_then(|end| bytes.get_mut(at..end)) else { return };
        let held = place.iter().rev().fold(0u64, |value, &byte| value << 8 | byte as u64);
        let held = if length == 4 { held as u32 as i32 as i64 } else { held as i64 };
        let addend = self.addend.unwrap_or(held) as u64;
        let [slot, elsewhere] = slot(self.value);
        let symbol = match self.value {
            SymbolValue::None => 0,
            SymbolValue::At(address) => address.wrapping_add(bias),
            SymbolValue::Absolute(value) => value,
            SymbolValue::Undefined(_) => elsewhere,
        };
        let from = self.place.wrapping_add(bias);
        let absolute = symbol.wrapping_add(addend);
        let distance = absolute.wrapping_sub(from);
        let value = match self.kind {
            ABS32_LO | ABS32 | ABS64 => absolute,
            ABS32_HI => absolute >> 32,
            REL32 | REL32_LO | REL64 => distance,
            REL32_HI => distance >> 32,
            GOTPCREL | GOTPCREL32_LO => slot.wrapping_add(addend).wrapping_sub(from),
            GOTPCREL32_HI => slot.wrapping_add(addend).wrapping_sub(from) >> 32,
            RELATIVE64 => bias.wrapping_add(addend),
            REL16 => (distance.wrapping_sub(4) as i64 >> 2) as u64,
            _ => return,
        };
        place.copy_from_slice(&value.to_le_bytes()[..length]);
    }

    /// The address that the place holds after relocation, if it is a pointer. `to` is the symbol's address.
    pub(super) fn pointer(&self, to: u64) -> Option<u64> {
        let addend = self.addend? as u64;
        match self.kind {
            ABS64 => Some(to.wrapping_add(addend)),
            RELATIVE64 => Some(addend),
            _ => None,
        }
    }

    /// The number of bytes that the relocation writes.
    pub(super) fn length(&self) -> usize {
        match self.kind {
            ABS64 | REL64 | RELATIVE64 => 8,
            REL16 => 2,
            NONE => 0,
            _ => 4,
        }
    }
}

/// The relocations of an object that concern its code.
#[derive(Debug, Default)]
pub(crate) struct Relocations {
    /// The reason why none of the object's code can run; `None` if it can.
    pub refusal: Option<String>,
    /// Dynamic relocations in executable sections.
    pub in_code: Vec<Relocation>,
    /// Whether the loader has put constants behind the code, so that programs need all of it.
    pub is_linked: bool,
}

impl Relocations {
    /// The relocations of a linked object. `in_code` says whether an address is in an executable section.
    pub fn of_linked(all: Vec<Relocation>, in_code: impl Fn(u64) -> bool) -> Relocations {
        let refusal = all.iter().find_map(Relocation::refusal);
        let in_code = all.into_iter().filter(|r| in_code(r.place)).collect();
        Relocations { refusal, in_code, is_linked: false }
    }

    /// Whether there is nothing to apply and no refusal.
    pub fn is_empty(&self) -> bool {
        self.refusal.is_none() && self.in_code.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(kind: u32, value: SymbolValue, addend: Option<i64>, bias: u64) -> Vec<u8> {
        let mut bytes = vec![0x10, 0, 0, 0, 0xee, 0xee, 0xee, 0xee];
        let relocation = Relocation { place: 0x1000, kind, symbol: "".into(), addend, value };
        relocation.apply(&mut bytes, 0x1000, bias, |_| [0x9000, 0x7000]);
        bytes
    }

    /// The values were computed by hand from the table in the module head.
    #[test]
    fn each_type_writes_what_the_table_says() {
        let at = SymbolValue::At(0x1_2345_6780);
        for (kind, value, addend, bias, expected) in [
            (ABS32_LO, at, Some(4), 0, vec![0x84, 0x67, 0x45, 0x23, 0xee, 0xee, 0xee, 0xee]),
            (ABS32_HI, at, Some(4), 0, vec![1, 0, 0, 0, 0xee, 0xee, 0xee, 0xee]),
            (ABS64, at, Some(0), 0x1000, vec![0x80, 0x77, 0x45, 0x23, 1, 0, 0, 0]),
            (ABS32, SymbolValue::Absolute(7), None, 0x1000, vec![0x17, 0, 0, 0, 0xee, 0xee, 0xee, 0xee]),
            (RELATIVE64, SymbolValue::None, Some(0x20), 0x5000, vec![0x20, 0x50, 0, 0, 0, 0, 0, 0]),
            (REL32_LO, SymbolValue::At(0x800), Some(4), 0, vec![4, 0xf8, 0xff, 0xff, 0xee, 0xee, 0xee, 0xee]),
            (REL32_HI, SymbolValue::At(0x800), Some(12), 0, vec![0xff, 0xff, 0xff, 0xff, 0xee, 0xee, 0xee, 0xee]),
            (GOTPCREL32_LO, SymbolValue::At(0x800), Some(4), 0, vec![4, 0x80, 0, 0, 0xee, 0xee, 0xee, 0xee]),
            (REL32, SymbolValue::Undefined(1), Some(0), 0, vec![0, 0x60, 0, 0, 0xee, 0xee, 0xee, 0xee]),
            (REL16, SymbolValue::At(0x1010), Some(0), 0, vec![3, 0, 0, 0, 0xee, 0xee, 0xee, 0xee]),
            (NONE, at, Some(1), 0, vec![0x10, 0, 0, 0, 0xee, 0xee, 0xee, 0xee]),
        ] {
            assert_eq!(applied(kind, value, addend, bias), expected, "{}", name(kind));
        }
    }

    #[test]
    fn places_outside_are_left_alone() {
        for place in [0, 0xffc, 0x1005, u64::MAX] {
            let mut bytes = vec![0u8; 8];
            let value = SymbolValue::At(u64::MAX);
            let relocation = Relocation { place, kind: ABS32, symbol: "".into(), addend: Some(0), value };
            relocation.apply(&mut bytes, 0x1000, 0, |_| [0; 2]);
            assert_eq!(bytes, [0; 8], "{place:#x}");
        }
    }

    #[test]
    fn what_a_linked_object_must_not_have_is_refused_by_name() {
        let relocation = |kind, value| Relocation { place: 8, kind, symbol: "g".into(), addend: Some(0), value };
        let refusal = |kind, value| relocation(kind, value).refusal().unwrap_or_default();
        assert_eq!(refusal(ABS64, SymbolValue::At(4)), "");
        assert_eq!(refusal(RELATIVE64, SymbolValue::None), "");
        assert_eq!(
            refusal(ABS64, SymbolValue::Undefined(3)),
            "relocation R_AMDGPU_ABS64 at 0x8 needs symbol 'g', which the object does not define"
        );
        assert!(refusal(REL32_LO, SymbolValue::At(4)).starts_with("relocation R_AMDGPU_REL32_LO at 0x8 is one"));
        assert!(refusal(77, SymbolValue::At(4)).starts_with("relocation R_AMDGPU_UNKNOWN_77 at 0x8"));
    }
}
