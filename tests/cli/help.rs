//! `gcnsim help`, `completions` and `man`.

use crate::common;

use common::Bench;

/// Returns the commands in the help text.
fn commands(help: &str) -> Vec<&str> {
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // Lines that go on begin further to the right.
    let begins = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    list.lines().filter(begins).filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn help_is_that_of_the_option() {
    let bench = Bench::new();
    let all = bench.run("help");
    assert_eq!((all.code, &all.stdout), (0, &bench.run("--help").stdout));
    let commands = commands(&all.stdout);
    assert!(commands.len() >= 12 && commands.contains(&"gen-corpus"), "{commands:?}");
    for command in commands.iter().filter(|command| **command != "help") {
        let ran = bench.run(&format!("help {command}"));
        assert_eq!((ran.code, ran.stdout), (0, bench.run(&format!("{command} --help")).stdout), "{command}");
    }
    bench.run("help dsasm").fails(2, "dsasm");
}

#[test]
fn each_shell_has_completions() {
    let bench = Bench::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = bench.run(&format!("completions {shell}"));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        assert!(ran.stdout.contains("gen-corpus") && ran.stdout.contains("dump-state"), "{shell}");
    }
    bench.run("completions tcsh").fails(2, "tcsh");
}

/// Tests the script in bash.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes_options() {
    let bench = Bench::new();
    bench.file("gcnsim.bash", bench.run("completions bash").stdout);
    let complete = |words: &str, word: &str| {
        let script = format!(
            "source gcnsim.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _gcnsim gcnsim '{word}' ''
             echo \"${{COMPREPLY[@]}}\""
        );
        let mut command = std::process::Command::new("bash");
        let output = command.args(["--norc", "-c", &script]).current_dir(bench.path("")).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(complete("gcnsim run --sgp", "--sgp"), "--sgpr");
    assert_eq!(complete("gcnsim gen", "gen"), "gen-corpus");
}

#[test]
fn each_command_has_a_manual_page() {
    let bench = Bench::new();
    let all = bench.run("man");
    assert_eq!((all.code, all.stderr.as_str()), (0, ""));
    assert!(all.stdout.contains(".TH gcnsim 1 ") && all.stdout.contains("gcnsim\\-run(1)"), "{}", all.stdout);
    let run = bench.run("man run").stdout;
    assert!(run.contains(".TH gcnsim-run 1 ") && run.contains("\\-\\-sgpr"), "{run}");
    let written = bench.run("man --dir pages/man1");
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{written:?}");
    assert_eq!(bench.read("pages/man1/gcnsim.1"), all.stdout);
    assert_eq!(bench.read("pages/man1/gcnsim-run.1"), run);
    let help = bench.run("help").stdout;
    let mut expected: Vec<_> =
        commands(&help).iter().filter(|c| **c != "help").map(|c| format!("gcnsim-{c}.1")).collect();
    expected.push("gcnsim.1".into());
    expected.sort();
    let names = std::fs::read_dir(bench.path("pages/man1")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, expected);
    bench.run("man nothing").fails(2, "there is no command 'nothing'");
}
