//! Memory, LDS and GDS in state files, sidecars and conformance vectors: `"memory": [{"base": "0x..", "hex": ".."}]`,
//! `"lds": {"size": N, "hex": ".."}`, `"gds": {"hex": ".."}`; and where FLAT finds LDS and scratch: `"apertures":
//! {"shared": "0x..", "private": "0x..", "hidden_private_base": "0x.."}`, the high dwords of their addresses.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use gcnsim_isa::Program;
use gcnsim_machine::{Access, Apertures, Backing, Context, Mapping, Place, canonical};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::difference::Difference;
use crate::number::NumberSeed;
use crate::state_file::StateSpec;
use crate::value_file::{Bounds, ValueType};

/// Limit in bytes for the LDS of a work-group. The global data share has this size.
const MOST_LDS: u32 = 64 << 10;

/// Bytes of guest memory at an address.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Guest address of the first byte.
    #[serde(deserialize_with = "base")]
    pub base: u64,
    /// The bytes.
    #[serde(rename = "hex", deserialize_with = "hex")]
    pub bytes: Vec<u8>,
    /// Whether nobody observes these bytes: they are not compared (vectors of whole shaders).
    #[serde(default)]
    pub private: bool,
    /// The type of the values that the bytes are (only where a vector expects them).
    #[serde(default)]
    pub fmt: Option<ValueType>,
    /// How far values may be off, instead of what the vector says of all.
    #[serde(default)]
    pub tolerance: Option<Bounds>,
}

/// LDS of a work-group, or the global data share, which is always 65,536 bytes long.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LdsSpec {
    /// Number of bytes allocated, at most 65,536. The default is the number of bytes given.
    #[serde(default, deserialize_with = "size")]
    pub size: Option<u32>,
    /// The first bytes. The others are 0, or unchanged where something is expected.
    #[serde(default, rename = "hex", deserialize_with = "hex")]
    pub bytes: Vec<u8>,
}

/// The apertures of FLAT addresses (GCN 1.1 and later).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApertureSpec {
    /// High dword of the addresses that mean LDS.
    #[serde(deserialize_with = "high_dword")]
    pub shared: u32,
    /// High dword of the addresses that mean the lane's scratch.
    #[serde(deserialize_with = "high_dword")]
    pub private: u32,
    /// Before GCN 1.4, the address that FLAT_SCRATCH_HI is relative to.
    #[serde(default, deserialize_with = "base")]
    pub hidden_private_base: u64,
}

impl ApertureSpec {
    /// The apertures as a JSON object.
    pub(crate) fn to_json(self) -> String {
        let ApertureSpec { shared, private, hidden_private_base: base } = self;
        format!(
            "{{\"shared\": \"{shared:#x}\", \"private\": \"{private:#x}\", \"hidden_private_base\": \"{base:#x}\"}}"
        )
    }
}

/// Reads a structure only from an object; serde would accept a list, too.
pub(crate) struct FromObject<T>(pub PhantomData<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for FromObject<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for FromObject<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of size and hex for lds")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

fn base<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    NumberSeed { field: &"base of memory", bits: 64 }.deserialize(deserializer)
}

fn high_dword<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(NumberSeed { field: &"an aperture", bits: 32 }.deserialize(deserializer)? as u32)
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let size = NumberSeed { field: &"size of lds", bits: 32 }.deserialize(deserializer)?;
    Ok(Some(size as u32))
}

fn hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    bytes_of_hex(&text).ok_or_else(|| D::Error::custom("hex: expected two hexadecimal digits for each byte"))
}

/// The bytes of hexadecimal digits: `00ff` is 0 and 255. `None` if `text` is something else.
fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    let digits = digits?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Bytes as hexadecimal digits.
pub fn hex_of_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Region {
    /// Returns bytes at an address, all of which count.
    pub fn new(base: u64, bytes: Vec<u8>) -> Region {
        Region { base, bytes, private: false, fmt: None, tolerance: None }
    }

    fn end(&self) -> u64 {
        self.base.saturating_add(self.bytes.len() as u64)
    }

    fn overlaps(&self, base: u64, len: u64) -> bool {
        self.base < base.saturating_add(len) && base < self.end()
    }

    /// Whether guest memory holds these bytes.
    fn is_in(&self, context: &Context) -> bool {
        let mut bytes = vec![0; self.bytes.len()];
        !bytes.is_empty() && context.load(self.base, &mut bytes, None).is_ok() && bytes == self.bytes
    }
}

