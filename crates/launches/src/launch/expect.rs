//! Results that a launch file expects, and their comparison with actual ones.

use std::path::{Path, PathBuf};

use super::Outside;
use super::tree::{Node, Read};
use super::value::NumberType;
use gcnsim_engine::difference::BufferDifference;
use gcnsim_loader::FileBytes;

/// The expected results of a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Expect {
    /// Name of the outcome.
    pub outcome: String,
    /// Executed instructions of all waves.
    pub instructions: Option<u64>,
    /// Expected contents of buffers, by name; a buffer may have several.
    pub buffers: Vec<(String, Check)>,
    /// Expected texels of images, by name; an image may have several.
    pub images: Vec<(String, Check)>,
}

/// Expected contents of a buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// Offset of the first compared byte, in bytes.
    pub at: u64,
    /// The contents.
    pub kind: CheckKind,
}

/// Kinds of expected contents.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckKind {
    /// Numbers of one type.
    List {
        /// Type of the numbers.
        ty: NumberType,
        /// Bits of the numbers; a number that is `None` is not compared.
        values: Vec<Option<u64>>,
        /// Allowed differences.
        tolerance: Tolerance,
    },
    /// Numbers in a file.
    File {
        /// Path of the file as the launch file states it.
        path: PathBuf,
        /// Type of the numbers.
        ty: NumberType,
        /// Allowed differences.
        tolerance: Tolerance,
    },
    /// XXH3-64 of the whole buffer.
    Hash(u64),
}

/// Allowed differences. Without any, the bits must agree (any NaN matches a NaN). Otherwise a value passes if at least
/// one of the differences admits it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Tolerance {
    /// Distance in representable values.
    pub ulp: Option<u64>,
    /// Absolute difference.
    pub abs: Option<f64>,
    /// Difference relative to the expected value.
    pub rel: Option<f64>,
}

impl Expect {
    /// Expects that a launch ends, and nothing else.
    pub(super) fn ended() -> Expect {
        Expect { outcome: "ended".to_owned(), instructions: None, buffers: Vec::new(), images: Vec::new() }
    }

    pub(super) fn read(node: &Node<'_>) -> Read<Expect> {
        node.allow(&["outcome", "instructions", "buffers", "images"])?;
        let checks = |key: &str| -> Read<Vec<(String, Check)>> {
            let mut found = Vec::new();
            if let Some(table) = node.get(key) {
                for (name, checks) in table.table()? {
                    for check in checks.list_or_one()? {
                        found.push((name.to_owned(), Check::read(&check)?));
                    }
                }
            }
            Ok(found)
        };
        let (buffers, images) = (checks("buffers")?, checks("images")?);
        const OUTCOMES: [&str; 6] = ["ended", "budget", "unsupported", "fault", "halted", "trap"];
        let outcome = match node.get("outcome") {
            Some(outcome) if !OUTCOMES.contains(&outcome.text()?) => {
                return Err(outcome.error(format_args!("no outcome (there are {})", OUTCOMES.join(", "))));
            }
            Some(outcome) => outcome.text()?.to_owned(),
            None => "ended".to_owned(),
        };
        let instructions = node.get("instructions").map(|n| n.integer_in()).transpose()?;
        Ok(Expect { outcome, instructions, buffers, images })
    }

    /// Returns all checks. Each has whether it is one of an image, the name of the buffer or image, and the check.
    pub fn checks(&self) -> impl Iterator<Item = (bool, &str, &Check)> {
        let buffers = self.buffers.iter().map(|(name, check)| (false, name.as_str(), check));
        buffers.chain(self.images.iter().map(|(name, check)| (true, name.as_str(), check)))
    }
}

