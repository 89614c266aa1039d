//! Finds mistakes in GCN code that execution does not show: missing S_WAITCNT, missing wait states, and others. Nothing
//! is executed, and no inputs are needed.
//!
//! ```text
//! rules.rs    the rules, one row each
//! code.rs     the control flow graph of an entry
//! facts.rs    what the rules have to know of an instruction
//! state.rs    what is known before an instruction, and joins; lanes.rs: which lanes operations in flight are for
//! walk.rs     the search through the graph; waits and wait states
//! checks.rs   rules with code of their own
//! report.rs   findings; file.rs: those of a file; ledger.rs: those that are known and accepted
//! ```
//!
//! What is not known gives no findings: an unknown target, a register that M0 chooses, and an operation that a caller
//! has in flight break no rule. [docs/use/lint.md](../../docs/use/lint.md) says what is tested, and what is not.
#![forbid(unsafe_code)]

mod checks;
mod code;
mod facts;
pub mod file;
mod lanes;
pub mod ledger;
mod nops;
mod report;
pub mod rules;
mod state;
mod walk;

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use gcnsim_isa::{Arch, Program, VgprSet};
use gcnsim_loader::areas::{Area, AreaKind};
use gcnsim_loader::codemap::CodeMap;
use gcnsim_loader::descriptor::Descriptor;
use gcnsim_loader::object::{CodeSection, Object};
use gcnsim_loader::{Shader, Stage, Xnack};

use code::{At, Extent};
pub use report::{Finding, Spot};
use rules::{Level, Rule};
use walk::Active;

/// The rules that are tested.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Whether findings of [`Level::Info`] are wanted.
    pub pedantic: bool,
    /// The only rules that are tested, by id, whatever their level; all rules if it is empty.
    pub only: Vec<&'static str>,
}

impl Options {
    /// Tests the rules of [`Level::Info`], too.
    #[must_use]
    pub fn pedantic(self) -> Options {
        Options { pedantic: true, ..self }
    }

    /// Tests only the rules with these ids. Without any, all rules are tested.
    #[must_use]
    pub fn only(self, only: impl Into<Vec<&'static str>>) -> Options {
        Options { only: only.into(), ..self }
    }

    /// Whether a rule is tested.
    pub fn wants(&self, rule: &Rule) -> bool {
        if !self.only.is_empty() {
            return self.only.contains(&rule.id);
        }
        self.pedantic || rule.level != Level::Info
    }
}

/// Kinds of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A kernel, or another entry that can be run.
    Kernel,
    /// A function that kernels call.
    Function,
    /// The code of a raw file.
    Raw,
}

impl EntryKind {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            EntryKind::Kernel => "kernel",
            EntryKind::Function => "function",
            EntryKind::Raw => "code",
        }
    }
}

/// The result for an entry.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EntryReport {
    /// Its name; `None` for raw files.
    pub name: Option<Arc<str>>,
    /// Its kind.
    pub kind: EntryKind,
    /// Address of its first instruction.
    pub address: u64,
    /// The addresses of its own code: the area of the section that it begins.
    pub range: Range<u64>,
    /// Number of its reachable instructions.
    pub instructions: usize,
    /// The reason why part of its code is not seen; `None` if all of it is.
    pub incomplete: Option<&'static str>,
    /// The findings, sorted by address.
    pub findings: Vec<Finding>,
}

/// Facts about an entry besides its code.
#[derive(Default, Debug)]
pub(crate) struct Context {
    stage: Option<Stage>,
    /// Numbers of allocated registers; `None` if they are not known.
    vgprs: Option<u32>,
    sgprs: Option<u32>,
    /// Registers with a value at the start; `None` if that is not known.
    live_sgprs: Option<u128>,
    live_vgprs: Option<VgprSet>,
    /// Size of LDS in bytes; `None` if a launch may add to it.
    lds_bytes: Option<u32>,
    /// Whether a group has one wave at most.
    has_one_wave: bool,
    /// Whether the descriptor says that there is no scratch.
    lacks_scratch: bool,
    /// Whether s[0:3] is the descriptor of scratch at the start.
    has_private_descriptor: bool,
    /// Whether XNACK may be on.
    may_replay: bool,
    /// The addresses of the kernel or function.
    range: Option<Range<u64>>,
}

impl Context {
    fn of_shader(shader: &Shader, arch: Arch) -> Context {
        let rsrc1 = shader.rsrc1.map(gcnsim_isa::kernel::Rsrc1);
        let live_sgprs = shader.user_sgpr_count(arch).map(|count| {
            // A stage may have eight system SGPRs behind the user SGPRs; a merged stage has eight before them.
            let more = if shader.stage == Some(Stage::Compute) { 6 } else { 16 };
            (1u128 << (count + more).min(102)) - 1
        });
        Context {
            stage: shader.stage,
            vgprs: rsrc1.map(gcnsim_isa::kernel::Rsrc1::vgprs),
            sgprs: rsrc1.map(|rsrc1| rsrc1.sgprs(arch)),
            live_sgprs,
            live_vgprs: live_vgprs(shader),
            ..Context::default()
        }
    }

