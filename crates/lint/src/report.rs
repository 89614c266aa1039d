//! Findings: hits with addresses, texts and paths.

use std::collections::VecDeque;

use gcnsim_isa::{Arch, RegSet, scalar_register_name};

use crate::Context;
use crate::checks::{Local, Tests};
use crate::code::Code;
use crate::rules::{Counter, Place, Rule, of_place};
use crate::state::State;
use crate::walk::{Active, Hit, Walk};

/// A mistake, or code that may be one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The instruction that shows the mistake; of two, the later one.
    pub place: Spot,
    /// The earlier instruction, if there are two.
    pub producer: Option<Spot>,
    /// Names of the registers that it is about, for example `v[1:2], s3`; empty if there are none.
    pub registers: String,
    /// The counter for which S_WAITCNT must wait.
    pub counter: Option<Counter>,
    /// The number that S_WAITCNT must name, or the number of wait states that are needed.
    pub needed: Option<u8>,
    /// The number that the last S_WAITCNT between the two names, or the number of wait states that there are.
    pub found: Option<u8>,
    /// A path from the earlier to the later instruction: the first addresses of the blocks between them, if they are
    /// not in one block.
    pub path: Vec<u64>,
}

/// An instruction of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Its address.
    pub pc: u64,
    /// Its disassembly; empty if the dwords are no instruction.
    pub text: String,
}

/// Returns the names of registers, with a range for neighbours.
fn names(arch: Arch, regs: &RegSet) -> String {
    let mut names = Vec::new();
    let vgprs: Vec<u32> = regs.vgprs.iter().map(u32::from).collect();
    for run in vgprs.chunk_by(|a, b| a + 1 == *b) {
        names.push(match run {
            [one] => format!("v{one}"),
            _ => format!("v[{}:{}]", run[0], run[run.len() - 1]),
        });
    }
    let sgprs: Vec<u8> = (0..128).filter(|n| regs.sgprs >> n & 1 == 1).collect();
    for run in sgprs.chunk_by(|a, b| a + 1 == *b) {
        names.extend(scalar_names(arch, run));
    }
    names.join(", ")
}

fn scalar_names(arch: Arch, run: &[u8]) -> Vec<String> {
    let name = |code: &u8| scalar_register_name(arch, *code);
    let is_numbered = |code: &u8| name(code).trim_start_matches('s').parse::<u32>().is_ok();
    match run {
        [_] => run.iter().map(name).collect(),
        [lo, .., hi] if run.iter().all(is_numbered) => vec![format!("s[{lo}:{hi}]")],
        _ => {
            let mut rest: Vec<String> = run.iter().map(name).collect();
            for pair in ["vcc", "exec", "flat_scratch", "xnack_mask"] {
                let halves = [format!("{pair}_lo"), format!("{pair}_hi")];
                if let Some(at) = rest.windows(2).position(|names| names == halves) {
                    rest.splice(at..at + 2, [pair.to_owned()]);
                }
            }
            rest
        }
    }
}

/// Returns the findings about an entry, sorted by address.
pub(crate) fn findings(code: &Code, active: &Active, context: &Context) -> (Vec<Finding>, Option<&'static str>) {
    let walk = Walk::new(code, active);
    let mut found = Vec::new();
    let mut hits = Vec::new();
    let mut state = State::entry();
    for &block in &code.order {
        let block = &code.blocks[block as usize];
        let Some(before) = &walk.states[code.block_of(block.first)] else { continue };
        state.copy(before);
        let mut local = Local::default();
        for i in block.first..block.end {
            let facts = &code.insts[i as usize];
            Tests { walk: &walk, context, state: &state, facts, i, hits: &mut hits }.all(&mut local);
            walk.step(&mut state, i, &mut Some(&mut hits));
            found.extend(worst(&mut hits).map(|hit| finding(&walk, &hit)));
        }
    }
    found.extend(of_search(code, active));
    found.extend(of_entry(code, active, context));
    found.sort_by_key(|finding| (finding.place.pc, finding.rule.id));
    (found, walk.incomplete)
}

/// Takes the hits about an instruction out of `hits`. Of each rule only the worst hit is returned, with the registers
/// of all.
fn worst(hits: &mut Vec<Hit>) -> impl Iterator<Item = Hit> {
    // The worst hit needs a wait for the smallest number, or has the fewest wait states.
    let rank = |hit: &Hit| if hit.class.is_some() { hit.needed } else { hit.found };
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits.drain(..) {
        match kept.iter_mut().find(|other| other.rule.id == hit.rule.id) {
            Some(other) => {
                let mut regs = other.regs;
                regs.union(hit.regs);
                if rank(&hit) < rank(other) {
                    *other = hit;
                }
                other.regs = regs;
            }
            None => kept.push(hit),
        }
    }
    kept.into_iter()
}

