//! Tells which files a launch file names: code, contents of buffers, expected values, and files that buffers are saved to.

use std::path::PathBuf;

use serde_json::Value;

use super::{Syntax, tree};

/// Keys whose values are paths.
const KEYS: [&str; 4] = ["file", "save", "program", "code"];

/// Returns the paths of the files that a launch file names, as it states them; nothing if `text` is no launch file. Its
/// launches may be wrong otherwise.
pub fn named_files(text: &str, syntax: Syntax) -> Vec<PathBuf> {
    let mut named = Vec::new();
    match tree::parse(text, syntax) {
        Ok(file) if file.get("launch").is_some() => add(&file, &mut named),
        _ => {}
    }
    named
}

/// Adds what is named at any depth: no other key of a launch file is called like these and has text.
fn add(value: &Value, named: &mut Vec<PathBuf>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| add(value, named)),
        Value::Object(table) => {
            for (key, value) in table {
                match value {
                    Value::String(path) if KEYS.contains(&key.as_str()) => named.push(path.into()),
                    value => add(value, named),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_wherever_they_are_named() {
        let text = r#"
            buffers.shared = {file = "a.bin", save = "out/b.bin"}
            buffers.file.file = "c.bin"
            [[launch]]
            name = "save"
            gird = 4
            images.i = {save = "d.bin"}
            expect.buffers.x = [{file = "e.bin", type = "f32"}, {f32 = 2}]"#;
        let mut found = named_files(text, Syntax::Toml);
        found.sort();
        assert_eq!(found, ["a.bin", "c.bin", "d.bin", "e.bin", "out/b.bin"].map(PathBuf::from));
        assert!(named_files("file = \"a.bin\"", Syntax::Toml).is_empty());
        assert!(named_files("{\"launch\": [{\"save\": \"a.bin\"}]", Syntax::Json).is_empty());
    }
}
