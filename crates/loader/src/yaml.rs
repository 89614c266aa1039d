//! Reads the YAML of code objects v2 into [`Node`]s, which both metadata formats share.

use std::borrow::Cow;

use yaml_rust2::Event;
use yaml_rust2::parser::Parser;
use yaml_rust2::scanner::{Marker, ScanError, TScalarStyle};

use super::node::Node;

/// Limit for the nesting of lists and mappings.
const MOST_DEEP: usize = 32;

/// A list or mapping that is being read.
enum Open {
    List(Vec<Node<'static>>),
    /// The complete pairs, and the key whose value comes next.
    Map(Vec<(Cow<'static, str>, Node<'static>)>, Option<Cow<'static, str>>),
}

/// Returns the first document of `text`. Aliases are refused: LLVM writes none, and a few of them could expand to any
/// amount of text.
///
/// # Errors
/// The line of the error, and what is wrong there.
pub(super) fn parse(text: &str) -> Result<Node<'static>, String> {
    let mut parser = Parser::new_from_str(text);
    let mut open: Vec<Open> = Vec::new();
    loop {
        let (event, at) = parser.next_token().map_err(|error: ScanError| error.to_string())?;
        let wrong = |at: Marker, what: &str| Err(format!("line {}: {what}", at.line()));
        let node = match event {
            Event::StreamEnd | Event::DocumentEnd => return Ok(Node::Map(Vec::new())),
            Event::Nothing | Event::StreamStart | Event::DocumentStart => continue,
            Event::Alias(_) => return wrong(at, "an alias"),
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == MOST_DEEP => {
                return wrong(at, "nested too deeply");
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Node::List(items),
                Some(Open::Map(pairs, _)) => Node::Map(pairs),
                None => return wrong(at, "an end without a start"),
            },
            Event::Scalar(text, TScalarStyle::Plain, ..) => plain(text),
            Event::Scalar(text, ..) => Node::Text(text.into()),
        };
        match open.last_mut() {
            None => return Ok(node),
            Some(Open::List(items)) => items.push(node),
            Some(Open::Map(pairs, key)) => match key.take() {
                Some(key) => pairs.push((key, node)),
                None => match node {
                    Node::Text(text) => *key = Some(text),
                    Node::Number(number) => *key = Some(number.to_string().into()),
                    Node::Bytes(_) | Node::List(_) | Node::Map(_) => return wrong(at, "a key that is no text"),
                },
            },
        }
    }
}

/// The value of a scalar without quotes.
fn plain(text: String) -> Node<'static> {
    match text.as_str() {
        "true" => Node::Number(1),
        "false" => Node::Number(0),
        _ => text.parse().map_or(Node::Text(text.into()), Node::Number),
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
        assert!(parse("a: 'b").unwrap_err().contains("line 1"));
        assert!(parse("a: &x [1, 2]\nb: [*x, *x]\n").unwrap_err().contains("line 2: an alias"));
        assert!(parse("").is_ok());
        let deep: String = (0..100).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
        assert!(parse(&deep).unwrap_err().contains("nested too deeply"));
        assert!(parse(&"- ".repeat(100_000)).is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"{a: ".repeat(100_000)).is_err());
    }
}
