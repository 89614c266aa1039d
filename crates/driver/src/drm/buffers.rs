//! Buffer objects, and where they are mapped.

use std::collections::BTreeMap;
use std::sync::Arc;

use gcnsim_machine::{Backing, Mapping, canonical};

use crate::gpu::{Gpu, lock};
use crate::guard;
use crate::ioctl::{Args, EFAULT, EINVAL, ENOMEM, Errno};
use crate::vram::Range;

const PAGE: u64 = 4096;
/// Domain of video memory.
const DOMAIN_VRAM: u64 = 4;
/// Bytes of metadata.
const METADATA: usize = 280;

/// A buffer object.
struct Buffer {
    /// Its range in the file, whose offset is that of `mmap`; `None` for memory of the program.
    range: Option<Range>,
    /// Address of memory of the program.
    user: u64,
    backing: Arc<Backing>,
    size: u64,
    domains: u64,
    flags: u64,
    metadata: Vec<u8>,
}

/// A part of a buffer at a guest address.
#[derive(Clone, Copy)]
struct Map {
    len: u64,
    handle: u32,
    /// Offset in the buffer.
    offset: u64,
}

/// The buffers of a process.
#[derive(Default)]
pub(super) struct Buffers {
    list: BTreeMap<u32, Buffer>,
    maps: BTreeMap<u64, Map>,
    last: u32,
    /// Bytes of video memory that are taken.
    pub used: u64,
}

impl Buffers {
    fn add(&mut self, buffer: Buffer) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1).max(1);
            if !self.list.contains_key(&self.last) {
                break;
            }
        }
        if buffer.domains & DOMAIN_VRAM != 0 {
            self.used += buffer.size;
        }
        self.list.insert(self.last, buffer);
        self.last
    }

    /// Unmaps a range. Parts of maps that lie outside stay.
    fn clear(&mut self, gpu: &Gpu, va: u64, len: u64) {
        let end = va.saturating_add(len);
        let below = self.maps.range(..end).rev().map(|(at, map)| (*at, *map));
        let met: Vec<(u64, Map)> = below.take_while(|(at, map)| at + map.len > va).collect();
        for (at, map) in met {
            gpu.device.unmap(at);
            self.maps.remove(&at);
            if at < va {
                self.map(gpu, at, Map { len: va - at, ..map });
            }
            if at + map.len > end {
                let cut = end - at;
                self.map(gpu, end, Map { len: map.len - cut, offset: map.offset + cut, ..map });
            }
        }
    }

    /// Maps a part of a buffer where nothing is. Returns whether that was so.
    fn map(&mut self, gpu: &Gpu, va: u64, map: Map) -> bool {
        let Some(buffer) = self.list.get(&map.handle) else { return false };
        let whole = Mapping::new(va, "a buffer", buffer.backing.clone());
        let mapping = Mapping { len: map.len, offset: map.offset as usize, is_buffer: true, ..whole };
        let is_mapped = gpu.device.map(mapping).is_ok();
        if is_mapped {
            self.maps.insert(va, map);
        }
        is_mapped
    }
}

impl Gpu {
    /// DRM_AMDGPU_GEM_CREATE.
    pub(super) fn create_buffer(&self, args: &mut Args) -> Result<(), Errno> {
        let [size, _, domains, flags] = [0, 8, 16, 24].map(|at| args.u64(at));
        let size = size.checked_next_multiple_of(PAGE).filter(|&size| size > 0).ok_or(EINVAL)?;
        let mut buffers = lock(&self.drm.buffers);
        if domains & DOMAIN_VRAM != 0 && buffers.used.saturating_add(size) > self.chip.memory << 20 {
            return Err(ENOMEM);
        }
        let (range, backing) = lock(&self.vram).alloc(size, false).map_err(|_| ENOMEM)?;
        let buffer = Buffer { range: Some(range), user: 0, backing, size, domains, flags, metadata: vec![0; METADATA] };
        let handle = buffers.add(buffer);
        args.set_u64(0, handle.into());
        Ok(())
    }

    /// DRM_AMDGPU_GEM_USERPTR.
    pub(super) fn user_buffer(&self, args: &mut Args) -> Result<(), Errno> {
        const GTT: u64 = 2;
        let (user, size) = (args.u64(0), args.u64(8));
        if size == 0 || !size.is_multiple_of(PAGE) {
            return Err(EINVAL);
        }
        let backing = self.of_program(user, size)?;
        let metadata = vec![0; METADATA];
        let buffer = Buffer { range: None, user, backing, size, domains: GTT, flags: 0, metadata };
        let handle = lock(&self.drm.buffers).add(buffer);
        args.set_u32(20, handle);
        Ok(())
    }

    /// DRM_IOCTL_GEM_CLOSE: the buffer and its mappings go.
    pub(super) fn close_buffer(&self, handle: u32) -> Result<(), Errno> {
        let _quiet = self.turns.quiet();
        let mut buffers = lock(&self.drm.buffers);
        let buffer = buffers.list.remove(&handle).ok_or(EINVAL)?;
        buffers.maps.retain(|&at, map| {
            let stays = map.handle != handle;
            if !stays {
                self.device.unmap(at);
            }
            stays
        });
        if buffer.domains & DOMAIN_VRAM != 0 {
            buffers.used = buffers.used.saturating_sub(buffer.size);
        }
        drop(buffer.backing);
        match buffer.range {
            Some(range) => lock(&self.vram).free(range),
            None => guard::forget(buffer.user, buffer.size),
        }
        Ok(())
    }

