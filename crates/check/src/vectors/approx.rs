//! Deviations from the expected bits that a vector allows, in vector registers, exports and memory: `fmt`, `nan` and
//! `tolerance`.

use std::collections::BTreeMap;

use gcnsim_isa::{LANES, decode, export_target_name};
use serde::Deserialize;

use super::Vector;
use gcnsim_engine::observed_file::ExportSpec;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_engine::value_file::{Bounds, ValueType};
use gcnsim_launches::launch::{NumberType, Tolerance};
use gcnsim_machine::{Context, Wave};

/// The key `fmt` of a vector.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Fmt {
    /// One type for all registers in `expect`.
    Registers(ValueType),
    /// A type for each export target (programs).
    Exports(BTreeMap<String, ValueType>),
}

/// The key `nan` of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Nan {
    /// Any NaN passes where a NaN is expected.
    Any,
}

impl Vector {
    /// Returns `actual` with the expected bits in every value that the vector admits. `expected` is the exact
    /// expectation. Returns `None` if the vector admits only exact bits.
    pub(super) fn settled(&self, expected: &Wave, actual: &Wave) -> Option<Wave> {
        let Some(Fmt::Registers(ty)) = self.fmt else { return None };
        let mut settled = actual.clone();
        for first in self.values(ty) {
            for lane in 0..LANES {
                self.settle(ty, first, lane, expected, &mut settled);
            }
        }
        Some(settled)
    }

    /// Returns the first register of each value.
    fn values(&self, ty: ValueType) -> Vec<u8> {
        let listed = self.expect.state.vgpr.keys().copied();
        if ty.bytes() < 8 {
            return listed.collect();
        }
        // A half that does not change may be absent from `expect`. Then the destination tells which half the other one
        // is.
        let inst = decode(self.arch, self.words[0], self.words.get(1).copied());
        let destination = if self.program { None } else { inst.ok().and_then(|inst| inst.vdst()) };
        let mut firsts: Vec<u8> = Vec::new();
        for n in listed {
            let is_high = |first: &u8| first.checked_add(1) == Some(n);
            if firsts.last().is_some_and(is_high) {
                continue;
            }
            firsts.push(if destination.as_ref().is_some_and(is_high) { n - 1 } else { n });
        }
        firsts
    }

    /// Sets the bits of one value to the expected ones if its bits are admitted.
    fn settle(&self, ty: ValueType, first: u8, lane: usize, expected: &Wave, actual: &mut Wave) {
        let dword = |wave: &Wave, n: u8| wave.vgprs.regs().get(n as usize).map_or(0, |register| register.0[lane]);
        let (want, found) = (dword(expected, first), dword(actual, first));
        if ty.bytes() == 8 {
            let Some(high) = first.checked_add(1) else { return };
            let (want_high, found_high) = (dword(expected, high), dword(actual, high));
            let bits = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            let is_changed = (want, want_high) != (found, found_high);
            if is_changed && self.rule().admits(ty, bits(want, want_high), bits(found, found_high)) {
                actual.vgprs.lanes_mut(first)[lane] = want;
                actual.vgprs.lanes_mut(high)[lane] = want_high;
            }
            return;
        }
        if want != found {
            actual.vgprs.lanes_mut(first)[lane] = self.rule().settled_dword(ty, want, found);
        }
    }

    /// Whether the bits `actual` of an export pass where `expected` is expected.
    pub(super) fn admits_export(&self, export: &ExportSpec, expected: u32, actual: u32) -> bool {
        let Some(Fmt::Exports(types)) = &self.fmt else { return false };
        let ty = types.iter().find(|(target, _)| **target == export_target_name(export.target)).map(|(_, &ty)| ty);
        ty.is_some_and(|ty| ty.bytes() < 8 && self.rule().settled_dword(ty, expected, actual) == expected)
    }

