//! The shader that runs in a world, and what its file says of it.

use std::sync::{Arc, OnceLock};

use gcnsim_isa::{Arch, Program};
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_loader::{Entry, FileBytes, Shader, Stage};
use gcnsim_machine::world::{CODE, WorldPiece};

use crate::fetch::{self, Fetch};
use crate::setup::{self, Takes};

/// The bytes of a program.
struct Code(Program);

impl AsRef<[u8]> for Code {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// A shader to run.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The program. Its addresses are those of the file plus [`CODE`].
    pub program: Program,
    /// What the file says of the shader.
    pub shader: Shader,
    /// The stage of the shader.
    pub stage: Stage,
    /// Whether the stage was guessed from the code.
    pub is_stage_guessed: bool,
    /// The code object, if it can be launched. Its segments are in memory.
    pub object: Option<&'a CodeObject>,
    /// The kernel of the object.
    pub kernel: Option<&'a Kernel>,
    /// What was put behind the program: a fetch shader, or the end of a function's caller.
    pub fetch: Option<Fetch>,
    /// What the kernel takes its inputs for, once somebody has asked.
    takes: OnceLock<Arc<Takes>>,
}

impl<'a> Subject<'a> {
    /// Returns an entry of a file as a subject, with code of the generation `arch`. Raw files and objects that cannot
    /// be launched have only their code in memory.
    pub fn new(entry: &Entry, arch: Arch) -> Subject<'a> {
        Subject::described(entry, arch, 0, Shader::default())
    }

    /// Returns an entry of a file as a subject, which is entered `offset` bytes after the entry. What `shader` says
    /// overrides what the file says.
    pub fn described(entry: &Entry, arch: Arch, offset: u64, shader: Shader) -> Subject<'a> {
        let program = entry.program_at(arch, Some(CODE.wrapping_add(entry.address)), offset);
        let shader = shader.or(&entry.shader);
        let (stage, is_stage_guessed) = match shader.stage {
            Some(stage) => (stage, false),
            None => entry.stage(arch),
        };
        // What has a name and no registers is a function.
        let is_function = entry.kernel.is_some() && stage == Stage::Compute && shader.rsrc1.is_none();
        let (program, fetch) = match is_function {
            true => fetch::supply_caller(program),
            false => fetch::supply(program, stage),
        };
        Subject { program, shader, stage, is_stage_guessed, object: None, kernel: None, fetch, takes: OnceLock::new() }
    }

    /// Returns the subject with the code object that the entry comes from; unchanged if the object has no such kernel.
    pub fn in_object(mut self, entry: &Entry, object: &'a CodeObject) -> Subject<'a> {
        let is_own = |kernel: &&Kernel| kernel.entry == entry.address && entry.kernel.as_ref() == Some(&kernel.name);
        if let Some(kernel) = object.kernels.iter().find(is_own) {
            (self.object, self.kernel) = (Some(object), Some(kernel));
        }
        self
    }

    /// Returns the subject with that of the file's code objects that the entry comes from, if one is.
    pub fn in_objects(self, entry: &Entry, objects: &'a [CodeObject]) -> Subject<'a> {
        let own = objects.iter().filter(|object| object.part == entry.part);
        own.fold(self, |subject, object| subject.in_object(entry, object))
    }

    /// Returns raw code as a subject, which is entered `offset` bytes after its beginning.
    pub fn raw(bytes: FileBytes, arch: Arch, offset: u64, shader: Shader) -> Subject<'a> {
        Subject::shared(Arc::new(bytes), arch, offset, shader)
    }

    /// Returns raw code that has other owners, too, as a subject. It is entered `offset` bytes after its beginning.
    pub fn shared(code: Arc<dyn AsRef<[u8]> + Send + Sync>, arch: Arch, offset: u64, shader: Shader) -> Subject<'a> {
        let program = Program::new(arch, code, CODE, offset);
        let (stage, is_stage_guessed) = match shader.stage {
            Some(stage) => (stage, false),
            None => (gcnsim_loader::guess(&program), true),
        };
        let (program, fetch) = fetch::supply(program, stage);
        Subject { program, shader, stage, is_stage_guessed, object: None, kernel: None, fetch, takes: OnceLock::new() }
    }

    /// Returns the size of a group in worlds, in work-items, if the shader is a compute shader for which nobody states
    /// one.
    pub fn assumed_group(&self) -> Option<[u32; 3]> {
        setup::assumed_group(self)
    }

    /// Returns what the kernel takes its inputs for; `None` if the shader is no kernel.
    pub fn takes(&self) -> Option<&Arc<Takes>> {
        let kernel = self.kernel?;
        Some(self.takes.get_or_init(|| Arc::new(Takes::of(kernel, &self.program))))
    }

    /// Returns the subject with another program in the place of its own.
    #[must_use]
    pub fn with_program(self, program: Program) -> Subject<'a> {
        Subject { program, ..self }
    }

    /// Gives the kernel inputs as another one takes them.
    pub fn share_takes(&mut self, takes: Arc<Takes>) {
        self.takes = OnceLock::from(takes);
    }

    /// Returns the address that the file states for an address of the program.
    pub fn file_address(&self, address: u64) -> u64 {
        address.wrapping_sub(CODE)
    }

    /// Returns what the file puts into memory: the code and its constants, or the segments of the object.
    pub(crate) fn pieces(&self) -> Vec<WorldPiece> {
        let Some(object) = self.object else {
            return vec![WorldPiece::shared(self.program.base(), Arc::new(Code(self.program.clone())), 0)];
        };
        let segments = object.segments.iter().map(|segment| {
            let bytes = Arc::new(segment.bytes.clone());
            WorldPiece::shared(CODE.wrapping_add(segment.address), bytes, segment.size)
        });
        let relocations = object.relocations.iter();
        let filled =
            relocations.map(|relocation| WorldPiece::new(CODE.wrapping_add(relocation.place), relocation.bytes(CODE)));
        segments.chain(filled).collect()
    }
}
