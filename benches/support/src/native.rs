//! Compiles C text: `cc` makes a shared object, which is loaded into the process.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_void};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use gcnsim_isa::{Vgpr, WaveState};
use gcnsim_machine::VgprFile;

/// How a translated program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// It ended at an S_ENDPGM.
    Ended,
    /// It ended at an instruction that halts.
    Halted,
    /// A computed jump went to an address that the translator was not told of; PC holds it.
    UnknownTarget,
}

/// Why a text cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// There is no C compiler.
    #[error("no C compiler: `cc` cannot be run ({0})")]
    NoCompiler(io::Error),
    /// The compiler does not accept the text.
    #[error("`cc` failed:\n{0}")]
    Rejected(String),
    /// An error of files or of the loader.
    #[error("cannot load the compiled text: {0}")]
    Load(String),
}

/// The function `run` of a program: the state, and the VGPRs. It returns one of the `EXIT_` codes of the prelude.
type Run = unsafe extern "C" fn(*mut WaveState, *const u32) -> u32;

/// The function `run` of a segment: VGPRs, and scalar registers.
type RunSegment = unsafe extern "C" fn(*mut Vgpr, *mut u32);

/// A shared object that is loaded.
struct Library {
    /// The function `run`.
    symbol: *mut c_void,
    handle: *mut c_void,
}

// SAFETY: only `drop`, which has exclusive access, uses the handle. The function keeps no state of its own.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// A compiled program.
pub struct Native {
    run: Run,
    _library: Library,
}

/// A compiled vector segment.
pub struct NativeSegment {
    run: RunSegment,
    _library: Library,
}

/// The function `run` of loops that were written by hand: the name of a loop, its iterations, 128 registers for the
/// results. It returns 0 if there is no such loop.
type RunLoop = unsafe extern "C" fn(*const c_char, u32, *mut u32) -> i32;

/// Loops that were written in C by hand.
pub struct ByHand {
    run: RunLoop,
    _library: Library,
}

/// Options of `cc` for programs, besides input and output.
pub const CC_OPTIONS: [&str; 4] = ["-O2", "-fPIC", "-shared", "-w"];

/// Options of `cc` for vector segments: all that helps to make vectors, and keeps results exact.
pub const CC_SEGMENT_OPTIONS: [&str; 9] = [
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-w",
];

/// Version line of the C compiler, if there is one.
pub fn compiler_version() -> Option<String> {
    let output = Command::new("cc").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_string())
}

/// Compiles a text of [`translate`](crate::translate). `folder` is for temporary files, which stay there: `name.c`,
/// `name.so`.
///
/// # Errors
/// [`CompileError::NoCompiler`] if there is no `cc`; otherwise the error.
pub fn compile(text: &str, name: &str, folder: &Path) -> Result<Native, CompileError> {
    let library = load(text, name, folder, &CC_OPTIONS)?;
    // SAFETY: the text defines `run` with this signature.
    let run = unsafe { std::mem::transmute::<*mut c_void, Run>(library.symbol) };
    Ok(Native { run, _library: library })
}

/// Compiles a text of [`translate_segment`](crate::translate_segment), as [`compile`] does.
///
/// # Errors
/// As [`compile`].
pub fn compile_segment(text: &str, name: &str, folder: &Path) -> Result<NativeSegment, CompileError> {
    let library = load(text, name, folder, &CC_SEGMENT_OPTIONS)?;
    // SAFETY: the text defines `run` with this signature.
    let run = unsafe { std::mem::transmute::<*mut c_void, RunSegment>(library.symbol) };
    Ok(NativeSegment { run, _library: library })
}