    /// DRM_AMDGPU_GEM_MMAP: the offset for `mmap`.
    pub(super) fn place_of_buffer(&self, args: &mut Args) -> Result<(), Errno> {
        let buffers = lock(&self.drm.buffers);
        let buffer = buffers.list.get(&args.u32(0)).ok_or(EINVAL)?;
        args.set_u64(0, buffer.range.as_ref().ok_or(EINVAL)?.offset);
        Ok(())
    }

    /// DRM_AMDGPU_GEM_VA.
    pub(super) fn map_buffer(&self, args: &mut Args) -> Result<(), Errno> {
        const MAP: u32 = 1;
        const UNMAP: u32 = 2;
        const CLEAR: u32 = 3;
        const REPLACE: u32 = 4;
        // Pages that are promised without memory.
        const PRT: u32 = 1 << 4;
        let (handle, operation, flags) = (args.u32(0), args.u32(8), args.u32(12));
        let [va, offset, len] = [16, 24, 32].map(|at| args.u64(at));
        let va = canonical(va);
        let is_fine = [va, offset, len].into_iter().all(|at| at.is_multiple_of(PAGE)) && len > 0;
        if !is_fine || va.checked_add(len).is_none() {
            return Err(EINVAL);
        }
        let _quiet = self.turns.quiet();
        let mut buffers = lock(&self.drm.buffers);
        if flags & PRT != 0 {
            // Addresses without memory: an access there is a fault.
            buffers.clear(self, va, len);
            return Ok(());
        }
        let part = Map { len, handle, offset };
        let fits = |buffers: &Buffers| {
            let buffer = buffers.list.get(&handle);
            buffer.is_some_and(|buffer| offset.checked_add(len).is_some_and(|end| end <= buffer.size))
        };
        match operation {
            MAP if fits(&buffers) => buffers.map(self, va, part).then_some(()).ok_or(EINVAL),
            REPLACE if fits(&buffers) => {
                buffers.clear(self, va, len);
                buffers.map(self, va, part).then_some(()).ok_or(EINVAL)
            }
            UNMAP | CLEAR => {
                buffers.clear(self, va, len);
                Ok(())
            }
            _ => Err(EINVAL),
        }
    }

    /// DRM_AMDGPU_GEM_METADATA.
    pub(super) fn metadata(&self, args: &mut Args) -> Result<(), Errno> {
        const SET: u32 = 1;
        let (handle, op) = (args.u32(0), args.u32(4));
        let mut buffers = lock(&self.drm.buffers);
        let buffer = buffers.list.get_mut(&handle).ok_or(EINVAL)?;
        let data = &mut args.0[8..8 + METADATA];
        if op == SET {
            buffer.metadata.copy_from_slice(data)
        } else {
            data.copy_from_slice(&buffer.metadata)
        }
        Ok(())
    }

    /// DRM_AMDGPU_GEM_OP: how a buffer was made.
    pub(super) fn buffer_facts(&self, args: &mut Args) -> Result<(), Errno> {
        const GET_CREATE_INFO: u32 = 0;
        let (handle, op, to) = (args.u32(0), args.u32(4), args.u64(8));
        let buffers = lock(&self.drm.buffers);
        let buffer = buffers.list.get(&handle).ok_or(EINVAL)?;
        if op == GET_CREATE_INFO {
            let facts = [buffer.size, PAGE, buffer.domains, buffer.flags];
            let bytes: Vec<u8> = facts.into_iter().flat_map(u64::to_le_bytes).collect();
            self.program.write(to, &bytes).then_some(()).ok_or(EFAULT)?;
        }
        Ok(())
    }

    /// Writes a number of 8 bytes to a buffer. Returns whether it fits.
    pub(super) fn write_to_buffer(&self, handle: u32, at: u64, value: u64) -> bool {
        let buffers = lock(&self.drm.buffers);
        let buffer = buffers.list.get(&handle);
        let fits = |buffer: &&Buffer| at.is_multiple_of(8) && at.checked_add(8).is_some_and(|end| end <= buffer.size);
        buffer.filter(fits).is_some_and(|buffer| {
            buffer.backing.update64(at as usize, |_| value);
            true
        })
    }

    /// Returns what is mapped, for the log: addresses, backings, offsets in them, lengths.
    pub(super) fn mapped_buffers(&self) -> Vec<(u64, Arc<Backing>, usize, usize)> {
        let buffers = lock(&self.drm.buffers);
        let of = |(&va, map): (&u64, &Map)| {
            let buffer = buffers.list.get(&map.handle)?;
            Some((va, buffer.backing.clone(), map.offset as usize, map.len as usize))
        };
        buffers.maps.iter().filter_map(of).collect()
    }

    /// Returns how much video memory is taken, in bytes.
    pub(super) fn used_by_buffers(&self) -> u64 {
        lock(&self.drm.buffers).used
    }
}
