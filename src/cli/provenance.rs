//! The facts about the origin of a batch's results, for its report.

use std::time::{SystemTime, UNIX_EPOCH};

use gcnsim_batch::{DEFAULT_BUDGET, Options};
use gcnsim_engine::EngineKind;
use gcnsim_engine::quote;
use gcnsim_engine::report::grouped;

/// Returns the facts with their names, such as command, date, CPU and options.
pub(super) fn facts(options: &Options) -> Vec<(&'static str, String)> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    vec![
        ("command", command()),
        ("date", utc(since.as_secs())),
        ("CPU", cpu),
        ("cores", format!("{cores}, {} used", options.jobs)),
        ("engine", engine(options)),
        ("options", others(options)),
    ]
}

/// Returns the command line, quoted for a shell.
fn command() -> String {
    let words = std::env::args_os().map(|word| quote::name(word.as_encoded_bytes()).into_owned());
    words.collect::<Vec<_>>().join(" ")
}

/// Model of the processor, if Linux states it.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, model) = text.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
    Some(model.trim().to_owned())
}

fn engine(options: &Options) -> String {
    let run = &options.run;
    let checks = match run.engine {
        EngineKind::Interp => return "interp".into(),
        EngineKind::Jit => "the first entries of each region are checked",
        EngineKind::JitNoCheck => "unchecked",
        EngineKind::Check => "everything is checked",
    };
    format!("{}, {checks}; hot after {}, regions up to {}", run.engine.name(), grouped(run.hot.into()), run.region_max)
}

fn others(options: &Options) -> String {
    let budget = match options.max_insts {
        Some(budget) => grouped(budget),
        None => format!("{} unless the sidecar says otherwise", grouped(DEFAULT_BUDGET)),
    };
    let arch = match (options.raw.arch, options.raw.arch_from_path) {
        (Some(arch), _) => arch.to_string(),
        (None, true) => "by folder".into(),
        (None, false) => format!("{} unless the sidecar says otherwise", gcnsim_loader::DEFAULT_ARCH),
    };
    let shard = options.shard.map_or(String::new(), |shard| format!("; shard {shard}"));
    format!(
        "budget {budget}; raw files are {arch}; --repeat {} --warmup {}{shard}",
        options.repeat.max(1),
        options.warmup
    )
}

/// Date and time of day in UTC, `seconds` after the beginning of 1970.
fn utc(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // The year begins in March here, so that the leap day is its last day.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC", era * 400 + year + carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of `date -u -d @N`.
    #[test]
    fn dates() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_799, "2000-02-29 23:59:59 UTC"),
            (1_704_067_199, "2023-12-31 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }
}
