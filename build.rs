//! Says which commit the command is built from: `GCNSIM_BUILD` is ` (commit, date)`, or empty where nobody knows.
//!
//! A checkout asks git; a package has the file that Cargo puts into it. Cargo runs this again only where the commit has
//! changed.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let build = of_checkout().or_else(of_package).map(|build| format!(" ({build})")).unwrap_or_default();
    println!("cargo::rustc-env=GCNSIM_BUILD={build}");
}

/// Returns what git prints; `None` if there is no git, or this is no checkout.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns commit and date of the checkout of this package.
fn of_checkout() -> Option<String> {
    // The folder may lie in the checkout of something else.
    let top = git(&["rev-parse", "--show-prefix"]).is_none() && git(&["rev-parse", "--git-dir"]).is_some();
    if !top {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["show", "--no-patch", "--format=%h, %cs", "--abbrev=10", "HEAD"])
}

/// Returns the commit that a package was made from.
fn of_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, hash) = text.split_once("\"sha1\": \"")?;
    hash.get(..10).map(str::to_owned)
}
