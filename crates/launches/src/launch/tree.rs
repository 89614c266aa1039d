//! A launch file as a tree, from TOML or JSON, with paths for messages.

use std::fmt;
use std::rc::Rc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::Syntax;
use gcnsim_loader::nearest;

/// An error in a launch file, and its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}{}{what}", if path.is_empty() { "" } else { ": " })]
#[non_exhaustive]
pub struct LaunchError {
    /// The place, for example `launch[0].args[2]`; empty for the file as a whole.
    pub path: String,
    /// The error in words.
    pub what: String,
}

/// A value in the tree, with its place.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub value: &'a Value,
    /// Path to the value; `None` at the root.
    path: Option<Rc<Step<'a>>>,
}

/// Last step of a path to a node. A path becomes text only for errors.
struct Step<'a> {
    from: Option<Rc<Step<'a>>>,
    to: Part<'a>,
}

/// The key or index of a node in its table or list.
enum Part<'a> {
    Key(&'a str),
    Item(usize),
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = &self.from {
            write!(f, "{from}")?;
        }
        match (&self.from, &self.to) {
            (None, Part::Key(key)) => f.write_str(key),
            (Some(_), Part::Key(key)) => write!(f, ".{key}"),
            (_, Part::Item(number)) => write!(f, "[{number}]"),
        }
    }
}

/// Result of reading a part of the tree.
pub(super) type Read<T> = Result<T, LaunchError>;

/// Reads TOML or JSON.
pub(super) fn parse(text: &str, syntax: Syntax) -> Read<Value> {
    let whole = |what: String| LaunchError { path: String::new(), what };
    if text.trim().is_empty() {
        return Err(whole("the file is empty".to_owned()));
    }
    if syntax == Syntax::Json {
        let json = serde_json::from_str(text).map(|UniqueKeys(value)| value);
        return json.map_err(|error| whole(format!("no JSON: {error}")));
    }
    let table: toml::Table =
        toml::from_str(text).map_err(|error| whole(format!("no TOML: {}", error.to_string().trim_end())))?;
    Ok(of_toml(toml::Value::Table(table)))
}

/// A JSON value in which no object has a key twice. (`Value` alone would take the last value of such a key.)
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueKeys, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor).map(UniqueKeys)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(n.into())
    }

    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(n.into())
    }

    fn visit_f64<E>(self, x: f64) -> Result<Value, E> {
        Ok(x.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueKeys(value)) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut table = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if table.contains_key(&key) {
                return Err(A::Error::custom(format_args!("key '{key}' is there twice")));
            }
            let UniqueKeys(value) = map.next_value()?;
            table.insert(key, value);
        }
        Ok(Value::Object(table))
    }
}

/// Converts a TOML value. Dates become strings, and so do floats that JSON does not have.
fn of_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Float(x) if x.is_nan() => "nan".into(),
        toml::Value::Float(x) if x.is_infinite() => (if x > 0.0 { "inf" } else { "-inf" }).into(),
        toml::Value::Float(x) => x.into(),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(list) => list.into_iter().map(of_toml).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, of_toml(value))).collect())
        }
    }
}

impl<'a> Node<'a> {
    pub fn root(value: &'a Value) -> Node<'a> {
        Node { value, path: None }
    }

    /// Returns the node of a part of this node's value.
    fn part(&self, to: Part<'a>, value: &'a Value) -> Node<'a> {
        Node { value, path: Some(Rc::new(Step { from: self.path.clone(), to })) }
    }

    /// Returns an error at this node.
    pub fn error(&self, what: impl fmt::Display) -> LaunchError {
        LaunchError { path: self.path.as_ref().map(ToString::to_string).unwrap_or_default(), what: what.to_string() }
    }