/// Checks that the regions can be mapped.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn check_regions(regions: &[Region]) -> Result<(), String> {
    for (i, region) in regions.iter().enumerate() {
        let (base, len) = (region.base, region.bytes.len() as u64);
        let is_addressable = base.checked_add(len).is_some() && canonical(base) == base && {
            let last = base + len.saturating_sub(1);
            canonical(last) == last && last >> 63 == base >> 63
        };
        if !is_addressable {
            return Err(format!("memory: {len} bytes at {base:#x} do not lie in 48 bits"));
        }
        if let Some(other) = regions[..i].iter().find(|other| other.overlaps(base, len)) {
            return Err(format!("memory: what lies at {base:#x} overlaps what lies at {:#x}", other.base));
        }
    }
    Ok(())
}

/// Checks that regions name no types of values.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn check_types(regions: &[Region]) -> Result<(), String> {
    match regions.iter().find(|region| region.fmt.is_some() || region.tolerance.is_some()) {
        Some(region) => Err(format!("memory at {:#x}: only what a vector expects has fmt and tolerance", region.base)),
        None => Ok(()),
    }
}

/// Checks that a work-group can have LDS of this size, and that it holds the bytes.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn check_lds(lds: &LdsSpec) -> Result<(), String> {
    let size = lds.size.unwrap_or(lds.bytes.len().min(u32::MAX as usize) as u32);
    if size > MOST_LDS {
        return Err(format!("{size} bytes are more than {MOST_LDS}"));
    }
    if lds.bytes.len() > size as usize {
        return Err(format!("{} bytes in {size}", lds.bytes.len()));
    }
    Ok(())
}

impl StateSpec {
    /// The context of a wave that starts from this state: the memory and LDS that it names, and the program's code,
    /// unless it names memory there. By default LDS is as large as the generation allows.
    pub fn context(&self, program: &Program) -> Context {
        let mut context = Context::default();
        if self.memory.iter().any(|region| region.overlaps(program.base(), program.bytes().len() as u64)) {
            context = self.context_without_code(program);
        } else {
            context.make_ready(program);
            self.fill(&mut context);
        }
        context
    }

    /// The context without the program's code.
    pub fn context_without_code(&self, program: &Program) -> Context {
        // `whole` only tells the size of LDS.
        let mut whole = Context::default();
        whole.make_ready(program);
        let mut context = Context::ready(whole.lds.len());
        self.fill(&mut context);
        context
    }

    fn fill(&self, context: &mut Context) {
        for region in self.memory.iter().filter(|region| !region.bytes.is_empty()) {
            // With this offset, an access that is aligned for the guest is aligned in the backing, too.
            let (len, offset) = (region.bytes.len(), (region.base % 256) as usize);
            let Some(segment) = Backing::zeroed(offset + len) else { continue };
            segment.write(offset, &region.bytes);
            let mapping = Mapping::new(region.base, "memory", Arc::new(segment));
            context.space.map(Mapping { len: len as u64, offset, ..mapping });
        }
        if let Some(lds) = &self.lds {
            let mut bytes = lds.bytes.clone();
            bytes.resize(lds.size.map_or(bytes.len(), |size| size as usize), 0);
            context.lds = bytes.into();
        }
        if let Some(gds) = &self.gds {
            context.make_gds_ready();
            context.write_share(Place::Gds, 0, &gds.bytes);
        }
        context.apertures = self.apertures.map(|spec| Apertures {
            shared: spec.shared,
            private: spec.private,
            hidden_private_base: spec.hidden_private_base,
        });
    }

    /// The differences of memory, LDS and GDS from the bytes that this state names.
    pub fn memory_differences(&self, context: &Context) -> Vec<Difference> {
        let mut found = self.differences_in_regions(context);
        self.compare_shares(context, &mut found);
        found
    }

    /// The differences of guest memory from the bytes that this state names.
    fn differences_in_regions(&self, context: &Context) -> Vec<Difference> {
        let mut found = Vec::new();
        for region in self.memory.iter().filter(|region| !region.is_in(context)) {
            for (address, &expected) in (region.base..).zip(&region.bytes) {
                let is_mapped = context.check(address, 1, Access::Load, None).is_ok();
                let actual = is_mapped.then(|| context.byte(Place::Memory, address));
                compare(format_args!("memory[{address:#x}]"), expected, actual, &mut found);
            }
        }
        found
    }

