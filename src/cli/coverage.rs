//! `--coverage FILE` of `run` and `batch`.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{args, output, result_file};
use gcnsim_engine::report::{grouped, plural};
use gcnsim_launches::coverage::{Coverage, Covered, json, lcov};

/// Returns the file for coverage by instruction of code without source lines: `path` with `.json` added. `None` if
/// `path` itself is JSON.
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    (!is_json(path)).then(|| result_file::with_suffix(path, ".json"))
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl")
}

/// Writes `coverage` to `path`: by instruction if the name ends in .json or .jsonl, else by source line, as lcov does.
/// In the second case, objects without source lines go to the file [`beside`] it, by instruction.
pub(super) fn write(path: &Path, coverage: Coverage) -> anyhow::Result<()> {
    let objects = coverage.into_objects();
    let (text, lines) = lcov::tracefile(&objects);
    let without: Vec<&Covered> = objects.iter().filter(|object| !object.has_lines()).collect();
    match beside(path) {
        None => write_lines(path, objects.iter())?,
        Some(other) => {
            result_file::write(path, text.as_bytes())?;
            if !without.is_empty() {
                write_lines(&other, without.iter().copied())?;
                output::note(format_args!(
                    "{} without source lines: coverage by instruction is in {}",
                    plural(without.len() as u64, "code object"),
                    args::quoted(&other)
                ));
            }
        }
    }
    let sum = |(all, hit): (u64, u64), object: &Covered| {
        let (more, more_hit) = object.instructions();
        (all + more, hit + more_hit)
    };
    let (all, hit) = objects.iter().fold((0, 0), sum);
    let percent = hit as f64 * 100.0 / all.max(1) as f64;
    let by_line = match lines.all {
        0 => String::new(),
        all => format!(", {} of {} lines", grouped(lines.executed), grouped(all)),
    };
    output::note(format_args!(
        "coverage of {}: {} of {} instructions ({percent:.1} %){by_line}",
        plural(objects.len() as u64, "code object"),
        grouped(hit),
        grouped(all)
    ));
    Ok(())
}

fn write_lines<'c>(path: &Path, mut objects: impl Iterator<Item = &'c Covered>) -> anyhow::Result<()> {
    result_file::write_by(path, |out| {
        objects
            .try_for_each(|object| json::write(object, out))
            .with_context(|| format!("cannot write {}", args::quoted(path)))
    })
}
