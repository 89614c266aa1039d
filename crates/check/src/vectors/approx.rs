//! Deviations from the expected bits of vector registers that a vector allows: `fmt`, `nan` and `tolerance`.

use std::collections::BTreeMap;

use gcnsim_isa::{LANES, decode, export_target_name};
use serde::Deserialize;

use super::Vector;
use gcnsim_dispatch::launch::{NumberType, Tolerance};
use gcnsim_engine::observed_file::ExportSpec;
use gcnsim_machine::Wave;

/// The type of the values in the vector registers that `expect` lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// Binary16 in the low half; the upper half is exact.
    F16,
    /// Binary16 in both halves.
    F16x2,
    /// Binary32.
    F32,
    /// Binary64 in a pair of registers, the low dword first.
    F64,
}

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

/// The key `tolerance` of a vector. A value passes if it is within one of the bounds.
#[derive(Clone, Copy, PartialEq, Default, Debug, Deserialize)]
pub struct Bounds {
    /// Largest distance in steps between representable values; the two zeros are the same step.
    #[serde(default)]
    pub ulp: Option<u64>,
    /// Largest absolute difference, at least 0.
    #[serde(default, deserialize_with = "difference")]
    pub abs: Option<f64>,
}

fn difference<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match f64::deserialize(deserializer)? {
        abs if abs >= 0.0 => Ok(Some(abs)),
        abs => Err(serde::de::Error::custom(format!("abs: {abs} is less than 0"))),
    }
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
        if ty != ValueType::F64 {
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
        if ty == ValueType::F64 {
            let Some(high) = first.checked_add(1) else { return };
            let (want_high, found_high) = (dword(expected, high), dword(actual, high));
            let bits = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            let is_changed = (want, want_high) != (found, found_high);
            if is_changed && self.admits(NumberType::F64, bits(want, want_high), bits(found, found_high)) {
                actual.vgprs.lanes_mut(first)[lane] = want;
                actual.vgprs.lanes_mut(high)[lane] = want_high;
            }
            return;
        }
        if want == found {
            return;
        }
        let half = |shift: u32| match self.admits(
            NumberType::F16,
            (want >> shift & 0xffff).into(),
            (found >> shift & 0xffff).into(),
        ) {
            true => want >> shift & 0xffff,
            false => found >> shift & 0xffff,
        };
        actual.vgprs.lanes_mut(first)[lane] = match ty {
            ValueType::F16 => found & 0xffff_0000 | half(0),
            ValueType::F16x2 => half(16) << 16 | half(0),
            _ if self.admits(NumberType::F32, want.into(), found.into()) => want,
            _ => found,
        };
    }

    /// Whether the bits `actual` of an export pass where `expected` is expected.
    pub(super) fn admits_export(&self, export: &ExportSpec, expected: u32, actual: u32) -> bool {
        let Some(Fmt::Exports(types)) = &self.fmt else { return false };
        let ty = types.iter().find(|(target, _)| **target == export_target_name(export.target)).map(|(_, &ty)| ty);
        match ty {
            None | Some(ValueType::F64) => false,
            Some(ValueType::F32) => self.admits(NumberType::F32, expected.into(), actual.into()),
            Some(ValueType::F16) => {
                let is_above_equal = expected >> 16 == actual >> 16;
                is_above_equal && self.admits(NumberType::F16, (expected & 0xffff).into(), (actual & 0xffff).into())
            }
            Some(ValueType::F16x2) => [0, 16].into_iter().all(|shift| {
                let half = |bits: u32| u64::from(bits >> shift & 0xffff);
                self.admits(NumberType::F16, half(expected), half(actual))
            }),
        }
    }

    /// Whether the bits `actual` pass where `expected` is expected.
    fn admits(&self, ty: NumberType, expected: u64, actual: u64) -> bool {
        let is_nan = |bits: u64| ty.to_f64(bits).is_nan();
        if expected == actual {
            return true;
        }
        match (is_nan(expected), is_nan(actual)) {
            (true, true) => self.nan.is_some(),
            (false, false) => {
                let Bounds { ulp, abs } = self.tolerance;
                Tolerance { ulp, abs, rel: None }.admits(ty, expected, actual)
            }
            _ => false,
        }
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
            Vector::parse(line.as_bytes()).unwrap_err()
        };
        assert!(wrong(r#""fmt": "f8""#).contains("fmt") || wrong(r#""fmt": "f8""#).contains("Fmt"));
        assert!(wrong(r#""nan": "none""#).contains("unknown variant `none`"));
        assert!(wrong(r#""tolerance": {"abs": -1}"#).contains("abs: -1 is less than 0"));
        assert!(wrong(r#""tolerance": {"ulp": -1}"#).contains("invalid value"));
    }
}
