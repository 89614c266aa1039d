//! DS: LDS, the global data share and the exchange of lanes (docs/gcn/lds.md).
//!
//! An `Act` is made of what the row moves ([`Transfer`]). [`place`] says where the bytes of a lane lie. [`access`]
//! reads and writes, [`update`] has the atomics, [`exchange`] moves values from lane to lane. They go lane by lane;
//! [`fast`] takes all lanes at once where nothing is out of the ordinary.

mod access;
mod exchange;
mod fast;
mod place;
mod update;

use gcnsim_isa::table::{Atomic, Load, Share, Store, Transfer};
use gcnsim_isa::{Arch, Inst, Note};

use super::{Machine, Refused, Uses};

/// A DS instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareOp {
    act: Act,
    /// Bytes of an element, which is what lies at one address.
    bytes: u8,
    /// First register and number of registers of each source: the address, then both data operands.
    sources: [(u8, u8); 3],
    /// First register of the result, and their number.
    vdst: (u8, u8),
    /// Number of VGPRs that the wave must have: the highest one named, plus 1.
    vgpr_count: u16,
    /// Offsets in bytes. Only instructions with two elements use the second.
    offsets: [u32; 2],
    /// Whether the instruction works on the global data share.
    gds: bool,
    arch: Arch,
}

/// The action of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Nothing,
    Read(Load),
    Write(Store),
    /// Reads an element whose address is M0 plus 4 bytes per lane. The next variant writes one.
    ReadByThread,
    WriteByThread,
    /// Reads two elements. The number is the unit of the offsets, in elements.
    Read2(u8),
    Write2(u8),
    Exchange2(u8),
    Update(Atomic),
    /// Executes DS_CONDXCHG32.
    ExchangeIfMarked,
    /// Executes an atomic with both operands in LDS.
    Source2(Atomic),
    Append,
    Consume,
    OrderedCount,
    Swizzle,
    Permute,
    Bpermute,
}

/// Index of the address among the sources.
const ADDR: usize = 0;
const DATA0: usize = 1;
const DATA1: usize = 2;

impl Act {
    /// The action for a transfer, and the bytes of an element; `None` if no row of DS has that transfer.
    fn of(transfer: Transfer) -> Option<(Act, u8)> {
        Some(match transfer {
            Transfer::Load(load) => (Act::Read(load), load.bytes),
            Transfer::Store(store) => (Act::Write(store), store.bytes),
            Transfer::Atomic(atomic, width) => (Act::Update(atomic), width.bytes()),
            Transfer::Share(share) => match share {
                Share::AtomicReturn(atomic, width) => (Act::Update(atomic), width.bytes()),
                Share::Source2(atomic, width) => (Act::Source2(atomic), width.bytes()),
                Share::Read2(width, scale) => (Act::Read2(scale), width.bytes()),
                Share::Write2(width, scale) => (Act::Write2(scale), width.bytes()),
                Share::Exchange2(width, scale) => (Act::Exchange2(scale), width.bytes()),
                Share::CondExchange => (Act::ExchangeIfMarked, 8),
                Share::ReadAddtid => (Act::ReadByThread, 4),
                Share::WriteAddtid => (Act::WriteByThread, 4),
                Share::Append => (Act::Append, 4),
                Share::Consume => (Act::Consume, 4),
                Share::Swizzle => (Act::Swizzle, 4),
                Share::Permute => (Act::Permute, 4),
                Share::Bpermute => (Act::Bpermute, 4),
                // No register shows a counter of the global wave sync (`ds-gws`).
                Share::Nothing | Share::Gws(_) => (Act::Nothing, 0),
                Share::OrderedCount => (Act::OrderedCount, 4),
            },
            Transfer::LoadFormat(..) | Transfer::StoreFormat(..) | Transfer::StoreLds => return None,
            Transfer::Cache | Transfer::Discard | Transfer::Probe | Transfer::Clock => return None,
        })
    }
}

impl ShareOp {
    pub fn new(inst: &Inst) -> Option<ShareOp> {
        let (access, shape) = (inst.ds_access()?, inst.ds_shape()?);
        let (act, bytes) = Act::of(shape.moves)?;
        let offsets = match act {
            Act::Read2(scale) | Act::Write2(scale) | Act::Exchange2(scale) => {
                access.offsets.map(|offset| offset * u32::from(scale) * u32::from(bytes))
            }
            _ => [access.offset; 2],
        };
        let sources =
            [(access.addr, shape.addr.into()), (access.data[0], shape.data[0]), (access.data[1], shape.data[1])];
        let vdst = (access.vdst, shape.vdst);
        let named = sources.into_iter().chain([vdst]).filter(|&(_, count)| count > 0);
        let vgpr_count = named.map(|(first, count)| u16::from(first) + u16::from(count)).max().unwrap_or(0);
        Some(ShareOp { act, bytes, sources, vdst, vgpr_count, offsets, gds: access.gds, arch: inst.arch })
    }

    pub fn uses(&self) -> Uses {
        let moves_lanes = matches!(self.act, Act::Nothing | Act::Swizzle | Act::Permute | Act::Bpermute);
        let by_m0 = matches!(self.act, Act::ReadByThread | Act::WriteByThread);
        let is_limited = !self.arch.is_gcn14_or_later() && !matches!(self.act, Act::Append | Act::Consume);
        let mode = matches!(self.act, Act::Update(atomic) | Act::Source2(atomic) if atomic.reads_mode());
        Uses { m0: !moves_lanes && (by_m0 || self.gds || is_limited), mode, ..Uses::default() }
    }

    pub fn execute(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        if !m.has_destination(self.vdst.0, self.vdst.1) {
            return Ok(());
        }
        for (first, count) in self.sources {
            let is_past = count > 0 && usize::from(first) + usize::from(count) > m.vgprs.len();
            m.notes.insert_if(is_past, Note::RegRange);
        }
        match self.act {
            Act::Nothing => {}
            Act::Read(load) => self.read(m, load),
            Act::ReadByThread => self.read(m, Load::dwords(1)),
            Act::Write(store) => self.write(m, store),
            Act::WriteByThread => self.write(m, Store::dwords(1)),
            Act::Read2(_) => self.read2(m),
            Act::Write2(_) => self.write2(m),
            Act::Exchange2(_) => self.exchange2(m)?,
            Act::Update(atomic) => self.update(m, atomic)?,
            Act::ExchangeIfMarked => self.exchange_if_marked(m),
            Act::Source2(atomic) => self.source2(m, atomic),
            Act::Append => self.count(m, u32::wrapping_add),
            Act::Consume => self.count(m, u32::wrapping_sub),
            Act::OrderedCount => self.count_in_order(m),
            Act::Swizzle => self.swizzle(m),
            Act::Permute => self.permute(m),
            Act::Bpermute => self.bpermute(m),
        }
        Ok(())
    }
}
