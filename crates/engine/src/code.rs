//! A program and what is known of it, for runs on any number of threads, one after the other or at once.
//!
//! A [`Session`] learns while it runs: predecoded blocks, hot counts, compiled regions. [`Code`] keeps idle sessions,
//! so that the next run with equal settings begins with what the last one knew. Sessions that run at once learn apart,
//! but compile each region once. What a program shows without being run is computed once for all of them: the loops in
//! which waves may wait, and whether groups can tell their order.

use std::collections::VecDeque;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use gcnsim_isa::Program;
#[cfg(feature = "jit")]
use gcnsim_jit::cache::{CodeId, SharedRegions};
#[cfg(feature = "jit")]
use sha2::{Digest, Sha256};

use crate::reach::{self, Order};
use crate::turn::Spins;
use crate::{RunOptions, Session};

/// Most idle sessions that a [`Code`] keeps: as many as threads may run it at once. Those that were used last stay.
const MOST_IDLE: usize = 256;

/// Size in bytes of the largest program whose regions are shared. Sharing hashes the program.
#[cfg(feature = "jit")]
const MOST_SHARED: usize = 1 << 20;

/// A program, and what is found out about it when somebody first asks.
pub(crate) struct Facts {
    pub program: Program,
    spins: OnceLock<Spins>,
    order: OnceLock<Order>,
    /// Whether marks that left out loads did not tell whether groups meet.
    stores_late: AtomicBool,
    /// The program's identity among regions that are shared.
    #[cfg(feature = "jit")]
    id: OnceLock<CodeId>,
    /// The regions that the sessions of a [`Code`] share, if options do not name others.
    #[cfg(feature = "jit")]
    regions: Option<SharedRegions>,
}

impl Facts {
    /// A program of which nothing is known yet, for one session.
    pub fn of(program: &Program) -> Facts {
        Facts {
            program: program.clone(),
            spins: OnceLock::new(),
            order: OnceLock::new(),
            stores_late: AtomicBool::new(false),
            #[cfg(feature = "jit")]
            id: OnceLock::new(),
            #[cfg(feature = "jit")]
            regions: None,
        }
    }

    /// The loops of the program in which waves may wait.
    pub fn spins(&self) -> &Spins {
        self.spins.get_or_init(|| Spins::of(&self.program))
    }

    /// Whether there may be such loops, as far as it is known.
    #[inline]
    pub fn may_spin(&self) -> bool {
        self.spins.get().is_none_or(|spins| !spins.is_empty())
    }

    /// The regions that a session with these options shares, and the program's identity among them.
    #[cfg(feature = "jit")]
    pub fn shared<'a>(&'a self, options: &'a RunOptions) -> Option<(&'a SharedRegions, CodeId)> {
        let size = self.program.parts().map(|part| part.len()).sum::<usize>();
        let shared = options.shared.as_deref().or(self.regions.as_ref()).filter(|_| 4 * size <= MOST_SHARED)?;
        let id = self.id.get_or_init(|| CodeId {
            sha256: digest(&self.program),
            arch: self.program.arch(),
            base: self.program.base(),
        });
        Some((shared, *id))
    }
}

/// The hash of the bytes of a program, or of what is known of them and where that is.
#[cfg(feature = "jit")]
fn digest(program: &Program) -> [u8; 32] {
    let Some(known) = program.known() else { return Sha256::digest(program.bytes()).into() };
    let mut hash = Sha256::new();
    for part in known.iter() {
        hash.update((part.start as u64).to_le_bytes());
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(&program.bytes()[4 * part.start..4 * part.end]);
    }
    hash.finalize().into()
}

/// A program and what is known of it. A clone is the same code.
///
/// ```
/// use gcnsim_engine::{Code, RunOptions};
/// use gcnsim_isa::{Arch, Program};
/// use gcnsim_machine::{Outcome, Wave};
/// // s_add_u32 s1, s1, s0; s_endpgm
/// let code = Code::new(&Program::from_words(Arch::Gcn14, &[0x8001_0001, 0xbf81_0000]));
/// for _ in 0..3 {
///     let mut wave = Wave::new(code.program());
///     // From the second round on, this is the session of the round before, which has decoded the program.
///     let result = code.lease(&RunOptions::default()).run(&mut wave, None);
///     assert_eq!(result.outcome, Ok(Outcome::Ended));
/// }
/// assert_eq!(code.idle_sessions(), 1);
/// ```
#[derive(Clone)]
pub struct Code(Arc<Kept>);

struct Kept {
    facts: Arc<Facts>,
    /// Sessions that nobody uses, the last used one at the end.
    idle: Mutex<VecDeque<Box<Session>>>,
}

impl Code {
    /// The code of a program of which nothing is known yet.
    pub fn new(program: &Program) -> Code {
        let facts = Facts {
            #[cfg(feature = "jit")]
            regions: Some(SharedRegions::default()),
            ..Facts::of(program)
        };
        Code(Arc::new(Kept { facts: Arc::new(facts), idle: Mutex::default() }))
    }

    /// The program.
    #[inline]
    pub fn program(&self) -> &Program {
        &self.0.facts.program
    }

    /// Whether both are the same code, with the same sessions.
    #[inline]
    pub fn is_same(&self, other: &Code) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The loops in which waves may wait for others.
    pub fn spins(&self) -> &Spins {
        self.0.facts.spins()
    }

