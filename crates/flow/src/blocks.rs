//! Basic blocks.

use crate::search::{Flow, Through};
use crate::ways::Ways;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The instructions of the block, as indices of [`Flow::sites`]: the first, and the one behind the last.
    pub first: u32,
    /// The index behind the last.
    pub end: u32,
    /// The block of the next instruction, if control goes on there, or comes back there from a call.
    pub next: Option<u32>,
    /// The block to which the last instruction jumps; the callee of a call, if the search went through calls.
    pub jump: Option<u32>,
}

/// The basic blocks of a flow, by address.
#[derive(Clone, Default, Debug)]
pub struct Blocks {
    /// The blocks.
    pub all: Vec<Block>,
    /// Indices of the blocks that an entry reaches in reverse postorder. That of the entry is the first.
    pub order: Vec<u32>,
}

impl Blocks {
    /// Divides the instructions of a flow. Blocks begin at the entry, at targets, and behind instructions that go
    /// elsewhere.
    pub fn new(flow: &Flow, entry: u64) -> Blocks {
        Blocks::from_entries(flow, &[entry])
    }

    /// As [`Blocks::new`]. The order is that of what the first entry reaches.
    pub(crate) fn from_entries(flow: &Flow, entries: &[u64]) -> Blocks {
        let sites = &flow.sites;
        let Some(first) = entries.first().and_then(|&entry| flow.index_of(entry)) else { return Blocks::default() };
        let mut leaders = vec![false; sites.len()];
        entries.iter().filter_map(|&entry| flow.index_of(entry)).for_each(|entry| leaders[entry] = true);
        let mut targets: Vec<(usize, usize)> = Vec::new();
        for (i, site) in sites.iter().enumerate() {
            let ways = Ways::of(&site.inst);
            let target = flow.target(site).filter(|_| is_followed(ways, flow.through));
            if let Some(target) = target.and_then(|target| flow.index_of(target)) {
                leaders[target] = true;
                targets.push((i, target));
            }
            let is_cut = sites.get(i + 1).is_some_and(|next| next.address != site.next());
            if (ways.ends_block() || is_cut) && i + 1 < sites.len() {
                leaders[i + 1] = true;
            }
        }
        let starts: Vec<usize> = (0..sites.len()).filter(|&i| leaders[i]).collect();
        let block_of = |i: usize| starts.binary_search(&i).ok().map(|block| block as u32);
        let mut jumps = targets.into_iter().peekable();
        let ends = starts.iter().skip(1).copied().chain([sites.len()]);
        let block = |(&first, end): (&usize, usize)| {
            let last = &sites[end - 1];
            let next = goes_on(Ways::of(&last.inst), flow.through).then(|| flow.index_of(last.next())).flatten();
            let jump = jumps.next_if(|(from, _)| *from == end - 1).map(|(_, to)| to);
            Block { first: first as u32, end: end as u32, next: next.and_then(block_of), jump: jump.and_then(block_of) }
        };
        let all: Vec<Block> = starts.iter().zip(ends).map(block).collect();
        let order = block_of(first).map_or(Vec::new(), |first| reverse_postorder(&all, first));
        Blocks { all, order }
    }

    /// Returns the index of the block that holds the instruction `i`.
    pub fn holding(&self, i: u32) -> usize {
        self.all.partition_point(|block| block.end <= i)
    }
}

fn is_followed(ways: Ways, through: Through) -> bool {
    match ways {
        Ways::Jump | Ways::Branch => true,
        Ways::Call => through.has(Through::CALLS),
        Ways::Fork => through.has(Through::FORKS),
        Ways::End | Ways::Next | Ways::Resume => false,
    }
}

fn goes_on(ways: Ways, through: Through) -> bool {
    match ways {
        Ways::Resume => through.has(Through::STOPS),
        Ways::Fork => through.has(Through::FORKS),
        _ => ways.goes_on(),
    }
}

fn reverse_postorder(blocks: &[Block], first: u32) -> Vec<u32> {
    let mut seen = vec![false; blocks.len()];
    let mut order = Vec::with_capacity(blocks.len());
    // Each element of the stack is a block and the number of its successors that were visited.
    let mut stack = vec![(first, 0u8)];
    seen[first as usize] = true;
    while let Some((block, visited)) = stack.last_mut() {
        let Block { next, jump, .. } = blocks[*block as usize];
        let successor = match *visited {
            0 => jump,
            1 => next,
            _ => {
                order.push(*block);
                stack.pop();
                continue;
            }
        };
        *visited += 1;
        if let Some(successor) = successor
            && !std::mem::replace(&mut seen[successor as usize], true)
        {
            stack.push((successor, 0));
        }
    }
    order.reverse();
    order
}
