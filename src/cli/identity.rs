//! The SHA-256 of a launch and its inputs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::dispatch_flags::Wanted;

/// The identity of a launch of a file.
#[derive(Clone, Copy)]
pub(super) struct Identity<'a> {
    pub wanted: &'a Wanted,
    /// Index of the launch in the file.
    pub index: usize,
    /// Flag that ends the computation of the hash when it is true.
    pub stop: Option<&'a AtomicBool>,
}

/// Fewest bytes of inputs whose SHA-256 is worth another thread.
const MUCH_TO_HASH: u64 = 256 << 10;

impl Identity<'_> {
    /// Returns the SHA-256 of the launch and its inputs; `None` if Ctrl-C has come first.
    pub fn sha256(self) -> Option<[u8; 32]> {
        let Wanted { draft, folder, outside, .. } = self.wanted;
        let stops = || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        draft.sha256_unless(self.place()?, folder, *outside, &stops)
    }

    /// Index of the launch among those of the whole file.
    fn place(self) -> Option<usize> {
        let name = &self.wanted.file.launches[self.index].name;
        self.wanted.draft.launches.iter().position(|(other, _)| other == name)
    }

    /// Runs `run`. If the SHA-256 is wanted and takes long, another thread computes it meanwhile.
    pub fn beside<T>(self, is_wanted: bool, run: impl FnOnce() -> T) -> (T, Option<[u8; 32]>) {
        let Wanted { draft, folder, .. } = self.wanted;
        let bytes = self.place().and_then(|place| draft.file_bytes(place, folder));
        if !is_wanted || bytes.is_none_or(|bytes| bytes < MUCH_TO_HASH) {
            return (run(), None);
        }
        thread::scope(|scope| {
            let sha256 = thread::Builder::new().spawn_scoped(scope, || self.sha256());
            // Whoever needs the hash computes it if there was no thread for it.
            (run(), sha256.ok().and_then(|sha256| sha256.join().ok()?))
        })
    }
}
