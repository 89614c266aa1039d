//! PM4: packets of graphics and compute queues, as far as compute needs them. A packet that is not known is named, and
//! loses the device.
//!
//! Sources: Mesa's `sid.h` and the kernel's `soc15d.h`, `vid.h`, `cikd.h`, `sid.h` for opcodes and fields.

mod dispatch;
mod transfer;

use std::collections::HashMap;

use gcnsim_machine::{Mapping, canonical};

use crate::gpu::Gpu;

/// A submission has failed, and the user was told why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lost;

/// Most buffers within buffers.
const MOST_DEPTH: u32 = 8;
/// Most dwords of a buffer.
const MOST_DWORDS: u32 = 1 << 20;
/// Most packets of a submission, so that buffers that lead to each other end.
const MOST_PACKETS: u64 = 1 << 24;

/// Opcodes.
mod op {
    pub const NOP: u8 = 0x10;
    pub const SET_BASE: u8 = 0x11;
    pub const CLEAR_STATE: u8 = 0x12;
    pub const INDEX_BUFFER_SIZE: u8 = 0x13;
    pub const DISPATCH_DIRECT: u8 = 0x15;
    pub const DISPATCH_INDIRECT: u8 = 0x16;
    pub const ATOMIC_MEM: u8 = 0x1e;
    pub const SET_PREDICATION: u8 = 0x20;
    pub const COND_EXEC: u8 = 0x22;
    pub const DRAW_INDIRECT: u8 = 0x24;
    pub const DRAW_INDEX_INDIRECT: u8 = 0x25;
    pub const INDEX_BASE: u8 = 0x26;
    pub const DRAW_INDEX_2: u8 = 0x27;
    pub const CONTEXT_CONTROL: u8 = 0x28;
    pub const INDEX_TYPE: u8 = 0x2a;
    pub const DRAW_INDIRECT_MULTI: u8 = 0x2c;
    pub const DRAW_INDEX_AUTO: u8 = 0x2d;
    pub const NUM_INSTANCES: u8 = 0x2f;
    pub const INDIRECT_BUFFER_SI: u8 = 0x32;
    pub const DRAW_INDEX_OFFSET_2: u8 = 0x35;
    pub const WRITE_DATA: u8 = 0x37;
    pub const DRAW_INDEX_INDIRECT_MULTI: u8 = 0x38;
    pub const WAIT_REG_MEM: u8 = 0x3c;
    pub const INDIRECT_BUFFER: u8 = 0x3f;
    pub const COPY_DATA: u8 = 0x40;
    pub const CP_DMA: u8 = 0x41;
    pub const PFP_SYNC_ME: u8 = 0x42;
    pub const SURFACE_SYNC: u8 = 0x43;
    pub const EVENT_WRITE: u8 = 0x46;
    pub const EVENT_WRITE_EOP: u8 = 0x47;
    pub const EVENT_WRITE_EOS: u8 = 0x48;
    pub const RELEASE_MEM: u8 = 0x49;
    pub const DMA_DATA: u8 = 0x50;
    pub const ACQUIRE_MEM: u8 = 0x58;
    pub const LOAD_CONTEXT_REG: u8 = 0x61;
    pub const SET_CONFIG_REG: u8 = 0x68;
    pub const SET_CONTEXT_REG: u8 = 0x69;
    pub const SET_SH_REG: u8 = 0x76;
    pub const SET_UCONFIG_REG: u8 = 0x79;
    pub const SET_UCONFIG_REG_INDEX: u8 = 0x7a;
    pub const SET_SH_REG_INDEX: u8 = 0x9b;
}

/// First registers of the packets that set them, as addresses in bytes.
const SH: u32 = 0xb000;
const CONFIG: u32 = 0x8000;
const CONTEXT: u32 = 0x2_8000;
const UCONFIG: u32 = 0x3_0000;

/// A packet without its header.
struct Body<'a>(&'a [u32]);

impl Body<'_> {
    /// Returns a dword; 0 behind the end.
    fn at(&self, index: usize) -> u32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    /// Returns the address in two dwords.
    fn address(&self, index: usize) -> u64 {
        u64::from(self.at(index)) | u64::from(self.at(index + 1)) << 32
    }
}

/// The processor of a submission: registers, and what packets refer to.
pub(crate) struct Processor<'g> {
    gpu: &'g Gpu,
    /// The major version: 6 to 9.
    version: u32,
    /// Whether the packets are those of a queue for compute.
    pub is_compute: bool,
    registers: HashMap<u32, u32>,
    /// Base of the arguments of indirect dispatches.
    base: u64,
    /// Whether packets that ask for it are executed.
    predicate: bool,
    packets: u64,
    /// Number of invocations so far, for pipeline statistics.
    invocations: u64,
}

