//! Kernels of packets: from a packet to registers, and from the end of a run to what ROCr is told.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use gcnsim_device::abi::{Addresses, registers};
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{Dispatch, DispatchError, Request, most_lds};
use gcnsim_isa::kernel::KernelDescriptor;
use gcnsim_machine::outcome::{Detail, Outcome};

use super::{Done, Packet, QueueError};
use crate::gpu::{Gpu, NO_QUEUE, lock};
use crate::kernel::{Asked, End, Record, Way};
use crate::kfd::events::MemoryFault;
use crate::memory::Place;
use crate::queues::Queue;
use crate::turns::{Groups, Turn};

/// Why a kernel is not recorded that ran while another one did: what it reads may change meanwhile.
const AT_ONCE: &str = "another kernel ran at the same time";

impl Gpu {
    /// Runs the kernel of a packet.
    pub(super) fn dispatch(
        &self,
        id: u32,
        queue: &Queue,
        packet: &Packet,
        turn: &mut Turn<'_>,
    ) -> Result<Done, QueueError> {
        let mut asked = self.asked(queue, packet)?;
        self.log_packet(id);
        let has_beside = self.turns.has_beside();
        let record = if has_beside { Record::Line(AT_ONCE.to_owned()) } else { self.record_of(&asked) };
        let groups = Groups::default();
        let progress = |ended| groups.ended.store(ended, Relaxed);
        let number = self.turns.begin_kernel();
        let end = self.execute(&mut asked, |asked, start| {
            if let Record::Folder = record {
                let disturbed = || self.turns.has_begun_since(number).then(|| AT_ONCE.to_owned());
                let way = Way { record, progress: &progress, disturbed: &disturbed };
                return turn.beside_if_stuck(id, &groups, || self.run(asked, start, way, Dispatch::run_beside));
            }
            let takes_nothing_back = asked.dispatch.takes_nothing_back();
            let way = Way { record, progress: &progress, disturbed: &|| None };
            self.run(asked, start, way, |dispatch, request| {
                if !has_beside && !takes_nothing_back && request.observers.is_empty() {
                    self.runs.store(id, SeqCst);
                    let request = Request { observers: &mut *request.observers, ..request };
                    let run = self.turns.attempt(id, &groups, || dispatch.attempt(request, &groups.give_way));
                    self.runs.store(NO_QUEUE, SeqCst);
                    if let Some(run) = run {
                        return Ok(run);
                    }
                }
                turn.beside(id, || dispatch.run_beside(request))
            })
        });
        match end.map_err(|error| code_of(&error))? {
            End::Well => Ok(Done::Yes),
            // The program destroys the queue, or ends.
            End::Stopped => Ok(Done::No),
            End::OurFault => Err(QueueError::Trap),
            End::Pulled(page) => self.memory_fault(page, false),
            End::Badly(Outcome::Fault(Detail { memory: Some(fault), .. })) => {
                let is_there = lock(&self.memory).holding(fault.address, 1).is_some_and(|found| found.mapped);
                self.memory_fault(fault.address, is_there)
            }
            End::Badly(Outcome::Fault(_) | Outcome::Unsupported(_)) => Err(QueueError::Instruction),
            End::Badly(_) => Err(QueueError::Trap),
        }
    }

    /// Makes a dispatch of a packet.
    fn asked(&self, queue: &Queue, packet: &Packet) -> Result<Asked, QueueError> {
        let dimensions = (packet.u16(2) & 3) as usize;
        let grid = [12, 16, 20].map(|at| packet.u32(at));
        let group = [4, 6, 8].map(|at| packet.u16(at));
        let geometry = Geometry::new(&grid[..dimensions], &group[..dimensions], &[]).ok_or(QueueError::Dimensions)?;
        let (private, lds, descriptor, kernarg) = (packet.u32(24), packet.u32(28), packet.u64(32), packet.u64(40));
        if geometry.group_items() > 1024 {
            return Err(QueueError::Group);
        }
        let arch = self.device.arch();
        if lds > most_lds(arch) {
            return Err(QueueError::Lds);
        }
        let bytes = lock(&self.memory).place(descriptor, KernelDescriptor::SIZE as u64).ok_or(QueueError::Code)?;
        let stated = stated(&bytes, || lock(&self.memory).place(descriptor, KernelDescriptor::SIZE_V2 as u64));
        let entry = descriptor.wrapping_add_signed(stated.entry_offset);
        let addresses = Addresses {
            image: 0,
            kernarg,
            packet: packet.address,
            queue: queue.object(),
            scratch: self.scratch.address(),
            printf: 0,
        };
        let sizes = (lds, private.saturating_add(3) & !3);
        let registers = registers(&stated, entry, arch, &geometry, &addresses, sizes);
        let dispatch = self.ready(registers).map_err(|error| code_of(&error))?;
        let Geometry { grid, group, .. } = geometry;
        let (kernarg, packet) = (Some(kernarg), Some(packet.address));
        Ok(Asked { id: descriptor, grid, group, dispatch, kernarg, packet })
    }

    /// Tells ROCr of a fault of the memory. If nobody listens, the queue gets the error.
    fn memory_fault(&self, address: u64, is_read_only: bool) -> Result<Done, QueueError> {
        let is_told = self.events.memory_fault(MemoryFault { address: address & !0xfff, is_read_only });
        if is_told { Ok(Done::Told) } else { Err(QueueError::Memory) }
    }
}

/// Returns a descriptor as memory has it: that of version 2 says its version itself, as `amd_kernel_code_t`.
fn stated(place: &Place, whole: impl FnOnce() -> Option<Place>) -> KernelDescriptor {
    let head: [u8; 12] = place.bytes(0);
    let is_v2 = head[..4] == [1, 0, 0, 0] && head[8..10] == [1, 0] && (6..=9).contains(&head[10]);
    match whole().filter(|_| is_v2) {
        Some(whole) => KernelDescriptor::of_v2(&whole.bytes(0)),
        None => KernelDescriptor::of_v3(&place.bytes(0)),
    }
}

fn code_of(error: &DispatchError) -> QueueError {
    match error {
        DispatchError::NoCode { .. } => QueueError::Code,
        DispatchError::TooManyItems(_) => QueueError::Group,
        DispatchError::Lds { .. } => QueueError::Lds,
        _ => QueueError::Trap,
    }
}