    /// The expected state, with what the context holds in every value of memory that the vector admits. `None` if
    /// exact bits count.
    pub(super) fn settled_memory(&self, context: &Context) -> Option<StateSpec> {
        let expected = &self.expect.state;
        if expected.memory.iter().all(|region| region.fmt.is_none()) {
            return None;
        }
        let mut settled = expected.clone();
        for region in &mut settled.memory {
            let Some(ty) = region.fmt else { continue };
            let rule = Rule { bounds: region.tolerance.unwrap_or(self.tolerance), any_nan: self.nan.is_some() };
            let mut actual = vec![0; region.bytes.len()];
            if actual.is_empty() || context.load(region.base, &mut actual, None).is_err() {
                continue;
            }
            for (want, found) in region.bytes.chunks_exact_mut(ty.bytes()).zip(actual.chunks_exact(ty.bytes())) {
                let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
                if rule.admits(ty, bits(want), bits(found)) {
                    want.copy_from_slice(found);
                }
            }
        }
        Some(settled)
    }

    /// The rule for registers and exports.
    fn rule(&self) -> Rule {
        Rule { bounds: self.tolerance, any_nan: self.nan.is_some() }
    }
}

/// How far values may be off.
struct Rule {
    bounds: Bounds,
    /// Whether any NaN passes for another.
    any_nan: bool,
}

impl Rule {
    /// The dword `found` with the bits of `want` in every value of a type of at most 32 bits that is admitted.
    fn settled_dword(&self, ty: ValueType, want: u32, found: u32) -> u32 {
        // Norms are in both halves, as conversions to them leave them.
        let values = if matches!(ty, ValueType::F16x2 | ValueType::Unorm16 | ValueType::Snorm16) { 2 } else { 1 };
        let bits = 8 * ty.bytes() as u32;
        (0..values).fold(found, |settled, n| {
            let mask = u32::MAX >> (32 - bits) << (n * bits);
            let value = |dword: u32| u64::from((dword & mask) >> (n * bits));
            if self.admits(ty, value(want), value(found)) { settled & !mask | want & mask } else { settled }
        })
    }

    /// Whether the bits `actual` pass where `expected` is expected.
    fn admits(&self, ty: ValueType, expected: u64, actual: u64) -> bool {
        if expected == actual {
            return true;
        }
        let number = match ty {
            ValueType::Unorm16 => return self.admits_norm(expected as i32, actual as i32, 65535.0),
            ValueType::Snorm16 => {
                let [expected, actual] = [expected, actual].map(|bits| (bits as i16).max(-i16::MAX).into());
                return self.admits_norm(expected, actual, 32767.0);
            }
            ValueType::U8 => NumberType::U8,
            ValueType::I8 => NumberType::I8,
            ValueType::U16 => NumberType::U16,
            ValueType::I16 => NumberType::I16,
            ValueType::U32 => NumberType::U32,
            ValueType::I32 => NumberType::I32,
            ValueType::U64 => NumberType::U64,
            ValueType::I64 => NumberType::I64,
            ValueType::F16 | ValueType::F16x2 => NumberType::F16,
            ValueType::F32 => NumberType::F32,
            ValueType::F64 => NumberType::F64,
        };
        let is_nan = |bits: u64| number.is_float() && number.to_f64(bits).is_nan();
        match (is_nan(expected), is_nan(actual)) {
            (true, true) => self.any_nan,
            (false, false) => {
                let Bounds { ulp, abs } = self.bounds;
                Tolerance { ulp, abs, rel: None }.admits(number, expected, actual)
            }
            _ => false,
        }
    }