    /// Returns the node of a key, if there is one. (Null counts as absent.)
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        let (key, value) = self.value.as_object()?.get_key_value(key).filter(|(_, value)| !value.is_null())?;
        Some(self.part(Part::Key(key), value))
    }

    /// Returns the node of a key, or an error if there is none.
    pub fn need(&self, key: &str) -> Read<Node<'a>> {
        self.get(key).ok_or_else(|| self.error(format_args!("no '{key}'")))
    }

    /// Returns keys and nodes of a table, in order of the keys.
    pub fn table(&self) -> Read<Vec<(&'a str, Node<'a>)>> {
        let Value::Object(table) = self.value else {
            return Err(self.error(format_args!("{} where a table is expected", self.kind())));
        };
        Ok(table.iter().map(|(key, value)| (key.as_str(), self.part(Part::Key(key), value))).collect())
    }

    /// Fails if the table has other keys than `keys`.
    pub fn allow(&self, keys: &[&str]) -> Read<()> {
        let Value::Object(table) = self.value else { return self.table().map(|_| ()) };
        for key in table.keys() {
            if !keys.contains(&key.as_str()) {
                let hint = nearest::question(key, keys.iter().copied());
                return Err(self.error(format_args!("unknown key '{key}'{hint} (known: {})", keys.join(", "))));
            }
        }
        Ok(())
    }

    pub fn list(&self) -> Read<Vec<Node<'a>>> {
        let Value::Array(list) = self.value else {
            return Err(self.error(format_args!("{} where a list is expected", self.kind())));
        };
        Ok(list.iter().enumerate().map(|(i, value)| self.part(Part::Item(i), value)).collect())
    }

    /// Returns the nodes of a list. A value that is not a list stands for a list of one.
    pub fn list_or_one(&self) -> Read<Vec<Node<'a>>> {
        if self.value.is_array() { self.list() } else { Ok(vec![self.clone()]) }
    }

    pub fn text(&self) -> Read<&'a str> {
        self.value.as_str().ok_or_else(|| self.error(format_args!("{} where a string is expected", self.kind())))
    }

    /// Returns an integer, which may also be a `"0x.."` string.
    pub fn integer(&self) -> Read<i128> {
        let number = match self.value {
            Value::Number(n) => n.as_u64().map(i128::from).or(n.as_i64().map(i128::from)),
            Value::String(text) => {
                let (negative, digits) = text.strip_prefix('-').map_or((false, text.as_str()), |rest| (true, rest));
                let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
                let hex = hex.filter(|hex| !hex.starts_with(['+', '-']));
                hex.and_then(|hex| i128::from_str_radix(hex, 16).ok()).map(|n| if negative { -n } else { n })
            }
            _ => None,
        };
        number.ok_or_else(|| self.error(format_args!("{} where an integer is expected", self.kind())))
    }

    /// Returns an integer in the range of `T`.
    pub fn integer_in<T: TryFrom<i128>>(&self) -> Read<T> {
        let n = self.integer()?;
        T::try_from(n).map_err(|_| self.error(format_args!("{n} is out of range")))
    }

    /// Returns the kind of the value in words, with the value if that is short.
    pub fn kind(&self) -> String {
        match self.value {
            Value::Null => "null".to_string(),
            Value::Bool(truth) => format!("{truth}"),
            Value::Number(n) => format!("the number {n}"),
            Value::String(text) if text.len() <= 40 => format!("the string {text:?}"),
            Value::String(_) => "a string".to_string(),
            Value::Array(_) => "a list".to_string(),
            Value::Object(_) => "a table".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_each_key_once() {
        for (text, place) in [
            (r#"{"launch": 1, "launch": 2}"#, "key 'launch' is there twice at line 1 column "),
            (
                "{\"launch\": [{\n\"kernel\": \"a\",\n\"kernel\": \"b\"}]}",
                "key 'kernel' is there twice at line 3 column 8",
            ),
            ("{\"buffers\": {\"y\": {},\n \"\\u0079\": {}}}", "key 'y' is there twice at line 2 column "),
        ] {
            let error = parse(text, Syntax::Json).unwrap_err().what;
            assert!(error.starts_with("no JSON: ") && error.contains(place), "{text}: {error}");
        }
        let meant_as_one = r#"{"kernel": "a", "kernel": "b"}"#;
        assert!(crate::launch::LaunchFile::is_lookalike(meant_as_one, Syntax::Json));
        let text = r#"{"a": [null, true, -1, 18446744073709551615, 0.1, -0.0, "\u00e4", {"a": {"a": []}}], "b": {}}"#;
        assert_eq!(parse(text, Syntax::Json).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(parse(&"[".repeat(100_000), Syntax::Json).unwrap_err().what.contains("recursion limit"));
    }
}
