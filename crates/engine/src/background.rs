//! Compiles on a thread of its own while the interpreter goes on. Single runs use it, because they have only one
//! thread.
//!
//! What a run computes does not depend on when a region is ready: both engines are exact. Only the numbers of regions
//! and checks do.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use gcnsim_isa::Program;
use gcnsim_jit::region::Jump;
use gcnsim_jit::{Compiler, EqualMaxima, JitError, Region, RegionKey};
use gcnsim_machine::threads;

use super::RunOptions;
use super::compiled::new_compiler;

/// An owned [`RegionKey`].
#[derive(Clone)]
pub struct OwnedKey {
    pub pc: u64,
    pub mode: u32,
    pub observed: Vec<Jump>,
    pub maxima: EqualMaxima,
    pub predictable: Vec<u64>,
}

impl OwnedKey {
    /// The key.
    pub fn get(&self) -> RegionKey<'_> {
        let OwnedKey { pc, mode, ref observed, maxima, ref predictable } = *self;
        RegionKey { pc, mode, observed, maxima, predictable }
    }
}

/// The result of compiling a key.
pub type Compiled = Result<Option<Arc<Region>>, JitError>;

/// A thread that compiles regions of one program, one at a time.
pub struct Background {
    jobs: Sender<OwnedKey>,
    done: Receiver<(OwnedKey, Compiled)>,
    busy: bool,
}

/// The state of the compiling thread.
pub enum Progress {
    /// The thread has nothing to do.
    Idle,
    /// The thread compiles.
    Busy,
    /// A region is ready.
    Ready(OwnedKey, Compiled),
    /// The thread has ended.
    Lost,
}

impl Background {
    /// Starts the thread, if the system can. It ends when this value is dropped, or when it has finished the region
    /// that it is compiling then.
    pub fn start(program: &Program, options: &RunOptions) -> Option<Background> {
        let (jobs, wanted) = channel::<OwnedKey>();
        let (ready, done) = channel();
        let (program, options) = (program.clone(), options.clone());
        let work = move || {
            let mut compiler = None;
            for key in wanted {
                let compiled = compile(&mut compiler, &program, &options, &key);
                if ready.send((key, compiled)).is_err() {
                    break;
                }
            }
        };
        threads::spawn("compile", work).ok()?;
        Some(Background { jobs, done, busy: false })
    }

    /// Whether the thread is compiling.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Asks for the region of `key`. The thread must be idle.
    pub fn ask(&mut self, key: OwnedKey) {
        self.busy = self.jobs.send(key).is_ok();
    }

    /// Returns the state of the thread, without waiting.
    pub fn progress(&mut self) -> Progress {
        match self.done.try_recv() {
            Ok((key, compiled)) => {
                self.busy = false;
                Progress::Ready(key, compiled)
            }
            Err(TryRecvError::Disconnected) => Progress::Lost,
            Err(TryRecvError::Empty) if self.busy => Progress::Busy,
            Err(TryRecvError::Empty) => Progress::Idle,
        }
    }
}

fn compile(compiler: &mut Option<Compiler>, program: &Program, options: &RunOptions, key: &OwnedKey) -> Compiled {
    let compiler = match compiler {
        Some(compiler) => compiler,
        None => compiler.insert(new_compiler(options)?),
    };
    Ok(compiler.compile(program, &key.get())?.map(Arc::new))
}
