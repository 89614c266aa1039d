//! Names of C++ as they stand in the source. Compilers of HIP and of C++ for OpenCL mangle the names of kernels as the
//! Itanium ABI says: `_Z5scaleIdEvPT_i` is `void scale<double>(double*, int)`.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};

/// Limit in bytes for a name: a short mangled one can stand for an endless one.
const MOST: usize = 2048;

/// A text of up to [`MOST`] bytes.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MOST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

fn shown(name: &str, options: &DemangleOptions) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > MOST {
        return None;
    }
    let symbol = Symbol::new(name).ok()?;
    let mut text = Bounded::default();
    symbol.structured_demangle(&mut text, options).ok()?;
    Some(text.0)
}

/// The name in the source of the symbol `name`, with types. `None` if it is not mangled.
///
/// ```
/// use gcnsim_loader::demangled;
/// assert_eq!(demangled("_Z5scaleIdEvPT_i").as_deref(), Some("void scale<double>(double*, int)"));
/// assert_eq!(demangled("scale"), None);
/// ```
pub fn demangled(name: &str) -> Option<String> {
    shown(name, &DemangleOptions::new())
}

/// The types of the parameters of the function with the symbol `name`, without qualifiers but those in arguments of
/// templates. `None` if it is not mangled.
///
/// ```
/// use gcnsim_loader::parameters;
/// assert_eq!(parameters("_Z5scaleIdEvPKT_i").unwrap(), ["double*", "int"]);
/// assert_eq!(parameters("scale"), None);
/// ```
pub fn parameters(name: &str) -> Option<Vec<String>> {
    let shown = shown(name, &DemangleOptions::new().no_return_type())?;
    let list = shown.strip_suffix(')')?;
    let mut depth = 0;
    let start = list.rfind(|c| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth < 0
    })?;
    let mut depth = 0;
    let types = list[start + 1..].split(|c| {
        depth += match c {
            '<' | '(' | '[' | '{' => 1,
            '>' | ')' | ']' | '}' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    let plain = |ty: &str| {
        let words = ty.split(' ').map(|word| (word.trim_end_matches('*'), word)).filter(|(word, _)| !word.is_empty());
        let kept = words.map(|(word, whole)| match word {
            "const" | "volatile" | "__restrict" | "restrict" => whole.trim_start_matches(word).to_owned(),
            _ => format!(" {whole}"),
        });
        kept.collect::<String>().trim().to_owned()
    };
    Some(types.map(plain).filter(|ty| !ty.is_empty() && ty != "void").collect())
}

/// Whether `wanted` means the kernel of the symbol `name`: the symbol, or its name in the source with or without
/// arguments and result. Blanks do not matter.
///
/// ```
/// use gcnsim_loader::means;
/// assert!(means("_Z5scaleIdEvPT_i", "scale<double>"));
/// assert!(means("_Z5scaleIdEvPT_i", "void scale<double>(double *, int)"));
/// assert!(!means("_Z5scaleIdEvPT_i", "scale<float>"));
/// ```
pub fn means(name: &str, wanted: &str) -> bool {
    if name == wanted {
        return true;
    }
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let wanted = plain(wanted);
    let whole = DemangleOptions::new();
    [whole.no_return_type(), whole.no_params().no_return_type(), whole]
        .into_iter()
        .any(|options| shown(name, &options).is_some_and(|shown| plain(&shown) == wanted))
}

/// The index among `names` of the kernel that `wanted` means: that of this symbol, else the only one with this name in
/// the source.
pub(crate) fn position<'n>(names: impl Iterator<Item = &'n str> + Clone, wanted: &str) -> Option<usize> {
    if let Some(index) = names.clone().position(|name| name == wanted) {
        return Some(index);
    }
    let mut found = names.enumerate().filter(|(_, name)| means(name, wanted)).map(|(index, _)| index);
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_no_qualifiers() {
        let name =
            "_ZL21csrmvn_general_kernelILj512ELj2ElifPKfEvbT2_T4_PKT1_PKS2_PKT3_SB_S3_PS9_21rocsparse_index_base_";
        let expected =
            ["bool", "int", "float*", "long*", "int*", "float*", "float*", "float*", "float*", "rocsparse_index_base_"];
        assert_eq!(parameters(name).unwrap(), expected);
        assert_eq!(parameters("_Z1fSt4pairIiPKfEPVKPKj").unwrap(), ["std::pair<int, float const*>", "unsigned int**"]);
        assert_eq!(parameters("_Z1fv").unwrap(), [""; 0]);
    }

    #[test]
    fn names_of_the_source_mean_their_symbol() {
        let names = ["_Z5scaleIdEvPT_i", "_Z5scaleIfEvPT_i", "_ZN3gpu4copyEPKfPf", "_Z1kPf", "_Z1kPd", "plain"];
        for (wanted, index) in [
            ("scale<double>", Some(0)),
            ("scale<float>(float*, int)", Some(1)),
            ("void scale<float>(float *, int)", Some(1)),
            ("gpu::copy", Some(2)),
            ("gpu::copy(float const*, float*)", Some(2)),
            ("k(double*)", Some(4)),
            ("_Z1kPf", Some(3)),
            ("plain", Some(5)),
            // Two kernels have this name: which one is not said.
            ("k", None),
            ("scale", None),
            ("", None),
        ] {
            assert_eq!(position(names.into_iter(), wanted), index, "{wanted}");
        }
    }

    #[test]
    fn hostile_names_stay_as_they_are() {
        // Each substitution doubles the name.
        let doubled = format!("_Z1f1AI{}E", (0..60).map(|i| format!("1BIS{i}_S{i}_E")).collect::<String>());
        let deep = format!("_Z1f{}i", "P".repeat(100_000));
        for name in ["_Z", "_Z9", "_Z99999999999999999999a", "_ZN", "_Z1fIIIII", &doubled, &deep] {
            assert!(demangled(name).is_none_or(|shown| shown.len() <= MOST), "{name}");
        }
    }
}
