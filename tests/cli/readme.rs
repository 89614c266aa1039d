//! The commands of documents print what these documents show, except for times and speeds, which depend on the machine.
//! A block whose fence has a name behind the language (````
//! ```json saxpy.json ````) is a file that the commands below it can read.
//!
//! The test itself does what the few shell tools in the examples do (`cat`, `cp`, `head`, `grep -E`, `sed -n`, `echo`),
//! so that it needs none of them.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A step of a document's examples.
enum Step {
    /// A file that later commands can read.
    File { name: String, text: String },
    /// A command and the lines after it.
    Command { command: String, output: Vec<String> },
}

/// Returns the steps in the `console` blocks and the named blocks of a document.
fn steps(document: &str) -> Vec<Step> {
    let text = fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let mut steps: Vec<Step> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match fence.split_once(' ') {
            Some((_, name)) => steps.push(Step::File { name: name.to_owned(), text: block.join("\n") + "\n" }),
            None if fence == "console" => steps.extend(commands(&block)),
            None => {}
        }
    }
    steps
}

/// Returns the commands of a `console` block.
fn commands(block: &[&str]) -> Vec<Step> {
    let mut steps = Vec::new();
    for &line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step::Command { command: command.to_owned(), output: Vec::new() }),
            (None, Some(Step::Command { output, .. })) => output.push(line.to_owned()),
            (None, _) => panic!("output without a command: {line}"),
        }
    }
    for step in &mut steps {
        let Step::Command { output, .. } = step else { continue };
        while output.last().is_some_and(String::is_empty) {
            output.pop();
        }
    }
    steps
}

/// Splits a command line at a separator outside quotation marks.
fn split(line: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        is_quoted ^= c == '\'';
        match c {
            c if c == separator && !is_quoted => parts.push(String::new()),
            c => parts.last_mut().unwrap().push(c),
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns a word as the shell passes it on: without quotation marks, and with `DIR/*.END` replaced by the existing
/// files.
fn expand(word: &str, folder: &Path) -> Vec<String> {
    let Some((parent, end)) = word.split_once("/*") else { return vec![word.replace('\'', "")] };
    let files = fs::read_dir(folder.join(parent)).unwrap().map(|entry| entry.unwrap().file_name());
    let files = files.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(end));
    let mut files: Vec<_> = files.map(|name| format!("{parent}/{name}")).collect();
    files.sort();
    files
}

/// Returns the output of one command of a pipe that reads `input`.
fn stage(words: &[String], input: &str, folder: &Path) -> String {
    let some_lines =
        |from: usize, count: usize| -> String { input.split_inclusive('\n').skip(from).take(count).collect() };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["gcnsim", arguments @ .., "2>&1"] => gcnsim(arguments, input, folder, true),
        ["gcnsim", arguments @ ..] => gcnsim(arguments, input, folder, false),
        ["cargo", "run", "--release", "--", arguments @ ..] => gcnsim(arguments, input, folder, false),
        ["echo", text] => format!("{text}\n"),
        ["cat", file] => fs::read_to_string(folder.join(file)).unwrap(),
        ["cp", from, to] => {
            fs::copy(folder.join(from), folder.join(to)).unwrap();
            String::new()
        }
        ["head", count] => some_lines(0, count[1..].parse().unwrap()),
        ["sed", "-n", range] => {
            let (from, to) = range.strip_suffix('p').and_then(|range| range.split_once(',')).unwrap();
            let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
            some_lines(from - 1, to + 1 - from)
        }
        ["grep", "-E", pattern] => {
            let matches = |line: &str| {
                pattern.split('|').any(|alternative| match alternative.strip_prefix('^') {
                    Some(start) => line.starts_with(start),
                    None => line.contains(alternative),
                })
            };
            input.split_inclusive('\n').filter(|line| matches(line)).collect()
        }
        ["grep", "-A1", text] => {
            let at = input.lines().position(|line| line.contains(text)).unwrap();
            some_lines(at, 2)
        }
        _ => panic!("an example uses a command that this test does not know: {words:?}"),
    }
}

/// Returns the output of `gcnsim`. If `with_messages`, it includes stderr, and the command may refuse its input.
fn gcnsim(arguments: &[&str], input: &str, folder: &Path, with_messages: bool) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
    command.args(arguments).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    // Exit code 2 means wrong usage or unreadable input, 3 a mistake of the simulator.
    let code = output.status.code();
    let is_expected = matches!(code, Some(0 | 1)) || with_messages && code == Some(2);
    assert!(is_expected, "{arguments:?}: {:?}\n{stdout}{stderr}", output.status);
    if with_messages { stdout + &stderr } else { stdout }
}

