//! `--trace` and `--dump-state` for a wave of a dispatch.

use std::str::FromStr;

use anyhow::bail;
use gcnsim_machine::{Context, Space};

use super::output;
use super::trace::Tracer;
use crate::Wave;
use gcnsim_device::geometry::Geometry;
use gcnsim_engine::memory_file::{LdsSpec, Region};
use gcnsim_engine::observe::{At, Needs, Observer, Step};
use gcnsim_engine::report::plural;
use gcnsim_engine::state_file::StateSpec;

/// Most bytes of memory in a state file.
const MOST_MEMORY: u64 = 64 << 20;

/// A wave of a dispatch: its group, and its number in the group.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct WaveId {
    pub group: [u32; 3],
    pub index: u32,
}

impl FromStr for WaveId {
    type Err = String;

    fn from_str(text: &str) -> Result<WaveId, String> {
        let wrong = || format!("'{text}' is no X[,Y,Z]:W (a group and a wave in it)");
        let (group, index) = text.split_once(':').ok_or_else(wrong)?;
        let sizes: Result<Vec<u32>, _> = group.split(',').map(|size| size.trim().parse()).collect();
        let sizes = sizes.ok().filter(|sizes| sizes.len() <= 3).ok_or_else(wrong)?;
        let index = index.trim().parse().map_err(|_| wrong())?;
        Ok(WaveId { group: std::array::from_fn(|i| sizes.get(i).copied().unwrap_or(0)), index })
    }
}

impl WaveId {
    /// Checks that the dispatch has this wave.
    ///
    /// # Errors
    /// The error names the groups or the number of waves that there are.
    pub fn check(&self, geometry: &Geometry) -> anyhow::Result<()> {
        let groups = geometry.grid().groups;
        if self.group.iter().zip(groups).any(|(&group, groups)| group >= groups) {
            bail!("--wave: there is no group {:?}; there are {groups:?} groups", self.group);
        }
        let items: u32 = geometry.grid().size_of(self.group).iter().product();
        let waves = items.div_ceil(64);
        if self.index >= waves {
            bail!("--wave: group {:?} has {}", self.group, plural(waves.into(), "wave"));
        }
        Ok(())
    }
}

/// Watches one wave.
pub(super) struct WaveWatch<'o> {
    pub id: WaveId,
    pub tracer: Option<Tracer<'o>>,
    /// The wave at its end, with memory and LDS.
    pub state: Option<StateSpec>,
    /// Whether the state includes memory.
    pub wants_memory: bool,
}

impl WaveWatch<'_> {
    fn is_it(&self, at: &At<'_>) -> bool {
        WaveId { group: at.group, index: at.index } == self.id
    }
}

impl Observer for WaveWatch<'_> {
    fn needs(&mut self, at: &At<'_>, wave: &Wave) -> Needs {
        let is_it = self.is_it(at);
        self.tracer.as_mut().filter(|_| is_it).map_or(Needs::NOTHING, |tracer| tracer.needs(at, wave))
    }

    fn before(&mut self, at: &At<'_>, wave: &mut Wave, context: &mut Context) {
        self.tracer.iter_mut().for_each(|tracer| tracer.before(at, wave, context));
    }

    fn after(&mut self, at: &At<'_>, done: &Step<'_>, wave: &Wave, context: &Context) {
        self.tracer.iter_mut().for_each(|tracer| tracer.after(at, done, wave, context));
    }

    fn over(&mut self, at: &At<'_>, wave: &Wave, context: &Context) {
        if !self.is_it(at) {
            return;
        }
        let mut state = StateSpec::of_wave(wave);
        state.pc = Some(at.scene.address_of_file(wave.state.pc));
        if !context.lds.is_empty() {
            state.lds = Some(LdsSpec { size: Some(context.lds.len() as u32), bytes: context.lds.to_vec() });
        }
        if self.wants_memory {
            state.memory = memory(&context.space);
        }
        self.state = Some(state);
    }
}

/// Returns all mapped memory. Empty if there is more than [`MOST_MEMORY`].
fn memory(space: &Space) -> Vec<Region> {
    let bytes: u64 = space.mappings().iter().map(|mapping| mapping.len).sum();
    if bytes > MOST_MEMORY {
        output::note(format_args!("the state has no memory in it: there are {bytes} bytes"));
        return Vec::new();
    }
    let region = |mapping: &gcnsim_machine::Mapping| {
        let mut bytes = vec![0; mapping.len as usize];
        mapping.backing.read_into(mapping.offset, &mut bytes);
        Region::new(mapping.base, bytes)
    };
    space.mappings().iter().map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_named_by_group_and_number() {
        let id = |group, index| Ok(WaveId { group, index });
        assert_eq!("3:1".parse(), id([3, 0, 0], 1));
        assert_eq!("1,2,3:4".parse(), id([1, 2, 3], 4));
        for wrong in ["", "3", ":1", "1:", "1,2,3,4:0", "-1:0", "1:x"] {
            assert!(wrong.parse::<WaveId>().is_err(), "{wrong}");
        }
        let geometry = Geometry::new(&[100, 3], &[70, 2], &[]).unwrap();
        let is_there = |group, index| WaveId { group, index }.check(&geometry).is_ok();
        // The last group has 30 x 1 work-items, which are one wave.
        assert!(is_there([0, 0, 0], 2) && is_there([1, 1, 0], 0));
        assert!(
            !is_there([0, 0, 0], 3) && !is_there([1, 1, 0], 1) && !is_there([2, 0, 0], 0) && !is_there([0, 0, 1], 0)
        );
    }
}
