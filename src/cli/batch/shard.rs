//! `--shard`: which part of a batch is run, as the user says, or as the environment of a job does.

use std::str::FromStr;

use anyhow::{Context, bail};

use super::super::output;
use gcnsim_inputs::{Shard, ShardError};

/// The value of `--shard`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// `I/N`.
    Given(Shard),
    /// `auto`, or `auto/N`.
    Auto(Option<u32>),
}

impl Wanted {
    /// Returns the shard, and notes where it comes from if it is not given.
    pub fn shard(self) -> anyhow::Result<Shard> {
        let count = match self {
            Wanted::Given(shard) => return Ok(shard),
            Wanted::Auto(count) => count,
        };
        let (shard, variable) = of_environment(&|name| std::env::var(name).ok(), count)?;
        output::note(format_args!("--shard {shard}, as {variable} says"));
        Ok(shard)
    }
}

impl FromStr for Wanted {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Wanted, ShardError> {
        match text.strip_prefix("auto") {
            Some("") => Ok(Wanted::Auto(None)),
            Some(rest) => {
                let count = rest.strip_prefix('/').and_then(|count| count.parse().ok()).filter(|&count| count > 0);
                // The error is that of a shard.
                count.map_or_else(|| text.parse().map(Wanted::Given), |count| Ok(Wanted::Auto(Some(count))))
            }
            None => text.parse().map(Wanted::Given),
        }
    }
}

/// What a system of jobs tells its jobs.
struct System {
    index: &'static str,
    count: Option<&'static str>,
    /// Number of the first job: a number, or the variable that has it.
    first: First,
}

enum First {
    Number(u64),
    Variable(&'static str),
}

const SYSTEMS: [System; 6] = [
    System {
        index: "SLURM_ARRAY_TASK_ID",
        count: Some("SLURM_ARRAY_TASK_COUNT"),
        first: First::Variable("SLURM_ARRAY_TASK_MIN"),
    },
    System { index: "CI_NODE_INDEX", count: Some("CI_NODE_TOTAL"), first: First::Number(1) },
    System { index: "JOB_COMPLETION_INDEX", count: None, first: First::Number(0) },
    System { index: "AWS_BATCH_JOB_ARRAY_INDEX", count: Some("AWS_BATCH_JOB_ARRAY_SIZE"), first: First::Number(0) },
    System { index: "TEST_SHARD_INDEX", count: Some("TEST_TOTAL_SHARDS"), first: First::Number(0) },
    System { index: "LIT_RUN_SHARD", count: Some("LIT_NUM_SHARDS"), first: First::Number(1) },
];

/// Returns the shard that variables of the environment state, and the variable that has its number. `count` is the
/// number of shards if the user states it.
///
/// # Errors
/// No variable has a number, it is none, or nobody says how many shards there are.
fn of_environment(
    variable: &dyn Fn(&str) -> Option<String>,
    count: Option<u32>,
) -> anyhow::Result<(Shard, &'static str)> {
    let Some(system) = SYSTEMS.iter().find(|system| variable(system.index).is_some()) else {
        let names: Vec<&str> = SYSTEMS.iter().map(|system| system.index).collect();
        bail!("--shard auto: none of {} is set; --shard 3/16 says it", names.join(", "));
    };
    let number = |name: &str| -> anyhow::Result<Option<u64>> {
        let Some(text) = variable(name) else { return Ok(None) };
        Ok(Some(text.trim().parse().with_context(|| format!("--shard auto: {name}={text} is no number"))?))
    };
    let index = number(system.index)?.unwrap_or(0);
    let first = match system.first {
        First::Number(first) => first,
        First::Variable(name) => number(name)?.unwrap_or(1),
    };
    let stated = system.count.map(number).transpose()?.flatten().and_then(|count| u32::try_from(count).ok());
    let Some(count) = count.or(stated) else {
        bail!("--shard auto: {}={index}, but nobody says of how many: --shard auto/N does", system.index);
    };
    let place = index.checked_sub(first).and_then(|place| u32::try_from(place).ok()?.checked_add(1));
    let shard = place.and_then(|place| Shard::new(place, count));
    let shard = shard.with_context(|| {
        format!("--shard auto: {}={index} is none of {count} that begin with {first}", system.index)
    })?;
    Ok((shard, system.index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(set: &[(&str, &str)], count: Option<u32>) -> Result<(String, &'static str), String> {
        let variable = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let found = of_environment(&variable, count);
        found.map(|(shard, name)| (shard.to_string(), name)).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn each_system_has_its_first_number() {
        for (set, expected) in [
            (
                &[("SLURM_ARRAY_TASK_ID", "5"), ("SLURM_ARRAY_TASK_COUNT", "8"), ("SLURM_ARRAY_TASK_MIN", "3")][..],
                "3/8",
            ),
            (&[("SLURM_ARRAY_TASK_ID", "5"), ("SLURM_ARRAY_TASK_COUNT", "8")], "5/8"),
            (&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")], "1/4"),
            (&[("AWS_BATCH_JOB_ARRAY_INDEX", "0"), ("AWS_BATCH_JOB_ARRAY_SIZE", "4")], "1/4"),
            (&[("TEST_SHARD_INDEX", "3"), ("TEST_TOTAL_SHARDS", "4")], "4/4"),
            (&[("LIT_RUN_SHARD", "2"), ("LIT_NUM_SHARDS", "4")], "2/4"),
        ] {
            assert_eq!(shard(set, None), Ok((expected.to_owned(), set[0].0)));
        }
        assert_eq!(shard(&[("JOB_COMPLETION_INDEX", "7")], Some(16)).unwrap().0, "8/16");
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(shard(&[], None).unwrap_err().contains("none of SLURM_ARRAY_TASK_ID, CI_NODE_INDEX"));
        let error = shard(&[("JOB_COMPLETION_INDEX", "7")], None).unwrap_err();
        assert!(error.contains("JOB_COMPLETION_INDEX=7, but nobody says of how many: --shard auto/N"), "{error}");
        let error = shard(&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")], None).unwrap_err();
        assert!(error.contains("CI_NODE_INDEX=0 is none of 4 that begin with 1"), "{error}");
        let error = shard(&[("LIT_RUN_SHARD", "x"), ("LIT_NUM_SHARDS", "4")], None).unwrap_err();
        assert!(error.contains("LIT_RUN_SHARD=x is no number"), "{error}");
    }

    #[test]
    fn values_of_the_flag() {
        assert_eq!("auto".parse(), Ok(Wanted::Auto(None)));
        assert_eq!("auto/8".parse(), Ok(Wanted::Auto(Some(8))));
        assert_eq!("2/8".parse(), Ok(Wanted::Given(Shard::new(2, 8).unwrap())));
        for wrong in ["auto/0", "auto/", "automatic", "9/8"] {
            assert!(wrong.parse::<Wanted>().is_err(), "{wrong}");
        }
    }
}