    /// Compares LDS and GDS with the bytes that this state names.
    fn compare_shares(&self, context: &Context, found: &mut Vec<Difference>) {
        for (name, share, actual) in [("lds", &self.lds, &context.lds[..]), ("gds", &self.gds, &context.gds[..])] {
            for (at, &expected) in share.iter().flat_map(|share| share.bytes.iter().enumerate()) {
                compare(format_args!("{name}[{at}]"), expected, actual.get(at).copied(), found);
            }
        }
    }

    /// The differences of guest memory from that of `initial`, except that the bytes that this state names replace
    /// those of `initial`, and that its private regions are left out.
    pub fn guest_memory_differences(&self, initial: &StateSpec, context: &Context) -> Vec<Difference> {
        let mut found = self.differences_in_regions(context);
        let is_named = |address: u64| self.memory.iter().any(|region| region.overlaps(address, 1));
        for region in initial.memory.iter().filter(|region| !region.private && !region.is_in(context)) {
            for (address, &expected) in (region.base..).zip(&region.bytes).filter(|&(address, _)| !is_named(address)) {
                let actual = Some(context.byte(Place::Memory, address));
                compare(format_args!("memory[{address:#x}]"), expected, actual, &mut found);
            }
        }
        found
    }

    /// The differences of `context` from the one that `initial` makes, except that the bytes that this state names
    /// replace those of `initial`.
    pub fn all_memory_differences(&self, initial: &StateSpec, context: &Context) -> Vec<Difference> {
        let mut found = self.guest_memory_differences(initial, context);
        self.compare_shares(context, &mut found);
        let shares =
            [("lds", &self.lds, &initial.lds, &context.lds[..]), ("gds", &self.gds, &initial.gds, &context.gds[..])];
        for (name, named, before, actual) in shares {
            let named = named.as_ref().map_or(0, |share| share.bytes.len());
            let mut expected = before.as_ref().map_or(Vec::new(), |share| share.bytes.clone());
            expected.resize(actual.len(), 0);
            // Usually they are equal, and comparing them as a whole is quicker.
            if expected.get(named..) != actual.get(named..) {
                for (at, (&expected, &actual)) in expected.iter().zip(actual).enumerate().skip(named) {
                    compare(format_args!("{name}[{at}]"), expected, Some(actual), &mut found);
                }
            }
        }
        found
    }
}