    /// Returns the first of the two SGPRs behind VCC, which are the last two that are allocated.
    fn behind_vcc(&self) -> Option<u8> {
        self.sgprs.and_then(|count| u8::try_from(count).ok()?.checked_sub(2)).filter(|&first| first + 2 <= 102)
    }

    /// Adds the facts that only kernel descriptors state. `may_grow_lds` says whether a launch may add LDS.
    fn of_descriptor(mut self, descriptor: &Descriptor, may_grow_lds: bool) -> Context {
        let system = descriptor.initial_sgprs().iter().map(|initial| initial.first + initial.count).max();
        let user = descriptor.rsrc2 >> 1 & 0x1f;
        self.live_sgprs = Some((1u128 << system.unwrap_or(0).max(user).min(102)) - 1);
        self.lacks_scratch = descriptor.rsrc2 & 1 == 0 && descriptor.private_size == 0;
        self.has_private_descriptor = descriptor.properties & 1 == 1;
        self.lds_bytes = Some(descriptor.group_size).filter(|&bytes| bytes > 0 && !may_grow_lds);
        self
    }
}

/// Returns the VGPRs with a value at the start; `None` if they are not known.
fn live_vgprs(shader: &Shader) -> Option<VgprSet> {
    const SIZES: [u32; 16] = [2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    let count = match shader.stage? {
        Stage::Compute => (shader.rsrc2? >> 11 & 3).min(2) + 1,
        Stage::Pixel => {
            let inputs = shader.ps_input_addr?;
            SIZES.iter().enumerate().filter(|(bit, _)| inputs >> bit & 1 == 1).map(|(_, size)| size).sum()
        }
        Stage::Vertex | Stage::Copy | Stage::Evaluation => (shader.rsrc1? >> 24 & 3) + 1,
        Stage::Local | Stage::Hull | Stage::Export | Stage::Geometry => return None,
    };
    let mut set = VgprSet::default();
    set.insert(0, count);
    Some(set)
}

/// Lints objects. It keeps its memory from one object to the next.
///
/// ```
/// use gcnsim_isa::{Arch, Program};
/// use gcnsim_lint::{Linter, Options};
/// use gcnsim_loader::{Xnack, object::Object};
/// // global_load_dword v1, v[2:3], off; v_mov_b32 v4, v1; s_endpgm
/// let program = Program::from_words(Arch::Gcn14, &[0xdc50_8000, 0x017f_0002, 0x7e08_0301, 0xbf81_0000]);
/// let object = Object::of_program(&program);
/// let reports = Linter::new(Options::default()).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Default::default());
/// assert_eq!((reports[0].findings[0].rule.id, reports[0].findings[0].place.pc), ("vmcnt-read", 8));
/// ```
#[derive(Default)]
pub struct Linter {
    options: Options,
    search: gcnsim_flow::Search,
    /// The tested rules for the generation of the last object.
    active: Option<Active>,
}

/// An entry that is to be linted.
struct Target<'o> {
    name: Option<Arc<str>>,
    kind: EntryKind,
    address: u64,
    kernel: Option<&'o gcnsim_loader::object::Kernel>,
}

impl Linter {
    /// Returns a linter that tests the rules in `options`.
    pub fn new(options: Options) -> Linter {
        Linter { options, ..Linter::default() }
    }

    /// Lints all kernels and functions of `object`. `arch` is its generation if it does not state one, `xnack` what its
    /// file says of XNACK. `shader` returns what is known of the kernel at an address.
    pub fn lint(
        &mut self,
        object: &Object,
        arch: Arch,
        xnack: Xnack,
        shader: &dyn Fn(u64) -> Shader,
    ) -> Vec<EntryReport> {
        let arch = object.arch.unwrap_or(arch);
        if self.active.as_ref().is_none_or(|active| active.arch != arch) {
            self.active = Some(Active::new(arch, |rule| self.options.wants(rule)));
        }
        let Some(active) = self.active.take() else { return Vec::new() };
        let map = OnceCell::new();
        let programs: Vec<Program> = object.sections.iter().map(|section| program(section, arch)).collect();
        let mut reports = Vec::new();
        for target in targets(object) {
            let holds = |section: &CodeSection| {
                target.address.checked_sub(section.address).is_some_and(|at| at < section.bytes.as_ref().len() as u64)
            };
            let Some(at) = object.sections.iter().rposition(holds) else { continue };
            let extent = ObjectExtent::new(object, arch, &object.sections[at], &target, &map);
            let mut context = context(&target, &extent, &shader(target.address), arch);
            context.may_replay = xnack == Xnack::Possible && rules::generation(arch) >= 2;
            let mut code = code::find(&programs[at], target.address, &extent, &mut self.search);
            active.mark(&mut code, context.behind_vcc());
            let (findings, gave_up) = report::findings(&code, &active, &context);
            reports.push(EntryReport {
                name: target.name.clone(),
                kind: target.kind,
                address: target.address,
                range: extent.own,
                instructions: code.insts.len(),
                incomplete: code.incomplete.or(gave_up),
                findings,
            });
        }
        self.active = Some(active);
        reports
    }
}

