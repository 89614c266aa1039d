//! Which of a file's entries is meant.

use gcnsim_isa::Arch;

use crate::part::NAMED;
use crate::{Entry, FileKind, Loaded, TargetChoice, demangled, means};

/// Why no entry can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A kernel was named, but the file is raw.
    #[error("a raw file has no kernels")]
    Raw,
    /// No kernel has the name.
    #[error("no such kernel; the file holds {held}")]
    NoSuchKernel {
        /// Names and processors of the kernels.
        held: String,
    },
    /// More than one entry is possible.
    #[error("choose one of {count} kernels with --kernel (and --arch, --bundle): {held}")]
    Several {
        /// The number of entries.
        count: usize,
        /// Names and processors of the kernels.
        held: String,
    },
}

/// The names and targets of `entries` for messages. The list is cut off after a limit.
fn names(entries: &[&Entry]) -> String {
    let target = |e: &Entry| e.part.as_ref().map_or(e.target.unwrap_or("-").to_owned(), |part| part.target.clone());
    let same =
        |e: &Entry| entries.iter().filter(|o| o.kernel == e.kernel && target(o) == target(e)).take(2).count() > 1;
    let name = |e: &&Entry| {
        let symbol = e.kernel.as_deref().unwrap_or("-");
        let kernel = demangled(symbol).map_or(symbol.to_owned(), |name| format!("{symbol} = {name}"));
        match &e.part {
            Some(part) if same(e) => format!("{kernel} ({}, part {})", target(e), part.index),
            _ => format!("{kernel} ({})", target(e)),
        }
    };
    let mut names: Vec<_> = entries.iter().take(5 * NAMED).map(name).collect();
    if entries.len() > names.len() {
        names.push(format!("and {} more", entries.len() - names.len()));
    }
    names.join(", ")
}

impl Loaded {
    /// Chooses the entry for a kernel's name and a generation; either may be left out. The generation chooses between
    /// kernels for several chips. It does not rule out the only kernel.
    ///
    /// # Errors
    /// [`ChoiceError`] if no entry or several entries match.
    pub fn choose(&self, kernel: Option<&str>, arch: Option<Arch>) -> Result<&Entry, ChoiceError> {
        self.choose_target(kernel, arch.map(TargetChoice::from).as_ref())
    }

    /// Chooses the entry as [`Loaded::choose`] does, by a target, which may be a target id.
    ///
    /// # Errors
    /// [`ChoiceError`] if no entry or several entries match.
    pub fn choose_target(&self, kernel: Option<&str>, target: Option<&TargetChoice>) -> Result<&Entry, ChoiceError> {
        let mut named: Vec<_> =
            self.entries.iter().filter(|e| kernel.is_none_or(|name| e.kernel.as_deref() == Some(name))).collect();
        if let Some(name) = kernel.filter(|_| named.is_empty()) {
            // Several parts may have the kernel, which then is the same symbol in all.
            let is_meant = |e: &&Entry| e.kernel.as_deref().is_some_and(|symbol| means(symbol, name));
            named = self.entries.iter().filter(is_meant).collect();
        }
        let of_target = target.map(|target| target.best(named.clone(), |entry| entry.full_target()));
        let of_target = of_target.unwrap_or_default();
        match (named.as_slice(), of_target.as_slice()) {
            ([only], _) | (_, [only]) => Ok(only),
            ([], _) if self.kind == FileKind::Raw => Err(ChoiceError::Raw),
            ([], _) => Err(ChoiceError::NoSuchKernel { held: names(&self.entries.iter().collect::<Vec<_>>()) }),
            (_, []) => Err(ChoiceError::Several { count: named.len(), held: names(&named) }),
            _ => Err(ChoiceError::Several { count: of_target.len(), held: names(&of_target) }),
        }
    }
}