impl Check {
    pub(super) fn read(node: &Node<'_>) -> Read<Check> {
        let mut keys = vec!["at", "file", "type", "hash", "ulp", "abs", "rel"];
        keys.extend(NumberType::ALL.map(NumberType::name));
        node.allow(&keys)?;
        let at = node.get("at").map(|at| at.integer_in()).transpose()?.unwrap_or(0);
        let float = |key: &str| -> Read<Option<f64>> {
            let Some(node) = node.get(key) else { return Ok(None) };
            match node.value.as_f64() {
                Some(x) if x < 0.0 => Err(node.error(format_args!("{x} is negative"))),
                Some(x) => Ok(Some(x)),
                None => Err(node.error(format_args!("{} where a number is expected", node.kind()))),
            }
        };
        let ulp = node.get("ulp").map(|ulp| ulp.integer_in()).transpose()?;
        let tolerance = Tolerance { ulp, abs: float("abs")?, rel: float("rel")? };
        let lists: Vec<NumberType> = NumberType::ALL.into_iter().filter(|ty| node.get(ty.name()).is_some()).collect();
        let kind = match (&lists[..], node.get("file"), node.get("hash")) {
            ([ty], None, None) => {
                let value = |node: &Node<'_>| match node.value {
                    serde_json::Value::Null => Ok(None),
                    serde_json::Value::String(text) if text == "any" => Ok(None),
                    _ => ty.read(node).map(Some),
                };
                let values = node.need(ty.name())?.list_or_one()?.iter().map(value).collect::<Read<_>>()?;
                CheckKind::List { ty: *ty, values, tolerance }
            }
            ([], Some(file), None) => {
                let ty = node.need("type")?;
                let found = NumberType::by_name(ty.text()?).ok_or_else(|| ty.error("no type"))?;
                CheckKind::File { path: PathBuf::from(file.text()?), ty: found, tolerance }
            }
            ([], None, Some(hash)) => {
                let others = keys.iter().find(|&&key| key != "hash" && node.get(key).is_some());
                if let Some(key) = others {
                    return Err(node.error(format_args!("unused key '{key}': a hash is that of the whole buffer")));
                }
                let digits = hash.text()?;
                let bits = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16);
                CheckKind::Hash(bits.ok_or_else(|| hash.error("a hash has 16 hexadecimal digits"))?)
            }
            _ => return Err(node.error("a check has a list of one type, or 'file' and 'type', or 'hash'")),
        };
        Ok(Check { at, kind })
    }

    /// Returns the file with the expected numbers, with its path as the launch file states it.
    pub fn file_path(&self) -> Option<&Path> {
        match &self.kind {
            CheckKind::File { path, .. } => Some(path),
            CheckKind::List { .. } | CheckKind::Hash(_) => None,
        }
    }

    /// Checks whether a buffer of `size` bytes can be compared with the expected contents.
    ///
    /// # Errors
    /// The reason in words, such as a file that cannot be read, or a list that is longer than the buffer.
    pub(crate) fn check(&self, name: &str, size: u64, folder: &Path, outside: Outside) -> Result<(), String> {
        self.values(name, size, folder, outside).map(|_| ())
    }

    /// Returns type, expected values and tolerance; the values fit a buffer of `size` bytes. `None` if a hash is
    /// expected.
    fn values(
        &self,
        name: &str,
        size: u64,
        folder: &Path,
        outside: Outside,
    ) -> Result<Option<(NumberType, Values<'_>, Tolerance)>, String> {
        let (ty, values, tolerance) = match &self.kind {
            CheckKind::Hash(_) => return Ok(None),
            CheckKind::List { ty, values, tolerance } => (*ty, Values::List(values), *tolerance),
            CheckKind::File { path, ty, tolerance } => {
                let shown = path.display();
                if !outside.allows(folder, path) {
                    return Err(format!("{shown} leaves the folder of the launch file (--allow-outside lets it)"));
                }
                let file = FileBytes::read(&folder.join(path)).map_err(|error| format!("{shown}: {error}"))?;
                let len = file.as_ref().len();
                if !len.is_multiple_of(ty.size()) {
                    return Err(format!("{shown}: {len} bytes are no whole number of {}", ty.name()));
                }
                (*ty, Values::File(file), *tolerance)
            }
        };
        let count = values.count(ty);
        let end = self.at.checked_add((count * ty.size()) as u64).filter(|&end| end <= size);
        if end.is_none() {
            let ty = ty.name();
            return Err(format!(
                "{count} {ty} from byte {} on are expected of buffer '{name}', which has {size} bytes",
                self.at
            ));
        }
        Ok(Some((ty, values, tolerance)))
    }

    /// Compares a buffer with the check; `folder` is that of the launch file. If the check holds, returns the number of
    /// values compared.
    ///
    /// # Errors
    /// As [`Check::check`].
    pub(crate) fn compare(
        &self,
        buffer: &Actual<'_>,
        folder: &Path,
        outside: Outside,
    ) -> Result<Result<u64, BufferDifference>, String> {
        if let CheckKind::Hash(expected) = &self.kind {
            let actual = buffer.hash;
            if actual == *expected {
                return Ok(Ok(0));
            }
            return Ok(Err(BufferDifference {
                buffer: buffer.name.to_owned(),
                index: None,
                element: None,
                at: 0,
                expected: format!("{expected:016x}"),
                actual: format!("{actual:016x}"),
                failures: 1,
                values: 1,
            }));
        }
        let Some((ty, values, tolerance)) = self.values(buffer.name, buffer.size, folder, outside)? else {
            return Ok(Ok(0));
        };
        let bytes = (buffer.read)(self.at, values.count(ty) * ty.size());
        if let Values::File(file) = &values
            && file.as_ref() == bytes
        {
            return Ok(Ok(values.count(ty) as u64));
        }
        let mut first = None;
        let (mut failures, mut compared) = (0, 0);
        for (i, actual) in bytes.chunks(ty.size()).enumerate() {
            let Some(expected) = values.get(ty, i) else { continue };
            let actual = ty.bits(actual);
            compared += 1;
            if !tolerance.admits(ty, expected, actual) {
                failures += 1;
                first.get_or_insert((i as u64, expected, actual));
            }
        }
        let size = ty.size() as u64;
        let Some((index, expected, actual)) = first else { return Ok(Ok(compared)) };
        Ok(Err(BufferDifference {
            buffer: buffer.name.to_owned(),
            index: Some(index),
            element: self.at.is_multiple_of(size).then(|| self.at / size + index),
            at: self.at + index * size,
            expected: ty.show(expected),
            actual: ty.show(actual),
            failures,
            values: compared,
        }))
    }
}

