"""Plants mutants in a copy of the source tree."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# What a build and its tests need.
NAMES = [
    ".cargo", "build.rs", "Cargo.toml", "Cargo.lock", "README.md", "isa", "jit", "crates", "src", "corpus", "tests",
    "benches", "examples", "docs", "fuzz/src", "fuzz/seeds", "fuzz/regress",
]

# A plain variable, so that loops over lanes stay as fast as they are. The loader calls the function that sets it.
MUTANT = """
extern crate self as gcnsim_isa;

static mut MUTANT: u32 = 0;

/// Number of the mutant that is alive.
#[inline(always)]
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks)]
pub fn mutant() -> u32 {
    unsafe { MUTANT }
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks)]
extern "C" fn choose_mutant() {
    let number = std::env::var("GCNSIM_MUTANT").ok().and_then(|n| n.parse().ok());
    unsafe { MUTANT = number.unwrap_or(0) };
}

#[used]
#[allow(unsafe_code)]
#[unsafe(link_section = ".init_array")]
static CHOOSE_MUTANT: extern "C" fn() = choose_mutant;
"""


def copy_tree(tree, mutants):
    """Copies the sources with the mutants in them. Returns what did not match. Files that do not change keep their times,
    so that a later build of the copy has less to do."""
    planted, missing = plant(mutants)
    copied = set()
    for name in NAMES:
        source = ROOT / name
        for path in [source] if source.is_file() else source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                relative = path.relative_to(ROOT)
                text = planted.get(str(relative))
                write(tree / relative, path.read_bytes() if text is None else text.encode())
                copied.add(tree / relative)
    for path in [path for name in NAMES for path in (tree / name).rglob("*")]:
        if path.is_file() and path not in copied:
            path.unlink()
    return missing


def write(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def plant(mutants):
    """Replaces the right expression of each mutant by a choice. Returns {file: text} and what did not match."""
    texts = {}

    def text_of(file):
        return texts.get(file) or (ROOT / file).read_text()

    lib = "isa/src/lib.rs"
    texts[lib] = text_of(lib).replace("#![forbid(unsafe_code)]", "") + MUTANT
    missing = []
    for number, (file, anchor, right, wrong, what) in enumerate(mutants, 1):
        text = text_of(file)
        start = text.find(anchor)
        found = pattern(right).search(text, max(start, 0))
        if start < 0 or not found:
            missing.append(f"mutant {number} ({what}): '{right}' not found after '{anchor}' in {file}")
            continue
        texts[file] = text[: found.start()] + choice(number, right, wrong) + text[found.end() :]
    return texts, missing


def choice(number, right, wrong):
    """An expression that is wrong for one mutant. If `wrong` has @ (the number), it is the whole replacement."""
    if "@" in wrong:
        return wrong.removeprefix("@").replace("@", str(number))
    return f"(if gcnsim_isa::mutant() == {number} {{ {wrong} }} else {{ {right} }})"


def pattern(text):
    """A pattern for a text: any blanks match its blanks, and line ends may precede the dot of a method."""
    return re.compile(r"\s+".join(re.escape(part).replace(r"\.", r"\s*\.") for part in text.split()))
