//! A value of metadata, as MessagePack and YAML have it.

use std::borrow::Cow;

/// A value of metadata, read from either format.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node<'a> {
    Map(Vec<(Cow<'a, str>, Node<'a>)>),
    List(Vec<Node<'a>>),
    Number(u64),
    Text(Cow<'a, str>),
    /// A string that is not UTF-8.
    Bytes(&'a [u8]),
}

impl<'a> Node<'a> {
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        match self {
            Node::Map(pairs) => pairs.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn list(&self) -> &[Node<'a>] {
        if let Node::List(items) = self { items } else { &[] }
    }

    pub fn number(&self) -> Option<u64> {
        if let Node::Number(n) = self { Some(*n) } else { None }
    }

    pub fn text(&self) -> Option<&str> {
        if let Node::Text(text) = self { Some(text) } else { None }
    }

    /// The bytes of a string, UTF-8 or not.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Node::Text(text) => Some(text.as_bytes()),
            Node::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The numbers of a list of numbers; `None` if an element is no number.
    pub fn numbers(&self) -> Option<Vec<u64>> {
        self.list().iter().map(Node::number).collect()
    }
}
