//! Submissions: chunks of a CS, and what they signal.

use std::sync::atomic::Ordering::SeqCst;

use crate::gpu::Gpu;
use crate::ioctl::{Args, EINVAL, Errno};
use crate::pm4::Processor;

/// Most chunks of a submission.
const MOST_CHUNKS: u32 = 4096;

/// Number of the engine for compute, behind that for graphics. There are no others.
const COMPUTE: u32 = 1;

/// Kinds of chunks.
mod chunk {
    pub const IB: u32 = 1;
    pub const FENCE: u32 = 2;
    pub const SYNCOBJ_OUT: u32 = 5;
    pub const TIMELINE_SIGNAL: u32 = 9;
    /// What it waits for was submitted before and has ended; buffers are known by their mappings.
    pub const NOTHING_TO_DO: [u32; 5] = [3, 4, 6, 7, 8];
}

/// A chunk: its kind, and its dwords.
struct Chunk {
    kind: u32,
    words: Vec<u32>,
}

impl Chunk {
    fn u32(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
    }

    fn u64(&self, index: usize) -> u64 {
        u64::from(self.u32(index)) | u64::from(self.u32(index + 1)) << 32
    }
}

impl Gpu {
    /// DRM_AMDGPU_CS.
    pub(super) fn submit(&self, args: &mut Args) -> Result<(), Errno> {
        let (context, count, list) = (args.u32(0), args.u32(8), args.u64(16));
        if count > MOST_CHUNKS {
            return Err(EINVAL);
        }
        let chunks = self.read_u64s(list, count)?.into_iter().map(|at| self.chunk(at));
        let chunks = chunks.collect::<Result<Vec<Chunk>, Errno>>()?;
        for chunk in &chunks {
            let is_known = match chunk.kind {
                chunk::IB => chunk.u32(5) <= COMPUTE,
                chunk::FENCE | chunk::SYNCOBJ_OUT | chunk::TIMELINE_SIGNAL => true,
                kind => chunk::NOTHING_TO_DO.contains(&kind),
            };
            if !is_known {
                let kind = chunk.kind;
                self.unknown(&format!("/dev/dri/renderD128: a chunk of kind {kind} for the engine {}", chunk.u32(5)));
                return Err(EINVAL);
            }
        }
        if !self.is_lost(context) {
            let _alone = self.turns.quiet();
            let mut processor = Processor::new(self);
            for ib in chunks.iter().filter(|chunk| chunk.kind == chunk::IB) {
                // Constant engines have nothing to do.
                const CONSTANT_ENGINE: u32 = 1;
                processor.is_compute = ib.u32(5) == COMPUTE;
                if ib.u32(1) & CONSTANT_ENGINE == 0 && processor.run(ib.u64(2), ib.u32(4) / 4).is_err() {
                    self.lose(context);
                    break;
                }
            }
        }
        let sequence = self.drm.sequence.fetch_add(1, SeqCst) + 1;
        // Whoever waits for what is lost goes on.
        for chunk in &chunks {
            match chunk.kind {
                chunk::FENCE if !self.is_lost(context) => {
                    self.write_to_buffer(chunk.u32(0), chunk.u32(1).into(), sequence);
                }
                chunk::SYNCOBJ_OUT => chunk.words.iter().for_each(|&handle| self.signal(handle, 0)),
                chunk::TIMELINE_SIGNAL => {
                    (0..chunk.words.len() / 4).for_each(|at| self.signal(chunk.u32(4 * at), chunk.u64(4 * at + 2)));
                }
                _ => {}
            }
        }
        if self.is_lost(context) {
            return Err(Errno(libc::ECANCELED));
        }
        args.set_u64(0, sequence);
        Ok(())
    }

    fn chunk(&self, at: u64) -> Result<Chunk, Errno> {
        let mut head = [0; 16];
        self.read_of_program(at, &mut head)?;
        let [kind, len, low, high] =
            [0, 4, 8, 12].map(|at: usize| head[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)));
        let words = self.read_u32s(u64::from(low) | u64::from(high) << 32, len)?;
        Ok(Chunk { kind, words })
    }
}
