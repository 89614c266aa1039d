//! Untyped loads, stores and atomics of FLAT and MUBUF by [`fast`]: what both have in common, and their helpers.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use gcnsim_isa::table::Store;
use gcnsim_isa::{LANES, Note, Notes};
use gcnsim_machine::Access;

use super::atomics::Operation;
use super::element::Data;
use super::exchange;
use super::fast::{self, Form, Located, Room};
use super::{Any, Body, Helper, Machine, MemoryOp, Refused, execute, on_level};
use crate::Level;
use crate::host::lanes::union;
use crate::host::{Host, Lanes};

/// The data and registers of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub data: Data,
    /// First VGPR of the data.
    pub from: u8,
    /// First VGPR of the result.
    pub to: u8,
    /// Number of registers of the result, with the one of TFE.
    pub result: u8,
    /// Whether the last register of the result is that of TFE.
    pub tfe: bool,
    /// Whether an atomic returns the old value.
    pub glc: bool,
}

/// An instruction that moves data of lanes between registers and guest memory.
pub(super) trait Untyped: Sized {
    /// The instruction of `op`, if it is of this type.
    fn of(op: &MemoryOp) -> Option<&Self>;

    fn moved(&self) -> Moved;

    /// The addresses of the lanes, if [`fast`] takes them. They are computed in `room` where no register holds
    /// them. Notes are those of an access that is not refused.
    fn form<'a, H: Host>(
        &self,
        host: H,
        m: &'a Machine<'_>,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
        notes: &mut Notes,
    ) -> Option<Form<'a>>;

    /// Executes the instruction for any access.
    fn lane_by_lane(&self, m: &mut Machine<'_>) -> Result<(), Refused>;

    /// Raises the notes for lanes that may have stored different bytes to one place.
    fn note_overlap(&self, m: &mut Machine<'_>, store: Store);
}

/// The helper of an instruction with `data`.
pub(super) fn helper<O: Untyped>(data: Data, level: Level) -> Helper {
    match data {
        Data::Load(load) => match load.bytes {
            1 => on_level::<Loads<O, 1>>(level),
            2 => on_level::<Loads<O, 2>>(level),
            4 => on_level::<Loads<O, 4>>(level),
            8 => on_level::<Loads<O, 8>>(level),
            12 => on_level::<Loads<O, 12>>(level),
            16 => on_level::<Loads<O, 16>>(level),
            _ => execute::<Any>,
        },
        Data::Store(store) => match store.bytes {
            1 => on_level::<Stores<O, 1>>(level),
            2 => on_level::<Stores<O, 2>>(level),
            4 => on_level::<Stores<O, 4>>(level),
            8 => on_level::<Stores<O, 8>>(level),
            12 => on_level::<Stores<O, 12>>(level),
            16 => on_level::<Stores<O, 16>>(level),
            _ => execute::<Any>,
        },
        Data::Atomic(..) => on_level::<Updates<O>>(level),
    }
}

/// The fast path of a load of `BYTES` bytes.
struct Loads<O, const BYTES: usize>(PhantomData<O>);

impl<O: Untyped, const BYTES: usize> Body for Loads<O, BYTES> {
    #[inline(always)]
    fn run<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Some((op, moved)) = begin::<O>(op, m)? else { return Ok(()) };
        let done = load::<_, O, BYTES>(host, op, moved, m);
        done.map_or_else(|| op.lane_by_lane(m), Ok)
    }
}

/// The fast path of a store of `BYTES` bytes.
struct Stores<O, const BYTES: usize>(PhantomData<O>);

impl<O: Untyped, const BYTES: usize> Body for Stores<O, BYTES> {
    #[inline(always)]
    fn run<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Some((op, moved)) = begin::<O>(op, m)? else { return Ok(()) };
        let done = store::<_, O, BYTES>(host, op, moved, m);
        done.map_or_else(|| op.lane_by_lane(m), Ok)
    }
}

/// The fast path of an atomic.
struct Updates<O>(PhantomData<O>);

impl<O: Untyped> Body for Updates<O> {
    #[inline(always)]
    fn run<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Some((op, moved)) = begin::<O>(op, m)? else { return Ok(()) };
        let done = update::<_, O>(host, op, moved, m);
        done.map_or_else(|| op.lane_by_lane(m), Ok)
    }
}

/// The instruction of `op` and its data; `None` if there is nothing to do.
#[inline(always)]
fn begin<'a, O: Untyped>(op: &'a MemoryOp, m: &mut Machine<'_>) -> Result<Option<(&'a O, Moved)>, Refused> {
    let op = O::of(op).ok_or(Refused)?;
    let moved = op.moved();
    let has_destination = m.has_destination(moved.to, moved.result);
    Ok(has_destination.then_some((op, moved)))
}

/// The elements of the lanes that have one; `None` if no fast path takes them.
#[inline(always)]
fn locate<'a, H: Host>(
    host: H,
    m: &Machine<'_>,
    form: &Form<'_>,
    bytes: u32,
    access: Access,
    room: &'a mut Room,
) -> Option<Option<Located<'a, H>>> {
    if form.mask == 0 { Some(None) } else { fast::locate(host, m, form, bytes, access, room).map(Some) }
}