    /// Whether a norm is at most one step off, or within the bounds. `one` is the number of steps from 0 to 1.
    fn admits_norm(&self, expected: i32, actual: i32, one: f64) -> bool {
        let steps = expected.abs_diff(actual);
        u64::from(steps) <= self.bounds.ulp.unwrap_or(0).max(1)
            || self.bounds.abs.is_some_and(|abs| f64::from(steps) / one <= abs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Vector, Verdict, interpreter};

    /// Whether a vector with `keys` passes that runs `v_mov_b32 v0, v1` (of pairs: `v_add_f64 v[0:1], v[2:3], 0`) on
    /// `found`, and expects `expected`.
    fn passes(keys: &str, expected: &[u32], found: &[u32]) -> bool {
        let lanes = |value: u32| format!("[{}]", vec![value.to_string(); 64].join(","));
        let listed = |first: usize, values: &[u32]| {
            let registers = values.iter().enumerate().map(|(i, &value)| format!("\"{}\": {}", first + i, lanes(value)));
            registers.collect::<Vec<_>>().join(", ")
        };
        let (words, from) = match found.len() {
            1 => ("[2113929985]", 1),
            _ => ("[3531603968, 65794]", 2),
        };
        let line = format!(
            r#"{{"id": "a", "arch": "gcn1.4", "words": {words}, {keys},
                "init": {{"exec": "0xffffffffffffffff", "mode": 1008, "vgpr": {{{}}}}},
                "expect": {{"vgpr": {{{}}}}}}}"#,
            listed(from, found),
            listed(0, expected)
        );
        let vector = Vector::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
        match vector.check(&mut *interpreter()) {
            Verdict::Passed => true,
            Verdict::Failed(_) => false,
            Verdict::Unsupported(why) => panic!("{why}"),
        }
    }

    #[test]
    fn steps_between_values_of_each_type() {
        let ulp = |ty: &str, n: u32| format!(r#""fmt": "{ty}", "tolerance": {{"ulp": {n}}}"#);
        assert!(passes(&ulp("f32", 2), &[0x3f80_0000], &[0x3f80_0002]));
        assert!(!passes(&ulp("f32", 1), &[0x3f80_0000], &[0x3f80_0002]));
        assert!(passes(&ulp("f32", 1), &[0x3f80_0000], &[0x3f7f_ffff]), "below a power of two");
        assert!(passes(&ulp("f32", 2), &[1], &[0x8000_0001]), "across the zeros");
        assert!(!passes(&ulp("f32", 1), &[1], &[0x8000_0001]));
        assert!(passes(&ulp("f32", 0), &[0], &[0x8000_0000]), "both zeros are 0");
        assert!(passes(&ulp("f16", 1), &[0xabcd_3c00], &[0xabcd_3c01]));
        assert!(!passes(&ulp("f16", 1), &[0xabcd_3c00], &[0xabce_3c00]), "the upper half is exact");
        assert!(!passes(&ulp("f16", 1), &[0xabcd_3c00], &[0xabcd_3c02]));
        assert!(passes(&ulp("f16x2", 1), &[0xbc00_3c00], &[0xbc01_3bff]));
        assert!(!passes(&ulp("f16x2", 1), &[0xbc00_3c00], &[0xbc02_3c00]));
        assert!(!passes(&ulp("f16x2", 1), &[0xbc00_3c00], &[0xbc00_3c02]));
    }

    #[test]
    fn pairs_of_registers() {
        let ulp = |n: u32| format!(r#""fmt": "f64", "tolerance": {{"ulp": {n}}}"#);
        let one = [0, 0x3ff0_0000];
        assert!(passes(&ulp(1), &one, &[1, 0x3ff0_0000]));
        assert!(passes(&ulp(1), &one, &[0xffff_ffff, 0x3fef_ffff]), "both dwords differ");
        assert!(!passes(&ulp(1), &one, &[2, 0x3ff0_0000]) && passes(&ulp(2), &one, &[2, 0x3ff0_0000]));
        let high_alone = r#""fmt": "f64", "tolerance": {"ulp": 3}"#;
        let line = format!(
            r#"{{"id": "a", "arch": "gcn1.4", "words": [3531603968, 65794], {high_alone},
                "init": {{"exec": 1, "mode": 1008, "vgpr": {{"2": [3{zeros}], "3": [1072693248{zeros}]}}}},
                "expect": {{"vgpr": {{"1": [1072693248{zeros}]}}}}}}"#,
            zeros = ",0".repeat(63)
        );
        let vector = Vector::parse(line.as_bytes()).unwrap();
        assert_eq!(vector.check(&mut *interpreter()), Verdict::Passed, "the low dword is expected to stay 0");
    }

    #[test]
    fn either_bound_admits() {
        let both = r#""fmt": "f32", "tolerance": {"ulp": 1, "abs": 0.5}"#;
        assert!(passes(both, &[1f32.to_bits()], &[1.5f32.to_bits()]));
        assert!(!passes(both, &[1f32.to_bits()], &[1.75f32.to_bits()]));
        assert!(passes(both, &[1e30f32.to_bits()], &[1e30f32.to_bits() + 1]));
        assert!(!passes(both, &[f32::INFINITY.to_bits()], &[1f32.to_bits()]));
        assert!(passes(r#""fmt": "f16", "tolerance": {"abs": 0.25}"#, &[0x3c00], &[0x3d00]));
        assert!(!passes(r#""fmt": "f16", "tolerance": {"abs": 0.25}"#, &[0x3c00], &[0x3d01]));
    }

    #[test]
    fn nans() {
        let (nan, other) = (0x7fc0_0000, 0xffc0_0001);
        assert!(passes(r#""fmt": "f32", "nan": "any""#, &[nan], &[other]));
        assert!(!passes(r#""fmt": "f32", "nan": "any""#, &[nan], &[0x7f80_0000]), "infinity is no NaN");
        assert!(!passes(r#""fmt": "f32", "nan": "any", "tolerance": {"ulp": 9}"#, &[0x7f80_0000], &[0x7f80_0001]));
        assert!(!passes(r#""fmt": "f32""#, &[nan], &[other]) && !passes(r#""nan": "any""#, &[nan], &[other]));
        assert!(!passes(r#""fmt": "f32", "tolerance": {"ulp": 9, "abs": 9}"#, &[nan], &[nan + 1]), "bits count");
        assert!(passes(r#""fmt": "f16x2", "nan": "any""#, &[0x7e00_3c00], &[0xfe01_3c00]));
        assert!(passes(r#""fmt": "f64", "nan": "any""#, &[0, 0x7ff8_0000], &[5, 0xfff8_0000]));
    }

    #[test]
    fn without_keys_bits_count() {
        assert!(!passes(r#""fmt": "f32""#, &[0], &[0x8000_0000]), "no tolerance");
        assert!(!passes(r#""tolerance": {"ulp": 9}"#, &[1], &[2]), "no type");
    }

    #[test]
    fn wrong_keys_are_broken_lines() {
        let wrong = |keys: &str| {
            let line = format!(r#"{{"id": "a", "arch": "gcn1.4", "words": [1], {keys}}}"#);
            Vector::parse(line.as_bytes()).unwrap_err().to_string()
        };
        assert!(wrong(r#""fmt": "f8""#).contains("fmt") || wrong(r#""fmt": "f8""#).contains("Fmt"));
        assert!(wrong(r#""nan": "none""#).contains("unknown variant `none`"));
        assert!(wrong(r#""tolerance": {"abs": -1}"#).contains("abs: -1 is less than 0"));
        assert!(wrong(r#""tolerance": {"ulp": -1}"#).contains("invalid value"));
    }

    /// Whether a value of memory passes. `keys` are those of the piece; one more byte follows in it.
    fn memory_passes(keys: &str, expected: &str, found: &str) -> bool {
        // s_nop 0 on memory that already is what is found.
        let line = format!(
            r#"{{"id": "a", "arch": "gcn1.4", "words": ["0xbf800000"],
                "init": {{"memory": [{{"base": 4096, "hex": "{found}77"}}]}},
                "expect": {{"pc": 4, "memory": [{{"base": 4096, "hex": "{expected}77", {keys}}}]}}}}"#
        );
        let vector = Vector::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
        vector.check(&mut *interpreter()) == Verdict::Passed
    }

    #[test]
    fn integers_and_norms() {
        let with = |ty: &str, more: &str| format!(r#""fmt": "{ty}"{more}"#);
        let two = r#", "tolerance": {"ulp": 2}"#;
        for (ty, want, near, far) in [
            ("u8", 0xaaaa_aa05, 0xaaaa_aa07, 0xaaaa_aa08),
            ("i8", 0xaaaa_aaff, 0xaaaa_aa01, 0xaaaa_aa02),
            ("u16", 0xaaaa_0005, 0xaaaa_0007, 0xaaab_0005),
            ("i16", 0xaaaa_ffff, 0xaaaa_0001, 0xaaaa_0002),
            ("u32", 0x7fff_ffff, 0x8000_0001, 0x8000_0002),
            ("i32", 0xffff_ffff, 1, 2),
        ] {
            assert!(passes(&with(ty, two), &[want], &[near]), "{ty}");
            assert!(!passes(&with(ty, two), &[want], &[far]), "{ty}");
            assert!(!passes(&with(ty, ""), &[want], &[near]), "{ty} without a tolerance is exact");
        }
        assert!(!passes(&with("u32", two), &[0], &[u32::MAX]) && passes(&with("i32", two), &[0], &[u32::MAX]));
        // One step is always admitted, in each half; -32768 is -32767.
        assert!(passes(&with("unorm16", ""), &[0xffff_0000], &[0xfffe_0001]));
        assert!(!passes(&with("unorm16", ""), &[0xffff_0000], &[0xffff_0002]));
        assert!(!passes(&with("unorm16", ""), &[0xffff_0000], &[0xffff_ffff]), "0 is not 1");
        assert!(passes(&with("unorm16", two), &[0], &[2]));
        assert!(passes(&with("unorm16", r#", "tolerance": {"abs": 0.001}"#), &[0], &[65]));
        assert!(!passes(&with("unorm16", r#", "tolerance": {"abs": 0.001}"#), &[0], &[66]));
        assert!(passes(&with("snorm16", ""), &[0x8000_ffff], &[0x8002_0000]));
        assert!(!passes(&with("snorm16", ""), &[0x8000_ffff], &[0x8003_0000]));
        assert!(passes(&with("snorm16", r#", "tolerance": {"abs": 0.001}"#), &[0], &[32]));
        assert!(!passes(&with("snorm16", r#", "tolerance": {"abs": 0.001}"#), &[0], &[33]));
    }

    #[test]
    fn wide_integers() {
        // v_add_f64 flushes no bits of 1.0 and its neighbours.
        let two = r#""fmt": "u64", "tolerance": {"ulp": 2}"#;
        let one = [0, 0x3ff0_0000];
        assert!(passes(two, &one, &[2, 0x3ff0_0000]) && !passes(two, &one, &[3, 0x3ff0_0000]));
        assert!(passes(&two.replace("u64", "i64"), &one, &[0xffff_fffe, 0x3fef_ffff]));
    }

    #[test]
    fn memory() {
        let two = r#""fmt": "f32", "tolerance": {"ulp": 2}"#;
        assert!(memory_passes(two, "0000803f00000040", "0200803ffeffff3f"));
        assert!(!memory_passes(two, "0000803f00000040", "0300803f00000040"));
        assert!(!memory_passes(r#""fmt": "f32""#, "0000803f", "0100803f"), "no tolerance");
        assert!(memory_passes(r#""fmt": "unorm16""#, "0000ffff", "0100feff"));
        assert!(!memory_passes(r#""fmt": "unorm16""#, "0000ffff", "0200feff"));
        assert!(memory_passes(r#""fmt": "f16x2", "tolerance": {"abs": 0.25}"#, "003c003c", "003d003b"));
        assert!(memory_passes(r#""fmt": "u64", "tolerance": {"ulp": 1}"#, "ffffffff00000000", "0000000001000000"));
        assert!(memory_passes(r#""fmt": "i8", "tolerance": {"abs": 2}"#, "ff00", "01fe"));
        assert!(!memory_passes(r#""fmt": "u8", "tolerance": {"abs": 2}"#, "ff00", "0100"));
        assert!(!memory_passes(r#""private": false"#, "00", "01"));
    }

    #[test]
    fn the_tolerance_of_the_vector_counts_where_a_piece_has_none() {
        let line = r#"{"id": "a", "arch": "gcn1.4", "words": ["0xbf800000"], "tolerance": {"abs": 3},
            "init": {"memory": [{"base": 4096, "hex": "07"}]},
            "expect": {"pc": 4, "memory": [{"base": 4096, "hex": "05", "fmt": "u8"}]}}"#;
        let check = |line: &str| Vector::parse(line.as_bytes()).unwrap().check(&mut *interpreter());
        assert_eq!(check(line), Verdict::Passed);
        let own = line.replace(r#""fmt": "u8""#, r#""fmt": "u8", "tolerance": {"ulp": 1}"#);
        assert!(matches!(check(&own), Verdict::Failed(_)));
        let misplaced = line.replace(r#""hex": "07""#, r#""hex": "07", "fmt": "u8""#);
        let error = Vector::parse(misplaced.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("only what a vector expects has fmt"), "{error}");
    }
}