/// Compiles `corpus/tools/loops_expected.c`, which `source` is, as [`compile`] does.
///
/// # Errors
/// As [`compile`].
pub fn compile_by_hand(source: &Path, folder: &Path) -> Result<ByHand, CompileError> {
    let text = fs::read_to_string(source).map_err(|e| CompileError::Load(e.to_string()))?;
    let include = format!("-I{}", source.parent().unwrap_or(Path::new(".")).display());
    let options = [&CC_OPTIONS[..], &["-DLIBRARY", &include]].concat();
    let library = load(&text, "by-hand", folder, &options)?;
    // SAFETY: the text defines `run` with this signature.
    let run = unsafe { std::mem::transmute::<*mut c_void, RunLoop>(library.symbol) };
    Ok(ByHand { run, _library: library })
}

/// Compiles a text with `cc` and loads the shared object.
fn load(text: &str, name: &str, folder: &Path, options: &[&str]) -> Result<Library, CompileError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let load = |error: &dyn std::fmt::Display| CompileError::Load(error.to_string());
    fs::create_dir_all(folder).map_err(|e| load(&e))?;
    let source = folder.join(name).with_extension("c");
    // Each load needs a name of its own: the loader takes files of the same name for one file.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let object = folder.join(format!("{name}-{}-{number}.so", std::process::id()));
    fs::write(&source, text).map_err(|e| load(&e))?;
    let output = Command::new("cc").args(options).arg("-o").arg(&object).arg(&source).arg("-lm").output();
    let output = output.map_err(CompileError::NoCompiler)?;
    if !output.status.success() {
        return Err(CompileError::Rejected(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let library = open(&object);
    // The loaded object does not need its file any longer.
    let _ = fs::remove_file(&object);
    library
}

/// Loads a shared object and finds its function `run`.
fn open(object: &Path) -> Result<Library, CompileError> {
    let failed = |what: &str| CompileError::Load(format!("{what} of {}", object.display()));
    let path = CString::new(object.as_os_str().as_encoded_bytes()).map_err(|_| failed("name"))?;
    // SAFETY: the string is valid. The object was made from our own text and has no constructors.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    if handle.is_null() {
        return Err(failed("dlopen"));
    }
    // SAFETY: the handle is open.
    let symbol = unsafe { libc::dlsym(handle, c"run".as_ptr()) };
    let library = Library { symbol, handle };
    if symbol.is_null() { Err(failed("symbol `run`")) } else { Ok(library) }
}

impl Native {
    /// Runs the program on a state until it ends.
    pub fn run(&self, state: &mut WaveState, vgprs: &VgprFile) -> Exit {
        // SAFETY: `struct state` of the prelude is the beginning of `WaveState`. The text reads and writes its fields,
        // and reads the vector registers that it names, all of which exist. Indices of register arrays are masked to
        // 128.
        match unsafe { (self.run)(state, vgprs.regs().as_ptr().cast()) } {
            0 => Exit::Ended,
            1 => Exit::Halted,
            _ => Exit::UnknownTarget,
        }
    }
}

impl ByHand {
    /// Runs the loop `name`. Returns the registers with its results; `None` if there is no such loop.
    pub fn run(&self, name: &str, iterations: u32) -> Option<[u32; 128]> {
        let name = CString::new(name).ok()?;
        let mut registers = [0; 128];
        // SAFETY: the string is valid, and the text writes 128 registers.
        let found = unsafe { (self.run)(name.as_ptr(), iterations, registers.as_mut_ptr()) };
        (found != 0).then_some(registers)
    }
}

impl NativeSegment {
    /// Executes the segment in all lanes, on 256 VGPRs and on the scalar registers by their operand codes.
    pub fn run(&self, vgprs: &mut [Vgpr; 256], sgprs: &mut [u32; 128]) {
        // SAFETY: the text reads and writes the 64 dwords of VGPRs and the scalar registers that the instructions name,
        // by 8 and 7 bits.
        unsafe { (self.run)(vgprs.as_mut_ptr(), sgprs.as_mut_ptr()) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the handle is open. `run` borrows the owner, so no thread is in the code.
        unsafe { libc::dlclose(self.handle) };
    }
}