    /// The effect of the order of groups on a run.
    pub fn order(&self) -> Order {
        *self.0.facts.order.get_or_init(|| reach::order(self.program()))
    }

    /// Whether [`Code::learn_late_stores`] was called: it does not pay to leave out marks of loads.
    pub fn stores_late(&self) -> bool {
        self.0.facts.stores_late.load(Relaxed)
    }

    /// Notes that marks that left out loads of buffers did not tell whether groups meet.
    pub fn learn_late_stores(&self) {
        self.0.facts.stores_late.store(true, Relaxed);
    }

    /// Takes a session for runs with these options: an idle one that knows what its last runs have learnt, or a new
    /// one. It returns to the code when the lease is dropped, unless a run has panicked or failed.
    ///
    /// An idle session serves options that differ from its last ones in `max_insts`, `stop`, `progress`,
    /// `time_regions`, `host_writes`, and `waves`, as long as these are few or many. What waves compute does not depend on what a
    /// session knows. The numbers of compiled and checked regions do.
    pub fn lease(&self, options: &RunOptions) -> Lease {
        let idle = {
            let mut idle = self.idle();
            let found = idle.iter().rposition(|session| session.options.is_served_like(options));
            found.and_then(|found| idle.remove(found))
        };
        let session = match idle {
            Some(mut session) => {
                session.pick_up(options);
                session
            }
            None => self.new_session(options),
        };
        Lease { session: Some(session), code: self.clone(), returns: true }
    }

    /// A session that has learnt nothing yet, and that no later run gets: what it does and counts does not depend on
    /// earlier runs. Regions that these have compiled are not compiled again, but count as if they were.
    pub fn fresh(&self, options: &RunOptions) -> Lease {
        Lease { session: Some(self.new_session(options)), code: self.clone(), returns: false }
    }

    fn new_session(&self, options: &RunOptions) -> Box<Session> {
        Box::new(Session::of(self.0.facts.clone(), options.clone()))
    }

    /// Number of sessions that nobody uses.
    pub fn idle_sessions(&self) -> usize {
        self.idle().len()
    }

    /// Compiles the code at which runs with this value of MODE begin, for sessions with these options. Such a session
    /// waits for it if it begins meanwhile, and reports errors itself. Returns the time that this took, in nanoseconds.
    #[cfg(feature = "jit")]
    pub fn compile_start(&self, mode: u32, options: &RunOptions) -> u64 {
        crate::tiered::compile_start_of(&self.0.facts, mode, options)
    }

    fn idle(&self) -> MutexGuard<'_, VecDeque<Box<Session>>> {
        // Nobody panics halfway through a change.
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back a session. One that has failed, or that has become too large, is dropped.
    fn take_back(&self, mut session: Box<Session>) {
        if thread::panicking() || !session.put_down() {
            return;
        }
        let mut idle = self.idle();
        let oldest = if idle.len() >= MOST_IDLE { idle.pop_front() } else { None };
        idle.push_back(session);
        drop(idle);
        drop(oldest);
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("program", self.program()).field("idle", &self.idle_sessions()).finish()
    }
}

/// The use of a [`Session`] of a [`Code`]. The session goes back when this is dropped, unless it is
/// [for this use alone](Code::fresh).
pub struct Lease {
    /// `None` only while this is dropped.
    session: Option<Box<Session>>,
    code: Code,
    /// Whether the session goes back. If not, no later run gets it.
    returns: bool,
}

impl Lease {
    /// The code whose session this is.
    pub fn code(&self) -> &Code {
        &self.code
    }
}

impl Deref for Lease {
    type Target = Session;

    #[inline]
    fn deref(&self) -> &Session {
        self.session.as_deref().expect("it goes back when the lease is dropped")
    }
}

impl DerefMut for Lease {
    #[inline]
    fn deref_mut(&mut self) -> &mut Session {
        self.session.as_deref_mut().expect("it goes back when the lease is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(session) = self.session.take().filter(|_| self.returns) {
            self.code.take_back(session);
        }
    }
}

impl RunOptions {
    /// Whether the program runs in so many waves that code without loops is compiled well.
    #[cfg(feature = "jit")]
    pub(crate) fn is_for_many(&self) -> bool {
        self.waves >= gcnsim_jit::MANY_WAVES
    }

    /// Whether a session with these options serves runs with the others: all are equal that decide what is compiled and
    /// when, and what is checked and counted.
    fn is_served_like(&self, other: &RunOptions) -> bool {
        let RunOptions { engine, hot, region_max, compile_start, checked_entries, count_classes, .. } = *self;
        let is_alike = engine == other.engine
            && hot == other.hot
            && region_max == other.region_max
            && compile_start == other.compile_start
            && checked_entries == other.checked_entries
            && count_classes == other.count_classes;
        #[cfg(feature = "jit")]
        let is_alike = is_alike
            && self.plant == other.plant
            && self.level == other.level
            && self.segments == other.segments
            && self.background == other.background
            && self.shared.as_ref().map(Arc::as_ptr) == other.shared.as_ref().map(Arc::as_ptr)
            && self.is_for_many() == other.is_for_many();
        is_alike
    }

    /// Takes what may change from run to run from other options.
    pub(crate) fn follow(&mut self, other: &RunOptions) {
        self.max_insts = other.max_insts;
        self.waves = other.waves;
        self.host_writes = other.host_writes;
        self.time_regions = other.time_regions;
        self.stop.clone_from(&other.stop);
        self.progress.clone_from(&other.progress);
    }
}