#[inline(always)]
fn load<H: Host, O: Untyped, const BYTES: usize>(host: H, op: &O, moved: Moved, m: &mut Machine<'_>) -> Option<()> {
    let Data::Load(load) = moved.data else { return None };
    let (mut room, mut places) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut notes = Notes::NONE;
    let form = op.form(host, m, BYTES as u8, &mut room, &mut notes)?;
    let (located, in_rows) = (locate(host, m, &form, BYTES as u32, Access::Load, &mut places)?, form.in_rows);
    let registers = &mut m.vgprs[moved.to as usize..];
    fast::load::<_, BYTES>(located.as_ref(), m.scalars.exec, load, in_rows, registers);
    // Loads of fewer bytes are mostly those of segments, which fetch ahead by themselves.
    if let (Some(located), true) = (&located, BYTES >= 8 && !in_rows) {
        located.fetch_ahead::<BYTES>(m.walk);
    }
    m.write_status(moved.to.saturating_add(moved.result - 1), moved.tfe);
    m.notes = m.notes.or(notes);
    Some(())
}

/// Executes a store that is not recorded.
#[inline(always)]
fn store<H: Host, O: Untyped, const BYTES: usize>(host: H, op: &O, moved: Moved, m: &mut Machine<'_>) -> Option<()> {
    let Data::Store(store) = moved.data else { return None };
    let dwords = BYTES.div_ceil(4);
    if m.context.is_recording() || moved.from as usize + dwords > m.vgprs.len() {
        return None;
    }
    let (mut room, mut places) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut notes = Notes::NONE;
    let form = op.form(host, m, BYTES as u8, &mut room, &mut notes)?;
    let (located, in_rows) = (locate(host, m, &form, BYTES as u32, Access::Store, &mut places)?, form.in_rows);
    if let Some(located) = located {
        let register = |k: usize| &m.vgprs[moved.from as usize + k.min(dwords - 1)].0;
        let is_doubtful = located.store::<BYTES>(store, in_rows, [register(0), register(1), register(2), register(3)]);
        if is_doubtful && !m.noted.contains(Note::LaneOrder) {
            op.note_overlap(m, store);
        }
    }
    m.notes = m.notes.or(notes);
    Some(())
}

/// Executes an atomic that is not recorded.
#[inline(always)]
fn update<H: Host, O: Untyped>(host: H, op: &O, moved: Moved, m: &mut Machine<'_>) -> Option<()> {
    let Data::Atomic(atomic, bytes) = moved.data else { return None };
    let exec = m.scalars.exec;
    let operation = Operation { atomic, bytes, mode: m.scalars.mode };
    let dwords = bytes as usize / 4;
    let count = dwords * operation.atomic.operands() as usize;
    if m.context.is_recording() || moved.from as usize + count > m.vgprs.len() {
        return None;
    }
    let (mut room, mut places) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut notes = Notes::NONE;
    let form = op.form(host, m, bytes, &mut room, &mut notes)?;
    let union = union(form.low, form.mask) | form.origin as u32;
    if form.in_rows || !union.is_multiple_of(bytes.into()) {
        return None;
    }
    let located = locate(host, m, &form, bytes.into(), Access::Atomic, &mut places)?;
    if located.as_ref().is_some_and(|located| !located.is_aligned(bytes.into())) {
        return None;
    }
    let register = |k: usize| &m.vgprs[moved.from as usize + k.min(count - 1)].0;
    let (first, second) = ([register(0), register(dwords - 1)], [register(dwords), register(2 * dwords - 1)]);
    let update = fast::Update { operation, first, second, is_alone: m.context.is_alone };
    if moved.glc {
        // The old value of lanes out of range stays 0.
        let mut old = [[0; LANES]; 2];
        if let Some(located) = located {
            located.update(&update, Some(&mut old), &mut notes);
            let meet = !m.noted.contains(Note::LaneOrder) && located.lanes_meet(bytes.into());
            notes.insert_if(meet, Note::LaneOrder);
        }
        let registers = m.vgprs[moved.to as usize..].iter_mut();
        registers.zip(&old).take(dwords).for_each(|(register, old)| fast::blend(&mut register.0, exec, old));
    } else if let Some(located) = located {
        located.update(&update, None, &mut notes);
    }
    m.write_status(moved.to.saturating_add(moved.result.saturating_sub(1)), moved.tfe);
    m.notes = m.notes.or(notes);
    Some(())
}

/// Raises the note on the order of lanes if two lanes have stored different bytes to one place.
pub(super) fn note_order(
    m: &mut Machine<'_>,
    from: u8,
    store: Store,
    locate: impl Fn(usize) -> Result<exchange::Pieces, Refused>,
) {
    let elements = m.read_elements(from, store);
    let differ = exchange::stores_differ(m.scalars.exec, &elements, locate);
    m.notes.insert_if(differ, Note::LaneOrder);
}

#[cfg(test)]
#[path = "untyped_tests.rs"]
mod tests;