/// A buffer that is compared with checks.
pub struct Actual<'a> {
    /// Name of the buffer.
    pub name: &'a str,
    /// Size of the buffer in bytes.
    pub size: u64,
    /// XXH3-64 of the buffer's bytes.
    pub hash: u64,
    /// Function that returns a number of bytes from an offset on. They lie in the buffer.
    pub read: &'a dyn Fn(u64, usize) -> Vec<u8>,
}

/// Expected numbers.
enum Values<'a> {
    /// Bits of the numbers; a number that is `None` is not compared.
    List(&'a [Option<u64>]),
    /// A file with the numbers. It may be large, so they are not copied.
    File(FileBytes),
}

impl Values<'_> {
    /// Returns the number of values.
    fn count(&self, ty: NumberType) -> usize {
        match self {
            Values::List(values) => values.len(),
            Values::File(file) => file.as_ref().len() / ty.size(),
        }
    }

    /// Returns the bits of value `index`; `None` if it is not compared.
    fn get(&self, ty: NumberType, index: usize) -> Option<u64> {
        match self {
            Values::List(values) => values.get(index).copied().flatten(),
            Values::File(file) => file.as_ref().chunks(ty.size()).nth(index).map(|bytes| ty.bits(bytes)),
        }
    }
}

impl Tolerance {
    /// Whether an actual value is near enough to the expected one. Both are bits of the type `ty`.
    pub fn admits(&self, ty: NumberType, expected: u64, actual: u64) -> bool {
        if expected == actual {
            return true;
        }
        if !ty.is_float() {
            let whole = |bits: u64| {
                let shift = 64 - 8 * ty.size();
                if ty.range().0 < 0 { ((bits << shift) as i64 >> shift) as i128 } else { bits as i128 }
            };
            let off = (whole(expected) - whole(actual)).unsigned_abs();
            return self.ulp.is_some_and(|ulp| off <= ulp as u128)
                || self.abs.is_some_and(|abs| off as f64 <= abs)
                || self.rel.is_some_and(|rel| off as f64 <= rel * (whole(expected) as f64).abs());
        }
        let (e, a) = (ty.to_f64(expected), ty.to_f64(actual));
        if e.is_nan() || a.is_nan() {
            return e.is_nan() && a.is_nan();
        }
        if *self == Tolerance::default() {
            return false;
        }
        let steps = order(ty, expected).abs_diff(order(ty, actual));
        let off = (e - a).abs();
        e == a
            || self.ulp.is_some_and(|ulp| steps <= ulp)
            || off.is_finite()
                && (self.abs.is_some_and(|abs| off <= abs) || self.rel.is_some_and(|rel| off <= rel * e.abs()))
    }
}