/// Returns the output of a command line.
fn shell(line: &str, folder: &Path) -> String {
    let mut printed = String::new();
    for command in split(line, ';') {
        let mut text = String::new();
        let mut is_dropped = false;
        for part in split(&command, '|') {
            let words = split(&part, ' ').into_iter().filter(|word| !word.ends_with(">/dev/null"));
            is_dropped = split(&part, ' ').iter().any(|word| word == ">/dev/null");
            let words: Vec<_> = words.flat_map(|word| expand(&word, folder)).collect();
            text = stage(&words, &text, folder);
        }
        if !is_dropped {
            printed += &text;
        }
    }
    printed
}

/// Returns a line without the values that differ from run to run: numbers before a unit of time or speed, the values of
/// fields whose names end in `_ns`, and the commit of the version. The number of shaders that ran long enough to be
/// compared is such a value, too.
fn without_times(line: &str) -> String {
    if line.contains("the noise") || line.contains("(noise ") || line.starts_with("speed was not compared") {
        return "(times)".into();
    }
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for i in 1..words.len() {
        let unit = words[i].trim_end_matches(',');
        let is_time = ["ns", "us", "ms", "s", "million", "million/s"].contains(&unit);
        if is_time && words[i - 1].starts_with(|c: char| c.is_ascii_digit()) {
            (words[i - 1], words[i]) = ("#".into(), words[i].replace(unit, "#"));
        }
    }
    let mut line = words.join(" ");
    if let Some((before, after)) = line.split_once("\"version\":\"")
        && let Some((version, rest)) = after.split_once('"')
    {
        let number = version.split(' ').next().unwrap_or_default();
        line = format!("{before}\"version\":\"{number}\"{rest}");
    }
    let mut parts = line.split("_ns\":");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "_ns\":#";
        out += part.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out
}

/// Returns lines without times. Several lines in a row that have only times become one.
fn all_without_times<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<_> = lines.map(without_times).collect();
    lines.dedup_by(|next, line| line == "(times)" && next == line);
    lines
}

#[test]
fn times_are_left_out_and_nothing_else() {
    for (line, expected) in [
        ("run time      248.82 ms, 4348.1 million instructions/s", "run time      # #, # # instructions/s"),
        ("check time    275.99 us, 64 checks", "check time    # #, 64 checks"),
        ("instructions  270,208, 13.6 million/s", "instructions  270,208, # #"),
        (r#"{"instructions":82,"run_ns":17055,"checks":0}"#, r#"{"instructions":82,"run_ns":#,"checks":0}"#),
        (r#"{"version":"0.1.0 (1cc9fbd8a2, 2026-11-28)","shard":null}"#, r#"{"version":"0.1.0","shard":null}"#),
        ("50.0 % of 4 instructions in reach would run", "50.0 % of 4 instructions in reach would run"),
    ] {
        assert_eq!(without_times(line), expected);
    }
}

/// Runs the commands of a document and compares their output. `with_output` is the number of commands that have some.
fn check(document: &str, with_output: usize) {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(Path::new(ROOT).join("corpus"), folder.path().join("corpus")).unwrap();
    let mut compared = 0;
    let mut wrong = String::new();
    for step in steps(document) {
        let (command, output) = match step {
            Step::Command { command, output } => (command, output),
            Step::File { name, text } => {
                fs::write(folder.path().join(name), text).unwrap();
                continue;
            }
        };
        // All vectors take a minute in a debug build, so they run only in release mode.
        if command.starts_with("cargo test") || cfg!(debug_assertions) && command.starts_with("gcnsim verify") {
            continue;
        }
        // Samples only affect times, which are not compared.
        let printed = shell(&command.replace(" --repeat 7", ""), folder.path());
        let printed = all_without_times(printed.trim_end().lines());
        let expected = all_without_times(output.iter().map(String::as_str));
        compared += usize::from(!output.is_empty());
        if printed != expected {
            let (printed, expected) = (printed.join("\n"), expected.join("\n"));
            wrong += &format!("$ {command}\n{printed}\n--- but {document} has\n{expected}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(compared >= with_output, "{document}: {compared} commands with output");
}

#[test]
fn commands_print_what_the_readme_says() {
    check("README.md", 2);
}

#[test]
fn commands_print_what_the_page_of_commands_says() {
    check("docs/use/commands.md", 12);
}

#[test]
fn commands_print_what_the_page_of_launch_files_says() {
    check("docs/use/launch-files.md", 6);
}

#[test]
fn commands_print_what_the_page_of_contents_of_launches_says() {
    check("docs/use/launch-contents.md", 4);
}

#[test]
fn commands_print_what_the_tour_says() {
    check("docs/inside/tour.md", 8);
}

#[test]
fn commands_print_what_the_page_of_debugging_says() {
    check("docs/inside/debugging.md", 4);
}

#[test]
fn commands_print_what_the_page_of_states_says() {
    check("docs/use/state-files.md", 3);
}

#[test]
fn commands_print_what_the_page_of_results_says() {
    check("docs/refer/results.md", 3);
}

#[test]
fn commands_print_what_the_page_of_comparisons_says() {
    check("docs/use/compare.md", 1);
}
