//! A validator for JSON Schemas with the keywords that `docs/schema/` uses. It refuses all others, so that none is
//! ignored.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

/// Schemas by the names of their files.
#[derive(Default)]
pub struct Book {
    files: HashMap<String, Value>,
}

/// Result of a check. The error says what is wrong, and where.
type Checked = Result<(), String>;

fn fail(path: &str, what: impl std::fmt::Display) -> Checked {
    Err(format!("{path}: {what}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("type {other}"),
    }
}

impl Book {
    pub fn add(&mut self, file: &str, schema: Value) {
        self.files.insert(file.to_owned(), schema);
    }

    pub fn check(&self, file: &str, value: &Value) -> Checked {
        self.at(file, &self.files[file], value, "$")
    }

    /// Returns the schema that reference `to` in `file` means, and the file of that schema.
    fn resolve<'b>(&'b self, file: &'b str, to: &'b str) -> (&'b str, &'b Value) {
        let (other, pointer) = to.split_once('#').unwrap_or((to, ""));
        let file = if other.is_empty() { file } else { other };
        let schema = self.files.get(file).and_then(|schema| schema.pointer(pointer));
        (file, schema.unwrap_or_else(|| panic!("{file}: no {to}")))
    }

    fn at(&self, file: &str, schema: &Value, value: &Value, path: &str) -> Checked {
        let Value::Object(rules) = schema else { panic!("{file}: no schema at {path}: {schema}") };
        for (keyword, rule) in rules {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "then" => {}
                "$ref" => {
                    let (file, schema) = self.resolve(file, rule.as_str().unwrap());
                    self.at(file, schema, value, path)?;
                }
                "anyOf" | "oneOf" => self.combined(file, keyword, list(rule), value, path)?,
                "not" if self.at(file, rule, value, path).is_ok() => return fail(path, "what must not be"),
                "not" => {}
                "if" => {
                    if self.at(file, rule, value, path).is_ok() {
                        self.at(file, &rules["then"], value, path)?;
                    }
                }
                "type" => {
                    let names = if rule.is_array() { list(rule) } else { std::slice::from_ref(rule) };
                    if !names.iter().any(|name| has_type(value, name.as_str().unwrap())) {
                        return fail(path, format_args!("{value} is no {rule}"));
                    }
                }
                "enum" if !list(rule).contains(value) => return fail(path, format_args!("{value} is not in {rule}")),
                "const" if rule != value => return fail(path, format_args!("{value} is not {rule}")),
                "enum" | "const" => {}
                _ => self.part(file, rules, (keyword, rule), value, path)?,
            }
        }
        Ok(())
    }

    fn combined(&self, file: &str, keyword: &str, schemas: &[Value], value: &Value, path: &str) -> Checked {
        let results: Vec<Checked> = schemas.iter().map(|schema| self.at(file, schema, value, path)).collect();
        let count = results.iter().filter(|result| result.is_ok()).count();
        if count == 1 || count > 1 && keyword == "anyOf" {
            return Ok(());
        }
        // The error that is deepest inside the value says most.
        let errors = results.into_iter().filter_map(Result::err);
        let inner = errors.max_by_key(|error| error.split(": ").next().map(str::len)).unwrap_or_default();
        fail(path, format_args!("{count} of {keyword}; {inner}"))
    }

    /// Checks a keyword that concerns values of one type. It does not concern other values.
    fn part(
        &self,
        file: &str,
        rules: &Map<String, Value>,
        (keyword, rule): (&str, &Value),
        value: &Value,
        path: &str,
    ) -> Checked {
        match value {
            Value::Object(table) => self.object(file, rules, (keyword, rule), table, path),
            Value::Array(items) => self.array(file, (keyword, rule), items, path),
            Value::String(text) if keyword == "pattern" => {
                let pattern = Regex::new(rule.as_str().unwrap()).unwrap();
                if pattern.is_match(text) { Ok(()) } else { fail(path, format_args!("'{text}' does not match {rule}")) }
            }
            Value::Number(number) => {
                let (number, limit) = (number.as_f64().unwrap(), rule.as_f64());
                match keyword {
                    "minimum" if number < limit.unwrap() => fail(path, format_args!("{number} is below {rule}")),
                    "maximum" if number > limit.unwrap() => fail(path, format_args!("{number} is above {rule}")),
                    _ => known(keyword),
                }
            }
            _ => known(keyword),
        }
    }

    fn object(
        &self,
        file: &str,
        rules: &Map<String, Value>,
        (keyword, rule): (&str, &Value),
        table: &Map<String, Value>,
        path: &str,
    ) -> Checked {
        let has = |key: &Value| table.contains_key(key.as_str().unwrap());
        match keyword {
            "properties" => {
                for (key, schema) in rule.as_object().unwrap() {
                    if let Some(value) = table.get(key) {
                        self.at(file, schema, value, &format!("{path}.{key}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let properties = rules.get("properties");
                let others = table.iter().filter(|(key, _)| properties.is_none_or(|named| named.get(key).is_none()));
                for (key, value) in others {
                    match rule {
                        Value::Bool(true) => {}
                        Value::Bool(false) => return fail(path, format_args!("unknown key '{key}'")),
                        schema => self.at(file, schema, value, &format!("{path}.{key}"))?,
                    }
                }
            }
            "propertyNames" => {
                for key in table.keys() {
                    self.at(file, rule, &Value::String(key.clone()), &format!("{path}.{key}"))?;
                }
            }
            "required" => {
                if let Some(missing) = list(rule).iter().find(|key| !has(key)) {
                    return fail(path, format_args!("no {missing}"));
                }
            }
            "dependentRequired" => {
                for (key, needed) in rule.as_object().unwrap() {
                    if table.contains_key(key) && !list(needed).iter().all(has) {
                        return fail(path, format_args!("'{key}' without {needed}"));
                    }
                }
            }
            "minProperties" if (table.len() as u64) < rule.as_u64().unwrap() => return fail(path, "too few keys"),
            "maxProperties" if table.len() as u64 > rule.as_u64().unwrap() => return fail(path, "too many keys"),
            _ => known(keyword)?,
        }
        Ok(())
    }

    fn array(&self, file: &str, (keyword, rule): (&str, &Value), items: &[Value], path: &str) -> Checked {
        match keyword {
            "items" => {
                for (i, item) in items.iter().enumerate() {
                    self.at(file, rule, item, &format!("{path}[{i}]"))?;
                }
            }
            "minItems" if (items.len() as u64) < rule.as_u64().unwrap() => return fail(path, "too few items"),
            "maxItems" if items.len() as u64 > rule.as_u64().unwrap() => return fail(path, "too many items"),
            _ => known(keyword)?,
        }
        Ok(())
    }
}

/// Checks that a keyword that does not concern the value is a known one.
fn known(keyword: &str) -> Checked {
    const ALL: [&str; 14] = [
        "properties",
        "additionalProperties",
        "propertyNames",
        "required",
        "dependentRequired",
        "minProperties",
        "maxProperties",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "pattern",
        "then",
    ];
    assert!(ALL.contains(&keyword), "keyword {keyword}");
    Ok(())
}
