//! The device of this process.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::{env, fs, io, process, ptr, thread};

use crate::real::real;
use gcnsim_driver::drm;
use gcnsim_driver::kfd::topology::{self, Host};
use gcnsim_driver::settings::{CHIP, LOG, SETTINGS, chip};
use gcnsim_driver::{Gpu, OwnMemory, Program, Settings, Summary};

/// The device of a process, and what belongs to it.
pub struct Shown {
    /// The GPU.
    pub gpu: Arc<Gpu>,
    /// The private folder.
    pub folder: PathBuf,
    /// Whether the folder goes at the end of this process.
    owns_folder: bool,
    /// Identities of the files of doorbells and of video memory: device and inode.
    kfd: Identity,
    render: Identity,
    /// The process whose device this is. A child that was forked has another one.
    process: u32,
    /// Whether the program has opened the device, so that it is told of at the end.
    opened: AtomicBool,
    told: AtomicBool,
}

type Identity = (u64, u64);

/// Which file of the device a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum File {
    /// `/dev/kfd`.
    Kfd,
    /// `/dev/dri/renderD128`.
    Render,
}

/// The device of this process, once there is one. It stays for ever, as its threads do.
static SHOWN: AtomicPtr<Shown> = AtomicPtr::new(ptr::null_mut());
/// Process in which making the device has failed.
static FAILED: AtomicU32 = AtomicU32::new(0);
/// Process that makes it; 0 if none does. A child that was forked meanwhile makes its own.
static MAKER: AtomicU32 = AtomicU32::new(0);

/// The making of the device, until this is dropped.
struct Making;

impl Drop for Making {
    fn drop(&mut self) {
        MAKER.store(0, SeqCst);
    }
}

/// Writes a line for the user.
fn say(text: &str) {
    eprintln!("gcnsim: {text}");
}

/// Returns the device of this process, if it has one.
pub fn there() -> Option<&'static Shown> {
    // SAFETY: what was stored once is never freed.
    let shown = unsafe { SHOWN.load(SeqCst).as_ref() }?;
    (shown.process == process::id()).then_some(shown)
}

/// Returns the device of this process, which is made if need be; `None` if it cannot be made.
pub fn get() -> Option<&'static Shown> {
    if let Some(shown) = there() {
        return Some(shown);
    }
    if FAILED.load(SeqCst) == process::id() {
        return None;
    }
    let own = process::id();
    let take = |maker| Some(own).filter(|_| maker != own);
    if MAKER.fetch_update(SeqCst, SeqCst, take).is_err() {
        // Another thread makes it.
        while there().is_none() && MAKER.load(SeqCst) == own {
            thread::yield_now();
        }
        return there();
    }
    // Those who wait go on, even after a panic.
    let _making = Making;
    if there().is_none() {
        match make() {
            Ok(shown) => SHOWN.store(Box::into_raw(Box::new(shown)), SeqCst),
            Err(error) => {
                FAILED.store(own, SeqCst);
                say(&format!("no device: {error}"));
            }
        }
    }
    there()
}

fn make() -> Result<Shown, Box<dyn std::error::Error>> {
    let text = |name| env::var(name).unwrap_or_default();
    let mut settings = Settings::parse(&text(SETTINGS))?;
    settings.log = settings.log.or_else(|| env::var_os(LOG).map(PathBuf::from));
    let chip = chip(Some(&text(CHIP)))?;
    let (folder, owns_folder) = match &settings.folder {
        Some(folder) => (folder.clone(), false),
        None => (private_folder()?, true),
    };
    if !folder.join("topology").exists() {
        write_files(&folder, chip)?;
    }
    let gpu = Arc::new(Gpu::new(chip, settings, Box::new(This(OwnMemory::new()?)))?);
    let (kfd, render) = (identity(gpu.registers_fd()), identity(gpu.memory_fd()));
    let (kfd, render) = kfd.zip(render).ok_or_else(io::Error::last_os_error)?;
    let (opened, told) = (AtomicBool::new(false), AtomicBool::new(false));
    // SAFETY: the function is one of ours that takes nothing.
    unsafe { libc::atexit(at_exit) };
    Ok(Shown { gpu, folder, owns_folder, kfd, render, process: process::id(), opened, told })
}