fn compare(field: fmt::Arguments<'_>, expected: u8, actual: Option<u8>, found: &mut Vec<Difference>) {
    if actual != Some(expected) {
        let actual = actual.map_or("nothing there".into(), |byte| format!("{byte:#04x}"));
        found.push(Difference::new(field.to_string(), format_args!("{expected:#04x}"), actual));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::Arch;

    const STATE: &str = r#"{"memory": [{"base": "0x1003", "hex": "00ff80"}, {"base": 8192, "hex": "01"}],
                            "lds": {"size": 8, "hex": "0102"}}"#;

    #[test]
    fn contexts_hold_what_is_named() {
        let spec = StateSpec::from_json(STATE).unwrap();
        let program = Program::from_words(Arch::Gcn10, &[0xbf81_0000]);
        let context = spec.context(&program);
        assert_eq!(
            [0x1002, 0x1003, 0x1004, 0x1005, 0x1006].map(|at| context.byte(Place::Memory, at)),
            [0, 0, 255, 128, 0]
        );
        assert_eq!((&context.lds[..], context.byte(Place::Memory, 3)), (&[1, 2, 0, 0, 0, 0, 0, 0][..], 0xbf));
        assert_eq!(spec.context_without_code(&program).space.mappings().len(), 2);
        assert_eq!(StateSpec::default().context(&program).lds.len(), 32 << 10);
        // The state names memory where the code would lie.
        let spec = StateSpec::from_json(r#"{"memory": [{"base": 2, "hex": "77"}]}"#).unwrap();
        let context = spec.context(&program);
        assert_eq!((context.byte(Place::Memory, 2), context.space.mappings().len()), (0x77, 1));
        // Accesses that are aligned for the guest are aligned on the host.
        let spec = StateSpec::from_json(r#"{"memory": [{"base": "0x1002", "hex": "000000000000"}]}"#).unwrap();
        let mut context = spec.context(&program);
        context.update32(0x1004, |_| 7);
        assert_eq!(context.byte(Place::Memory, 0x1004), 7);
    }

    #[test]
    fn differences_are_named_by_byte() {
        let spec = StateSpec::from_json(STATE).unwrap();
        let mut context = spec.context(&Program::from_words(Arch::Gcn14, &[0]));
        context.store(0x1004, &[1]);
        context.lds[5] = 9;
        let fields = |found: Vec<Difference>| found.into_iter().map(|d| d.to_string()).collect::<Vec<_>>();
        assert_eq!(fields(spec.memory_differences(&context)), ["memory[0x1004]: expected 0xff, got 0x01"]);
        let expect = StateSpec::from_json(r#"{"memory": [{"base": "0x1004", "hex": "02"}]}"#).unwrap();
        assert_eq!(
            fields(expect.all_memory_differences(&spec, &context)),
            ["memory[0x1004]: expected 0x02, got 0x01", "lds[5]: expected 0x00, got 0x09"]
        );
        let expect = StateSpec::from_json(r#"{"memory": [{"base": "0x1006", "hex": "02"}]}"#).unwrap();
        assert_eq!(fields(expect.memory_differences(&context)), ["memory[0x1006]: expected 0x02, got nothing there"]);
    }

    #[test]
    fn the_global_data_share_and_apertures_are_there() {
        let json = r#"{"gds": {"hex": "0506"},
                       "apertures": {"shared": "0x20000000", "private": 536870913, "hidden_private_base": "0x4000"}}"#;
        let spec = StateSpec::from_json(json).unwrap();
        let mut context = spec.context(&Program::from_words(Arch::Gcn11, &[0]));
        assert_eq!((context.gds.len(), &context.gds[..3]), (65536, &[5, 6, 0][..]));
        let apertures = Apertures { shared: 0x2000_0000, private: 0x2000_0001, hidden_private_base: 0x4000 };
        assert_eq!(context.apertures, Some(apertures));
        assert!(spec.all_memory_differences(&spec, &context).is_empty());
        context.gds[7] = 1;
        let found = StateSpec::default().all_memory_differences(&spec, &context);
        assert_eq!(found.iter().map(Difference::to_string).collect::<Vec<_>>(), ["gds[7]: expected 0x00, got 0x01"]);
        assert_eq!(StateSpec::from_json(&spec.to_json()).unwrap(), spec);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (json, message) in [
            (r#"{"memory": [{"base": 0, "hex": "0"}]}"#, "two hexadecimal digits"),
            (r#"{"memory": [{"base": 0, "hex": "zz"}]}"#, "two hexadecimal digits"),
            (r#"{"memory": [{"base": "x", "hex": ""}]}"#, "for base of memory"),
            (r#"{"memory": [{"hex": ""}]}"#, "missing field `base`"),
            (r#"{"memory": [{"base": 0, "hexx": ""}]}"#, "unknown field `hexx`"),
            (
                r#"{"memory": [{"base": 0, "hex": "0000"}, {"base": 1, "hex": "00"}]}"#,
                "at 0x1 overlaps what lies at 0x0",
            ),
            (r#"{"memory": [{"base": "0x7fffffffffff", "hex": "0000"}]}"#, "do not lie in 48 bits"),
            (r#"{"memory": [{"base": "0x800000000000", "hex": "00"}]}"#, "do not lie in 48 bits"),
            (r#"{"memory": [{"base": "0xffffffffffffffff", "hex": "0000"}]}"#, "do not lie in 48 bits"),
            (r#"{"lds": {"size": 65537}}"#, "lds: 65537 bytes are more than 65536"),
            (r#"{"lds": {"size": 1, "hex": "0000"}}"#, "lds: 2 bytes in 1"),
            (r#"{"lds": []}"#, "an object of size and hex for lds"),
            (r#"{"gds": {"size": 65537}}"#, "gds: 65537 bytes are more than 65536"),
            (r#"{"apertures": {"shared": 1}}"#, "missing field `private`"),
            (r#"{"apertures": {"shared": 1, "private": "0x100000000"}}"#, "does not fit 32 bits"),
        ] {
            let error = StateSpec::from_json(json).unwrap_err().to_string();
            assert!(error.contains(message), "{json}: {error}");
        }
    }
}