fn program(section: &CodeSection, arch: Arch) -> Program {
    Program::new(arch, Arc::new(section.linked_bytes().clone()), section.address, 0)
}

/// Returns the kernels of an object and its other functions. Each address comes once.
fn targets(object: &Object) -> Vec<Target<'_>> {
    let mut targets: Vec<Target> = Vec::new();
    let mut kernels = std::collections::HashSet::new();
    for kernel in &object.kernels {
        if kernel.descriptor.is_some() || !kernels.contains(&kernel.address) {
            kernels.insert(kernel.address);
            let kind = if kernel.name.is_none() { EntryKind::Raw } else { EntryKind::Kernel };
            targets.push(Target { name: kernel.name.clone(), kind, address: kernel.address, kernel: Some(kernel) });
        }
    }
    for area in object.sections.iter().flat_map(|section| &section.areas) {
        let is_start = area.kind == AreaKind::Function && area.offset == 0 && !kernels.contains(&area.range.start);
        if is_start {
            targets.push(Target {
                name: area.names.first().cloned(),
                kind: EntryKind::Function,
                address: area.range.start,
                kernel: None,
            });
        }
    }
    targets
}

fn context(target: &Target<'_>, extent: &ObjectExtent<'_, '_>, shader: &Shader, arch: Arch) -> Context {
    if target.kind == EntryKind::Function {
        return Context { range: extent.range(), ..Context::default() };
    }
    let mut context = Context::of_shader(shader, arch);
    if let Some((kernel, descriptor)) = target.kernel.and_then(|kernel| Some((kernel, kernel.descriptor.as_ref()?))) {
        // Without metadata a launch may add LDS.
        let grows = kernel
            .metadata
            .as_ref()
            .is_none_or(|metadata| metadata.arguments.iter().any(|arg| arg.kind == "dynamic_shared_pointer"));
        context = context.of_descriptor(descriptor, grows);
    }
    let metadata = target.kernel.and_then(|kernel| kernel.metadata.as_ref());
    context.has_one_wave = metadata.is_some_and(|metadata| {
        let required = metadata.required_group.as_ref();
        let required = required.and_then(|sizes| sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size)));
        required.or(metadata.max_group).is_some_and(|lanes| (1..=64).contains(&lanes))
    });
    context.range = extent.range();
    context
}

/// The part of an object to which control may go from an entry.
struct ObjectExtent<'o, 'm> {
    object: &'o Object,
    arch: Arch,
    section: &'o CodeSection,
    area: Option<&'o Area>,
    own: Range<u64>,
    is_function: bool,
    /// Map of the code. It is made at the first computed jump.
    map: &'m OnceCell<CodeMap<'o>>,
}

impl<'o, 'm> ObjectExtent<'o, 'm> {
    fn new(
        object: &'o Object,
        arch: Arch,
        section: &'o CodeSection,
        target: &Target<'_>,
        map: &'m OnceCell<CodeMap<'o>>,
    ) -> ObjectExtent<'o, 'm> {
        let area = section.area_at(target.address);
        let own = area.map_or(target.address..target.address, |area| area.range.clone());
        // If the file has no descriptors, nothing tells kernels from functions.
        let is_kernel = target.kind == EntryKind::Raw || target.kernel.is_some_and(|k| k.descriptor.is_some());
        ObjectExtent { object, arch, section, area, own, is_function: !is_kernel, map }
    }

    /// Returns the addresses of the area, if it belongs to the entry.
    fn range(&self) -> Option<Range<u64>> {
        let is_owned = |area: &&Area| matches!(area.kind, AreaKind::Kernel | AreaKind::Function);
        self.area.filter(is_owned).map(|area| area.range.clone())
    }
}

impl Extent for ObjectExtent<'_, '_> {
    fn at(&self, to: u64) -> At {
        if self.own.contains(&to) {
            return At::Own;
        }
        let Some(area) = self.section.area_at(to) else { return At::Nothing };
        let is_part = self.area.is_some_and(|own| Arc::ptr_eq(&own.names, &area.names) && own.kind == area.kind);
        match area.kind {
            AreaKind::Label | AreaKind::Unnamed => At::Own,
            _ if is_part => At::Own,
            kind if kind.is_code() => At::Other,
            _ => At::Nothing,
        }
    }

    fn target(&self, pc: u64) -> Option<u64> {
        let map = self.map.get_or_init(|| CodeMap::new(self.object, self.arch));
        map.number_at(pc).and_then(|number| map.get(number).target)
    }

    fn is_function(&self) -> bool {
        self.is_function
    }
}