fn spot(code: &Code, i: u32) -> Spot {
    Spot { pc: code.pcs[i as usize], text: code.insts[i as usize].inst.to_string() }
}

fn finding(walk: &Walk<'_>, hit: &Hit) -> Finding {
    let code = walk.code;
    Finding {
        rule: hit.rule,
        place: spot(code, hit.consumer),
        producer: hit.producer.map(|i| spot(code, i)),
        registers: names(walk.active.arch, &hit.regs),
        counter: hit.class.map(|class| class.counter()),
        needed: hit.needed,
        found: hit.found,
        path: hit.producer.map(|producer| path(walk, producer, hit.consumer)).unwrap_or_default(),
    }
}

/// Returns the shortest path from the producer to the consumer on which the states still have the producer.
fn path(walk: &Walk<'_>, producer: u32, consumer: u32) -> Vec<u64> {
    let code = walk.code;
    let (from, to) = (code.block_of(producer), code.block_of(consumer));
    if from == to && producer < consumer {
        return Vec::new();
    }
    let holds = |block: u32| {
        let state = walk.states[block as usize].as_ref();
        state.is_some_and(|state| {
            let is_pending = state.pending.iter().any(|entry| entry.inst == producer);
            let is_recent = state.recent.iter().any(|entry| entry.inst == producer);
            is_pending || is_recent || state.flight.contains(&producer)
        })
    };
    let mut before = vec![None; code.blocks.len()];
    let mut queue = VecDeque::from([from as u32]);
    while let Some(block) = queue.pop_front() {
        let next = &code.blocks[block as usize];
        for successor in [next.next, next.jump].into_iter().flatten() {
            if before[successor as usize].is_some() || !holds(successor) {
                continue;
            }
            before[successor as usize] = Some(block);
            if successor as usize == to {
                return trace(code, &before, from as u32, to as u32);
            }
            queue.push_back(successor);
        }
    }
    Vec::new()
}

fn trace(code: &Code, before: &[Option<u32>], from: u32, to: u32) -> Vec<u64> {
    let start = |block: u32| code.pcs[code.blocks[block as usize].first as usize];
    let mut path = vec![start(to)];
    let mut block = to;
    while let Some(earlier) = before[block as usize] {
        if earlier == from || path.len() > code.blocks.len() {
            break;
        }
        path.push(start(earlier));
        block = earlier;
    }
    path.reverse();
    path
}

/// Returns a finding about one instruction, without registers.
fn plain(rule: &'static Rule, place: Spot) -> Finding {
    Finding {
        rule,
        place,
        producer: None,
        registers: String::new(),
        counter: None,
        needed: None,
        found: None,
        path: Vec::new(),
    }
}

/// Returns the findings of the search for code.
fn of_search<'a>(code: &'a Code, active: &'a Active) -> impl Iterator<Item = Finding> + 'a {
    code.troubles.iter().filter(|trouble| active.has(trouble.place)).filter_map(|trouble| {
        let text = match code.pcs.binary_search(&trouble.pc) {
            Ok(i) => code.insts[i].inst.to_string(),
            Err(_) => String::new(),
        };
        Some(plain(of_place(trouble.place)?, Spot { pc: trouble.pc, text }))
    })
}

/// Returns the findings about the entry as a whole: how a function begins, and code that nothing reaches.
fn of_entry(code: &Code, active: &Active, context: &Context) -> Vec<Finding> {
    let mut found = Vec::new();
    let Some(&first) = code.order.first() else { return found };
    let first = code.blocks[first as usize].first;
    if code.returns && active.has(Place::AbiEntryWait) {
        let facts = &code.insts[first as usize];
        let is_wait = facts.sopp() == Some(gcnsim_isa::Sopp::SWaitcnt);
        let waits_for_all = is_wait && crate::facts::waits(&facts.inst).iter().all(|limit| *limit == Some(0));
        // A function that only returns uses nothing that may be in flight.
        if !waits_for_all
            && !code.is_return(facts)
            && let Some(rule) = of_place(Place::AbiEntryWait)
        {
            found.push(plain(rule, spot(code, first)));
        }
    }
    if active.has(Place::DeadCode)
        && let (Some(range), Some(rule)) = (&context.range, of_place(Place::DeadCode))
    {
        let mut at = range.start;
        let ends = code.pcs.iter().zip(&code.insts).map(|(&pc, facts)| (pc, pc + u64::from(facts.inst.size())));
        for (pc, end) in ends.chain([(range.end, range.end)]) {
            if pc > at && range.contains(&at) {
                found.push(plain(rule, Spot { pc: at, text: format!("{} bytes", pc.min(range.end) - at) }));
            }
            at = at.max(end);
        }
    }
    found
}