/// Returns the position of a float among all floats of its type: neighbours differ by 1, and both zeros are 0.
fn order(ty: NumberType, bits: u64) -> i64 {
    let sign = 1u64 << (8 * ty.size() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    if bits & sign != 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn check(json: &str) -> Check {
        let value = serde_json::from_str(json).unwrap();
        Check::read(&Node::root(&value)).unwrap()
    }

    fn compare(json: &str, bytes: &[u8]) -> Result<Option<BufferDifference>, String> {
        let read = |at: u64, len: usize| bytes[at as usize..][..len].to_vec();
        let buffer = Actual { name: "b", size: bytes.len() as u64, hash: xxh3_64(bytes), read: &read };
        check(json).compare(&buffer, Path::new("."), Outside::Refused).map(Result::err)
    }

    #[test]
    fn lists() {
        let bytes = [1.0f32, 2.0, -0.0, f32::NAN].map(f32::to_le_bytes).concat();
        assert_eq!(compare(r#"{"f32": [1, 2, -0.0, "nan"]}"#, &bytes), Ok(None));
        assert_eq!(compare(r#"{"f32": [1, "any", null]}"#, &bytes), Ok(None));
        let wrong = compare(r#"{"at": 4, "f32": [2.5, 0]}"#, &bytes).unwrap().unwrap();
        assert_eq!(
            (wrong.index, wrong.at, wrong.expected.as_str(), wrong.actual.as_str(), wrong.failures),
            (Some(0), 4, "2.5", "2", 2)
        );
        assert_eq!((wrong.element, wrong.values), (Some(1), 2));
        let wrong = compare(r#"{"at": 2, "u32": ["any", 7]}"#, &bytes).unwrap().unwrap();
        assert_eq!((wrong.index, wrong.element, wrong.at, wrong.values), (Some(1), None, 6, 1));
        assert_eq!(compare(r#"{"at": 8, "f32": [0], "ulp": 0}"#, &bytes), Ok(None), "zeros are equal with a tolerance");
        assert!(compare(r#"{"at": 12, "f32": [1], "abs": 1e9}"#, &bytes).unwrap().is_some(), "a NaN is no number");
        let long = compare(r#"{"at": 8, "u32": [0, 0, 0]}"#, &bytes).unwrap_err();
        assert_eq!(long, "3 u32 from byte 8 on are expected of buffer 'b', which has 16 bytes");
    }

    #[test]
    fn tolerances() {
        let admits = |json: &str, expected: f32, actual: f32| {
            let CheckKind::List { ty, tolerance, .. } = check(json).kind else { unreachable!() };
            tolerance.admits(ty, expected.to_bits() as u64, actual.to_bits() as u64)
        };
        let next = f32::from_bits(1f32.to_bits() + 1);
        assert!(!admits(r#"{"f32": []}"#, 1.0, next) && admits(r#"{"f32": [], "ulp": 1}"#, 1.0, next));
        assert!(admits(r#"{"f32": [], "ulp": 2}"#, f32::from_bits(1), -f32::from_bits(1)));
        assert!(!admits(r#"{"f32": [], "ulp": 1}"#, f32::from_bits(1), -f32::from_bits(1)));
        assert!(admits(r#"{"f32": [], "rel": 0.1}"#, 10.0, 11.0) && !admits(r#"{"f32": [], "rel": 0.1}"#, 10.0, 11.1));
        assert!(admits(r#"{"f32": [], "rel": 0.1, "abs": 2}"#, 10.0, 11.9));
        assert!(
            !admits(r#"{"f32": [], "abs": 2}"#, f32::INFINITY, 1.0)
                && admits(r#"{"f32": []}"#, f32::INFINITY, f32::INFINITY)
        );
    }

    #[test]
    fn checks_make_sense() {
        for (json, message) in [
            (r#"{"f32": [1], "abs": -0.5}"#, "abs: -0.5 is negative"),
            (r#"{"f32": [1], "rel": -1}"#, "rel: -1 is negative"),
            (r#"{"f32": [1], "ulp": -1}"#, "ulp: -1 is out of range"),
            (r#"{"hash": "0123456789abcdef", "at": 0}"#, "unused key 'at': a hash is that of the whole buffer"),
            (r#"{"hash": "0123456789abcdef", "ulp": 1}"#, "unused key 'ulp'"),
            (r#"{"hash": "0123456789abcdef", "abs": 1}"#, "unused key 'abs'"),
            (r#"{"hash": "0123456789abcdef", "rel": 0.5}"#, "unused key 'rel'"),
            (r#"{"hash": "0123456789abcdef", "type": "f32"}"#, "unused key 'type'"),
        ] {
            let value = serde_json::from_str(json).unwrap();
            let error = Check::read(&Node::root(&value)).unwrap_err().to_string();
            assert!(error.contains(message), "{json}: {error}");
        }
    }

    #[test]
    fn hashes() {
        let hash = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(b"abc"));
        assert_eq!(compare(&format!(r#"{{"hash": "{hash}"}}"#), b"abc"), Ok(None));
        assert_eq!(compare(&format!(r#"{{"hash": "{hash}"}}"#), b"abd").unwrap().unwrap().index, None);
    }
}
