//! What kernels print, on stdout.

use std::io::{self, IsTerminal, Write};

use super::output;
use gcnsim_device::printf::Printed;
use gcnsim_engine::quote;
use gcnsim_launches::printf::missing;

/// Writes the text that a launch printed to stdout, or to stderr if `to_stderr` is set. A note says what is missing.
pub(super) fn show(printed: &Printed, launch: &str, to_stderr: bool) -> io::Result<()> {
    match to_stderr {
        true => {
            // If stderr is closed, the text is lost.
            let _ = write(&mut io::stderr().lock(), &printed.text, io::stderr().is_terminal());
        }
        false => write(&mut output::stdout_for(true), &printed.text, io::stdout().is_terminal())?,
    }
    if let Some(missing) = missing(printed) {
        output::note(format_args!("launch '{}': {missing}", quote::text(launch)));
    }
    Ok(())
}

/// Writes `text`. For a terminal, control characters are escaped in each line.
fn write(out: &mut impl Write, text: &[u8], is_terminal: bool) -> io::Result<()> {
    if is_terminal {
        for line in String::from_utf8_lossy(text).split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            let columns: Vec<_> = line.split('\t').map(quote::text).collect();
            write!(out, "{}{end}", columns.join("\t"))?;
        }
    } else {
        out.write_all(text)?;
    }
    if text.last().is_some_and(|&last| last != b'\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}