impl<'g> Processor<'g> {
    /// Returns the processor of a submission.
    pub fn new(gpu: &'g Gpu) -> Processor<'g> {
        Processor {
            gpu,
            version: gpu.chip.version()[0],
            is_compute: false,
            registers: HashMap::new(),
            base: 0,
            predicate: true,
            packets: 0,
            invocations: 0,
        }
    }

    /// Runs a buffer of packets.
    ///
    /// # Errors
    /// [`Lost`] if a packet cannot be executed.
    pub fn run(&mut self, address: u64, dwords: u32) -> Result<(), Lost> {
        self.buffer(address, dwords, 0)
    }

    fn buffer(&mut self, mut address: u64, mut dwords: u32, depth: u32) -> Result<(), Lost> {
        if depth > MOST_DEPTH {
            return self.lose("buffers of packets are nested too deep");
        }
        loop {
            let words = self.words(address, dwords)?;
            let mut rest = &words[..];
            let mut next = None;
            while let Some((&head, behind)) = rest.split_first() {
                self.packets += 1;
                if self.packets > MOST_PACKETS {
                    return self.lose("a submission has no end");
                }
                if head >> 30 != 3 {
                    // Packets of type 2 are one dword, those of type 0 write registers that nobody reads.
                    let len = if head >> 30 == 2 { 0 } else { (head >> 16 & 0x3fff) as usize + 1 };
                    rest = behind.get(len..).unwrap_or(&[]);
                    continue;
                }
                let (op, count) = ((head >> 8) as u8, head >> 16 & 0x3fff);
                if op == op::NOP && count == 0x3fff {
                    rest = behind;
                    continue;
                }
                let len = (count as usize + 1).min(behind.len());
                let (body, after) = behind.split_at(len);
                rest = after;
                if head & 1 == 1 && !self.predicate {
                    continue;
                }
                let body = Body(body);
                match op {
                    op::COND_EXEC => {
                        let count = if self.version >= 7 { body.at(3) } else { body.at(2) } & 0x3fff;
                        let at = if self.version >= 7 { body.address(0) } else { body.address(0) & 0xffff_ffff_ffff };
                        if self.u32_at(at & !3)? == 0 {
                            rest = rest.get(count as usize..).unwrap_or(&[]);
                        }
                    }
                    op::INDIRECT_BUFFER | op::INDIRECT_BUFFER_SI => {
                        let to = canonical(body.address(0) & 0xffff_ffff_fffc);
                        let size = body.at(2) & 0xf_ffff;
                        if body.at(2) >> 20 & 1 == 1 {
                            // The rest of this buffer is not executed.
                            next = Some((to, size));
                            break;
                        }
                        self.buffer(to, size, depth + 1)?;
                    }
                    _ => self.packet(op, count, &body)?,
                }
            }
            match next {
                Some((to, size)) => (address, dwords) = (to, size),
                None => return Ok(()),
            }
        }
    }

    fn packet(&mut self, op: u8, count: u32, body: &Body<'_>) -> Result<(), Lost> {
        match op {
            op::SET_SH_REG | op::SET_SH_REG_INDEX => self.set(SH, body),
            op::SET_UCONFIG_REG | op::SET_UCONFIG_REG_INDEX => self.set(UCONFIG, body),
            op::SET_CONTEXT_REG => self.set(CONTEXT, body),
            op::SET_CONFIG_REG => self.set(CONFIG, body),
            op::SET_BASE => {
                const INDIRECT: u32 = 1;
                if body.at(0) & 0xf == INDIRECT {
                    self.base = body.address(1);
                }
            }
            op::DISPATCH_DIRECT => self.dispatch([body.at(0), body.at(1), body.at(2)], body.at(3))?,
            op::DISPATCH_INDIRECT => {
                // Graphics queues have an offset from the base, compute queues an address.
                let (at, initiator) = match count {
                    1 => (self.base.wrapping_add(body.at(0).into()), body.at(1)),
                    _ => (body.address(0), body.at(2)),
                };
                let mut groups = [0; 3];
                for (place, group) in (0..).zip(&mut groups) {
                    *group = self.u32_at(at.wrapping_add(4 * place))?;
                }
                self.dispatch(groups, initiator)?;
            }
            op::WRITE_DATA => self.write_data(body)?,
            op::COPY_DATA => self.copy_data(body)?,
            op::CP_DMA => self.copy(
                (body.at(1), body.at(4)),
                (body.address(0) & 0xffff_ffff_ffff, body.address(2) & 0xffff_ffff_ffff),
            )?,
            op::DMA_DATA => self.copy((body.at(0), body.at(5)), (body.address(1), body.address(3)))?,
            op::ATOMIC_MEM => self.atomic(body)?,
            op::EVENT_WRITE => self.event(body)?,
            op::EVENT_WRITE_EOP => {
                let at = body.address(1) & 0xffff_ffff_ffff;
                self.end_of_pipe(body.at(2) >> 29, at, body.address(3))?;
            }
            op::EVENT_WRITE_EOS => {
                const DATA: u32 = 2;
                let at = canonical(body.address(1) & 0xffff_ffff_ffff);
                if body.at(2) >> 29 == DATA {
                    self.write(at, &body.at(3).to_le_bytes())?;
                }
            }
            op::RELEASE_MEM => self.end_of_pipe(body.at(1) >> 29, body.address(2), body.address(4))?,
            op::WAIT_REG_MEM => self.wait(body)?,
            op::SET_PREDICATION => self.predicate(body)?,
            op::DRAW_INDIRECT
            | op::DRAW_INDEX_INDIRECT
            | op::DRAW_INDEX_2
            | op::DRAW_INDIRECT_MULTI
            | op::DRAW_INDEX_AUTO
            | op::DRAW_INDEX_OFFSET_2
            | op::DRAW_INDEX_INDIRECT_MULTI => self.draw()?,
            op::NOP
            | op::CLEAR_STATE
            | op::INDEX_BUFFER_SIZE
            | op::INDEX_BASE
            | op::CONTEXT_CONTROL
            | op::INDEX_TYPE
            | op::NUM_INSTANCES
            | op::PFP_SYNC_ME
            | op::SURFACE_SYNC
            | op::ACQUIRE_MEM
            | op::LOAD_CONTEXT_REG => {}
            other => return self.lose(&format!("the PM4 packet {other:#x} is not known")),
        }
        Ok(())
    }

    /// A draw is not executed. It is counted, and named once.
    fn draw(&mut self) -> Result<(), Lost> {
        self.gpu.counts().summary.draws += 1;
        self.gpu.tell_once("a draw is not executed (the driver draws to copy and to clear images on graphics queues)");
        if self.gpu.settings.strict {
            return self.lose("a draw loses the device, as --strict asks");
        }
        Ok(())
    }

    /// Sets registers: the first dword has the number of the first one.
    fn set(&mut self, base: u32, body: &Body<'_>) {
        let first = base + (body.at(0) & 0xffff) * 4;
        for (at, &value) in (0..).zip(body.0.iter().skip(1)) {
            self.registers.insert(first + 4 * at, value);
        }
    }

    fn register(&self, address: u32) -> u32 {
        self.registers.get(&address).copied().unwrap_or(0)
    }

    /// Tells why the device is lost.
    fn lose<T>(&self, why: &str) -> Result<T, Lost> {
        self.gpu.fault(&format!("the device is lost: {why}"));
        Err(Lost)
    }

    fn mapped(&self, address: u64, bytes: u64) -> Result<(Mapping, usize), Lost> {
        let address = canonical(address);
        let found = self.gpu.device.mapped(address, bytes);
        let place = found.and_then(|mapping| mapping.place(address, bytes).map(|at| (mapping, at)));
        match place {
            Some(place) => Ok(place),
            None => self.lose(&format!("a packet accesses {bytes} bytes at {address:#x}, which are not mapped")),
        }
    }

    fn words(&self, address: u64, dwords: u32) -> Result<Vec<u32>, Lost> {
        if dwords == 0 {
            return Ok(Vec::new());
        }
        if dwords > MOST_DWORDS {
            return self.lose("a buffer of packets is too large");
        }
        let bytes = self.read(address, 4 * dwords as usize)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn read(&self, address: u64, len: usize) -> Result<Vec<u8>, Lost> {
        let (mapping, at) = self.mapped(address, len as u64)?;
        let mut bytes = vec![0; len];
        mapping.backing.read_into(at, &mut bytes);
        Ok(bytes)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Lost> {
        let (mapping, at) = self.mapped(address, bytes.len() as u64)?;
        mapping.backing.write(at, bytes);
        Ok(())
    }

    fn u32_at(&self, address: u64) -> Result<u32, Lost> {
        let bytes = self.read(address, 4)?;
        Ok(bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word)))
    }

    fn u64_at(&self, address: u64) -> Result<u64, Lost> {
        let bytes = self.read(address, 8)?;
        Ok(bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word)))
    }
}
