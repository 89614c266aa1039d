//! Synchronisation objects: fences by handle, and timelines of them.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::gpu::{Gpu, lock};
use crate::ioctl::{Args, EFAULT, EINVAL, Errno};

const ENOENT: Errno = Errno(libc::ENOENT);
const ETIME: Errno = Errno(libc::ETIME);

/// Most objects of a process.
const MOST: usize = 1 << 20;

#[derive(Clone, Copy, Default)]
struct Sync {
    /// Whether there is a fence, and it is signalled. Work ends where it is submitted, so there are no others.
    is_signalled: bool,
    /// The last point of the timeline.
    point: u64,
}

/// The objects of a process.
#[derive(Default)]
pub(super) struct Syncs {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    list: HashMap<u32, Sync>,
    last: u32,
}

/// Numbers of the ioctls.
mod number {
    pub const CREATE: u8 = 0xbf;
    pub const DESTROY: u8 = 0xc0;
    pub const WAIT: u8 = 0xc3;
    pub const RESET: u8 = 0xc4;
    pub const SIGNAL: u8 = 0xc5;
    pub const TIMELINE_WAIT: u8 = 0xca;
    pub const QUERY: u8 = 0xcb;
    pub const TRANSFER: u8 = 0xcc;
    pub const TIMELINE_SIGNAL: u8 = 0xcd;
}

/// Flags of a wait.
mod flag {
    pub const ALL: u32 = 1;
    pub const FOR_SUBMIT: u32 = 2;
    pub const AVAILABLE: u32 = 4;
}

/// A wait for objects.
struct Wait {
    handles: Vec<u32>,
    /// A point for each; 0 is the fence itself.
    points: Vec<u64>,
    flags: u32,
    /// Time at which it ends, in nanoseconds of the monotonic clock.
    until: i64,
}

impl Syncs {
    /// Signals an object, and the point of its timeline.
    pub fn signal(&self, handle: u32, point: u64) -> bool {
        let mut table = lock(&self.table);
        let Some(sync) = table.list.get_mut(&handle) else { return false };
        sync.is_signalled = true;
        sync.point = sync.point.max(point);
        self.changed.notify_all();
        true
    }

    /// Waits. Returns the number of the first object that is signalled.
    fn wait(&self, wait: &Wait) -> Result<u32, Errno> {
        let mut table = lock(&self.table);
        loop {
            let (mut first, mut count, mut is_unknown) = (None, 0, false);
            for (index, (handle, &point)) in (0..).zip(wait.handles.iter().zip(&wait.points)) {
                let sync = table.list.get(handle).ok_or(ENOENT)?;
                let is_done = sync.is_signalled && sync.point >= point;
                is_unknown |= !is_done && wait.flags & (flag::FOR_SUBMIT | flag::AVAILABLE) == 0;
                if is_done {
                    (first, count) = (first.or(Some(index)), count + 1);
                }
            }
            let all = wait.flags & flag::ALL != 0;
            if count == wait.handles.len() || !all && count > 0 {
                return Ok(first.unwrap_or(0));
            }
            if is_unknown {
                // What was not submitted has no fence.
                return Err(EINVAL);
            }
            let left = wait.until.saturating_sub(monotonic());
            if left <= 0 {
                return Err(ETIME);
            }
            let left = Duration::from_nanos(left as u64);
            table = self.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn monotonic() -> i64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

impl Gpu {
    /// Answers an ioctl of synchronisation objects.
    pub(super) fn syncobj(&self, number: u8, args: &mut Args) -> Result<(), Errno> {
        let syncs = &self.drm.syncs;
        match number {
            number::CREATE => {
                let is_signalled = args.u32(4) & 1 != 0;
                let mut table = lock(&syncs.table);
                if table.list.len() >= MOST {
                    return Err(Errno(libc::ENOMEM));
                }
                while table.last == 0 || table.list.contains_key(&table.last) {
                    table.last = table.last.wrapping_add(1);
                }
                let handle = table.last;
                table.list.insert(handle, Sync { is_signalled, point: 0 });
                args.set_u32(0, handle);
                Ok(())
            }
            number::DESTROY => lock(&syncs.table).list.remove(&args.u32(0)).map(|_| ()).ok_or(EINVAL),
            number::WAIT => {
                let handles = self.read_u32s(args.u64(0), args.u32(16))?;
                let points = vec![0; handles.len()];
                let first = syncs.wait(&Wait { handles, points, flags: args.u32(20), until: args.u64(8) as i64 })?;
                args.set_u32(24, first);
                Ok(())
            }
            number::TIMELINE_WAIT => {
                let handles = self.read_u32s(args.u64(0), args.u32(24))?;
                let points = self.read_u64s(args.u64(8), args.u32(24))?;
                let first = syncs.wait(&Wait { handles, points, flags: args.u32(28), until: args.u64(16) as i64 })?;
                args.set_u32(32, first);
                Ok(())
            }
            number::RESET => {
                for handle in self.read_u32s(args.u64(0), args.u32(8))? {
                    *lock(&syncs.table).list.get_mut(&handle).ok_or(ENOENT)? = Sync::default();
                }
                Ok(())
            }
            number::SIGNAL => {
                let handles = self.read_u32s(args.u64(0), args.u32(8))?;
                handles.into_iter().try_for_each(|handle| syncs.signal(handle, 0).then_some(()).ok_or(ENOENT))
            }
            number::TIMELINE_SIGNAL => {
                let handles = self.read_u32s(args.u64(0), args.u32(16))?;
                let points = self.read_u64s(args.u64(8), args.u32(16))?;
                let mut both = handles.into_iter().zip(points);
                both.try_for_each(|(handle, point)| syncs.signal(handle, point).then_some(()).ok_or(ENOENT))
            }
            number::QUERY => {
                let handles = self.read_u32s(args.u64(0), args.u32(16))?;
                let table = lock(&syncs.table);
                let point = |handle| table.list.get(handle).map(|sync| sync.point).ok_or(ENOENT);
                let points = handles.iter().map(point).collect::<Result<Vec<u64>, Errno>>()?;
                let bytes: Vec<u8> = points.into_iter().flat_map(u64::to_le_bytes).collect();
                self.program.write(args.u64(8), &bytes).then_some(()).ok_or(EFAULT)
            }
            number::TRANSFER => {
                let (from, to, point, to_point) = (args.u32(0), args.u32(4), args.u64(8), args.u64(16));
                let sync = *lock(&syncs.table).list.get(&from).ok_or(ENOENT)?;
                if sync.is_signalled && sync.point >= point {
                    syncs.signal(to, to_point).then_some(()).ok_or(ENOENT)
                } else {
                    Err(EINVAL)
                }
            }
            other => {
                self.unknown(&format!("/dev/dri/renderD128: ioctl {other:#x}"));
                Err(EINVAL)
            }
        }
    }

    /// Signals what a submission signals. What is not there is ignored, as the program may have destroyed it.
    pub(super) fn signal(&self, handle: u32, point: u64) {
        self.drm.syncs.signal(handle, point);
    }
}