fn private_folder() -> io::Result<PathBuf> {
    let folder = env::temp_dir().join(format!("gcnsim-{}", process::id()));
    // What an earlier process with this number has left.
    let _ = fs::remove_dir_all(&folder);
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

/// Writes the files that stand for files of the system. Several processes may write the same ones; the folder that comes
/// last appears at once.
fn write_files(folder: &Path, chip: &gcnsim_driver::chips::Chip) -> io::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from) as u32;
    let made = format!("topology.{}", process::id());
    let place = |part: &str, files: Vec<topology::File>| {
        files.into_iter().try_for_each(|(path, text)| {
            let path = folder.join(part).join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)
        })
    };
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    place("dri", vec![file("renderD128", "")])?;
    place("pci", drm::files(chip))?;
    place("module", vec![file("refcnt", "0\n"), file("holders/none", "")])?;
    place(".", vec![file("modules", "amdgpu 1 0 - Live 0x0000000000000000\n")])?;
    place(&made, topology::files(chip, Host { cores, memory: memory() }))?;
    let (made, shown) = (folder.join(made), folder.join("topology"));
    fs::rename(&made, &shown).or_else(|error| if shown.exists() { fs::remove_dir_all(&made) } else { Err(error) })
}

/// Returns the memory of the host in bytes.
fn memory() -> u64 {
    // SAFETY: the calls read constants of the system.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    (pages.max(0) as u64).saturating_mul(size.max(0) as u64)
}

/// This process as the program that uses the GPU.
struct This(OwnMemory);

impl Program for This {
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.0.read(address, bytes)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> bool {
        self.0.write(address, bytes)
    }

    fn loaded_objects(&self) -> Option<u64> {
        // SAFETY: the name is a string.
        let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_amdgpu_r_debug".as_ptr()) };
        (!at.is_null()).then_some(at as u64)
    }

    fn say(&self, text: &str) {
        say(text);
    }

    fn keep(&self, summary: &Summary) {
        if let Some(shown) = there() {
            shown.keep(summary);
        }
    }
}

fn identity(fd: RawFd) -> Option<Identity> {
    let mut stat = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // `fstat` itself is replaced.
    let fstat = real!("fstat", unsafe extern "C" fn(c_int, *mut libc::stat) -> c_int)?;
    // SAFETY: the structure is whole, and the C library fills it.
    let stat = unsafe { (fstat(fd, stat.as_mut_ptr()) == 0).then(|| stat.assume_init()) }?;
    Some((stat.st_dev, stat.st_ino))
}

impl Shown {
    /// Opens a file of the device: a new descriptor. The error is one of errno.
    pub fn open(&self, file: File, flags: c_int) -> Result<RawFd, c_int> {
        self.opened.store(true, SeqCst);
        let fd = match file {
            File::Kfd => self.gpu.registers_fd(),
            File::Render => self.gpu.memory_fd(),
        };
        let how = if flags & libc::O_CLOEXEC != 0 { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
        // SAFETY: the call only makes a descriptor.
        let fd = unsafe { libc::fcntl(fd, how, 0) };
        if fd >= 0 { Ok(fd) } else { Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EMFILE)) }
    }

    /// Returns which file of the device a descriptor is.
    pub fn file(&self, fd: RawFd) -> Option<File> {
        let identity = identity(fd)?;
        if identity == self.kfd {
            Some(File::Kfd)
        } else if identity == self.render {
            Some(File::Render)
        } else {
            None
        }
    }

    /// Writes a summary to the folder of the command.
    fn keep(&self, summary: &Summary) {
        static WRITING: Mutex<()> = Mutex::new(());
        if self.owns_folder {
            return;
        }
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        if self.told.load(SeqCst) && !summary.printed {
            return;
        }
        // The process may end at any time, so the file appears at once. Without it, the command knows nothing of this
        // process.
        let path = self.folder.join(format!("{}.json", self.process));
        let part = path.with_extension("part");
        let _ = fs::write(&part, summary.to_json()).and_then(|()| fs::rename(&part, &path));
    }
}

extern "C" fn at_exit() {
    tell();
}

/// Tells the user what the device of this process has done, once, and removes the private folder.
pub fn tell() {
    let Some(shown) = there() else { return };
    if shown.told.swap(true, SeqCst) {
        return;
    }
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        if shown.opened.load(SeqCst) {
            let summary = Summary { printed: true, ..shown.gpu.summary() };
            eprint!("{summary}");
            shown.keep(&summary);
        }
        if shown.owns_folder {
            let _ = fs::remove_dir_all(&shown.folder);
        }
    }));
}
