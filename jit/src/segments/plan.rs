//! Planning: which nodes stay, where results are stored, and when values are used next.

use super::list::{Action, List, Node, Value};
use super::trace::NO_INST;

/// The number of the next use of a value that is not used again.
pub(super) const NEVER: u32 = u32::MAX;

/// The next uses of the operands of a node, as numbers of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uses {
    /// The next use of each source after this node.
    pub next: [u32; 3],
    /// The next use of the mask after this node.
    pub mask_next: u32,
    /// The first use of the result.
    pub first: u32,
}

/// Removes tests of floats whose NaNs another test shows, and joins two tests that stay.
fn join_tests(list: &mut List) {
    let mut waiting: Option<usize> = None;
    for i in 0..list.nodes.len() {
        let guard = list.nodes[i].guard;
        if guard != Value::NONE && list.values[guard.index()].spreads {
            list.nodes[i].action = Action::Nothing;
        }
        if list.nodes[i].action == Action::Numbers {
            match waiting.take() {
                Some(first) => {
                    list.nodes[i].src[1] = list.nodes[first].src[0];
                    list.nodes[first].action = Action::Nothing;
                }
                None => waiting = Some(i),
            }
        }
    }
}

fn store(action: Action, value: Value, inst: u16) -> Node {
    let (mask, guard) = (Value::NONE, Value::NONE);
    let src = [value, Value::NONE, Value::NONE];
    Node { action, dst: Value::NONE, src, mask, merge: false, imm: 0, guard, inst }
}

/// Adds stores of results. Each stands behind the node that computes it. Where the chunk may be left to helpers, those
/// of registers that it reads first stand behind the whole chunk: helpers execute it from the start.
///
/// Stores to VGPRs with computed numbers (`moves`: slots, values) are the last ones, in order.
fn with_stores(
    list: &List,
    results: &[(u8, Value)],
    masks: &[(u8, Value)],
    moves: &[(u8, Value)],
    initial: &[Value; 256],
) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(list.nodes.len() + results.len() + masks.len() + 1);
    // A value can be the result in several registers, which form a chain.
    let mut first_of = vec![u16::MAX; list.values.len()];
    let mut following = vec![u16::MAX; results.len()];
    let mut is_stored = vec![false; results.len()];
    for (i, (n, value)) in results.iter().enumerate() {
        if !list.has_tests || initial[*n as usize] == Value::NONE {
            following[i] = first_of[value.index()];
            first_of[value.index()] = i as u16;
        }
    }
    for node in list.nodes.iter().filter(|node| !matches!(node.action, Action::Nothing | Action::Probe)) {
        nodes.push(*node);
        let mut i = first_of[node.dst.index()];
        while let Some(&(n, value)) = results.get(i as usize) {
            nodes.push(store(Action::Store(n), value, node.inst));
            is_stored[i as usize] = true;
            i = following[i as usize];
        }
    }
    if list.has_tests {
        nodes.push(store(Action::Verify, Value::NONE, NO_INST));
    }
    let rest = results.iter().zip(&is_stored).filter(|(_, stored)| !**stored);
    nodes.extend(rest.map(|(&(n, value), _)| store(Action::Store(n), value, NO_INST)));
    nodes.extend(masks.iter().map(|&(code, value)| store(Action::StoreMask(code), value, NO_INST)));
    nodes.extend(moves.iter().map(|&(slot, value)| store(Action::StoreMoved(slot), value, NO_INST)));
    nodes
}

/// The nodes of a chunk, with the uses of their values.
pub(super) struct Plan {
    /// The nodes, with stores of results. Nodes without effect are no operations.
    pub nodes: Vec<Node>,
    /// The uses of each of `nodes`.
    pub uses: Vec<Uses>,
    /// The first use of every value.
    pub next: Vec<u32>,
}

/// Makes the plan of a list, whose VGPRs have the values `initial` at the start.
pub(super) fn plan(
    list: &mut List,
    results: &[(u8, Value)],
    masks: &[(u8, Value)],
    moves: &[(u8, Value)],
    initial: &[Value; 256],
) -> Plan {
    if list.has_tests {
        join_tests(list);
    }
    linked(list, with_stores(list, results, masks, moves, initial))
}

/// Makes the plan of the probe of a list that loads: what computes the addresses of its loads. No node of it can turn
/// out to be wrong for a lane.
pub(super) fn probe(list: &List) -> Plan {
    let count = list.nodes.iter().rposition(|node| node.action == Action::Probe).map_or(0, |last| last + 1);
    let is_part = |node: &&Node| !matches!(node.action, Action::Load(..));
    linked(list, list.nodes[..count].iter().filter(is_part).copied().collect())
}

/// Removes tests of floats that go around a loop, as the value `last` at the end of a round and `first` at the beginning
/// of the next, and whose NaNs the tests of that round show. Returns those, to be tested behind the last round.
pub(super) fn deferred_tests(list: &mut List, carried: impl Iterator<Item = (Value, Value)>) -> Vec<Value> {
    let mut deferred = Vec::new();
    for (_, last) in carried.filter(|(first, _)| list.values[first.index()].spreads) {
        let is_test = |node: &&mut Node| node.action == Action::Numbers && node.guard == last;
        let mut tests = list.nodes.iter_mut().filter(is_test).peekable();
        if tests.peek().is_some() {
            tests.for_each(|test| test.action = Action::Nothing);
            deferred.push(last);
        }
    }
    deferred
}

/// Makes the plan of a round of a strip. The values `ends` are used after the last node.
pub(super) fn plan_round(list: &mut List, ends: impl Iterator<Item = Value>) -> Plan {
    if list.has_tests {
        join_tests(list);
    }
    let nodes: Vec<Node> = list.nodes.iter().filter(|node| node.action != Action::Nothing).copied().collect();
    let mut next = vec![NEVER; list.values.len()];
    ends.for_each(|value| next[value.index()] = nodes.len() as u32);
    linked_from(nodes, next)
}

fn linked(list: &List, nodes: Vec<Node>) -> Plan {
    linked_from(nodes, vec![NEVER; list.values.len()])
}

/// Finds the uses in `nodes`. `next` has those behind the last one.
fn linked_from(mut nodes: Vec<Node>, mut next: Vec<u32>) -> Plan {
    let mut uses = vec![Uses { next: [NEVER; 3], mask_next: NEVER, first: NEVER }; nodes.len()];
    for (i, (node, uses)) in nodes.iter_mut().zip(&mut uses).enumerate().rev() {
        let first = next[node.dst.index()];
        if !node.action.is_effect() && node.dst != Value::OK && first == NEVER {
            node.action = Action::Nothing;
        }
        if node.action == Action::Nothing {
            continue;
        }
        let [a, b, c] = node.src.map(Value::index);
        let mask = node.mask.index();
        *uses = Uses { next: [next[a], next[b], next[c]], mask_next: next[mask], first };
        for value in [a, b, c, mask] {
            next[value] = i as u32;
        }
        next[Value::NONE.index()] = NEVER;
    }
    Plan { nodes, uses, next }
}
