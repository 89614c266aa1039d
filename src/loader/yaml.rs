//! As much YAML as the metadata of code objects v2 is written in: block mappings and sequences, `[ .. ]`, and scalars,
//! plain or in quotes.

use super::metadata::Node;

/// Deepest nesting that is read.
const MOST_DEEP: usize = 32;

struct Line<'t> {
    number: usize,
    indent: usize,
    text: &'t str,
}

/// Parses a document.
///
/// # Errors
/// The line and what is wrong there.
pub(super) fn parse(text: &str) -> Result<Node, String> {
    let mut lines = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim_start_matches(' ');
        let text = bare.trim_end();
        if text.is_empty() || text.starts_with('#') || text == "---" {
            continue;
        }
        if text == "..." {
            break;
        }
        lines.push(Line { number: i + 1, indent: line.len() - bare.len(), text });
    }
    let mut parser = Parser { lines, at: 0 };
    let Some(first) = parser.lines.first() else { return Ok(Node::Map(Vec::new())) };
    let node = parser.block(first.indent, 0)?;
    match parser.lines.get(parser.at) {
        Some(line) => Err(format!("line {}: '{}' is not indented as what it belongs to", line.number, line.text)),
        None => Ok(node),
    }
}

struct Parser<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl<'t> Parser<'t> {
    /// The lines from here on that are indented by `indent` or more.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Node, String> {
        let line = &self.lines[self.at];
        if depth > MOST_DEEP {
            return Err(format!("line {}: nested too deeply", line.number));
        }
        if line.text == "-" || line.text.starts_with("- ") { self.list(indent, depth) } else { self.map(indent, depth) }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Node, String> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get_mut(self.at).filter(|line| line.indent == indent) {
            let Some(rest) = line.text.strip_prefix('-') else { break };
            let item = rest.trim_start();
            // The item's own lines are indented like what follows the dash.
            let inner = indent + line.text.len() - item.len();
            if item.is_empty() {
                self.at += 1;
                items.push(self.nested(indent, depth)?);
            } else if key_and_value(item).is_some() || item.starts_with("- ") {
                (line.indent, line.text) = (inner, item);
                items.push(self.block(inner, depth + 1)?);
            } else {
                items.push(scalar(item));
                self.at += 1;
            }
        }
        Ok(Node::List(items))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Node, String> {
        let mut pairs = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent) {
            if line.text.starts_with("- ") {
                break;
            }
            let (key, value) =
                key_and_value(line.text).ok_or_else(|| format!("line {}: '{}' has no ':'", line.number, line.text))?;
            self.at += 1;
            let value = if value.is_empty() { self.nested(indent, depth)? } else { scalar(value) };
            pairs.push((key.to_owned(), value));
        }
        Ok(Node::Map(pairs))
    }

    /// What belongs to a key or dash that has nothing behind it.
    fn nested(&mut self, indent: usize, depth: usize) -> Result<Node, String> {
        match self.lines.get(self.at) {
            Some(line) if line.indent > indent || line.indent == indent && line.text.starts_with("- ") => {
                self.block(line.indent, depth + 1)
            }
            _ => Ok(Node::Text(String::new())),
        }
    }
}

fn key_and_value(text: &str) -> Option<(&str, &str)> {
    if text.starts_with(['\'', '"', '[']) {
        return None;
    }
    match text.split_once(": ") {
        Some((key, value)) => Some((key.trim(), value.trim())),
        None => Some((text.strip_suffix(':')?, "")),
    }
}

fn scalar(text: &str) -> Node {
    if let Some(items) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items = items.split(',').map(str::trim).filter(|item| !item.is_empty());
        return Node::List(items.map(scalar_text).collect());
    }
    scalar_text(text)
}

fn scalar_text(text: &str) -> Node {
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return Node::Text(inner.replace("''", "'"));
    }
    if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Node::Text(inner.replace("\\\"", "\"").replace("\\\\", "\\"));
    }
    match text {
        "true" => Node::Number(1),
        "false" => Node::Number(0),
        _ => text.parse().map_or_else(|_| Node::Text(text.to_owned()), Node::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_llvm_writes_is_read() {
        let text = "---\nVersion:         [ 1, 0 ]\nPrintf:\n  - '1:1:4:it''s %d\\n'\nKernels:\n  - Name:            a\n    \
                    Args:\n      - TypeName:        'float*'\n        Size:            8\n      - Size: 4\n    CodeProps:\n      \
                    NumSGPRs: 11\n  - Name: b\n...\nrest";
        let node = parse(text).unwrap();
        assert_eq!(node.get("Version").unwrap().list()[0].number(), Some(1));
        assert_eq!(node.get("Printf").unwrap().list()[0].text(), Some("1:1:4:it's %d\\n"));
        let kernels = node.get("Kernels").unwrap().list();
        assert_eq!(kernels.len(), 2);
        let args = kernels[0].get("Args").unwrap().list();
        assert_eq!(args.len(), 2);
        assert_eq!(args[0].get("TypeName").unwrap().text(), Some("float*"));
        assert_eq!(args[1].get("Size").unwrap().number(), Some(4));
        assert_eq!(kernels[0].get("CodeProps").unwrap().get("NumSGPRs").unwrap().number(), Some(11));
        assert_eq!(kernels[1].get("Name").unwrap().text(), Some("b"));
    }

    #[test]
    fn what_is_no_yaml_is_an_error_or_nothing() {
        assert!(parse("a: 1\n  b: 2\n").unwrap_err().contains("line 2"));
        assert!(parse("a: 1\nb\n").unwrap_err().contains("line 2: 'b' has no ':'"));
        assert!(parse("").is_ok());
        let deep: String = (0..100).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
        assert!(parse(&deep).unwrap_err().contains("nested too deeply"));
        assert!(parse(&"- ".repeat(100_000)).is_err());
    }
}
