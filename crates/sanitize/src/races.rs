//! Races (docs/use/sanitize.md#race).

use gcnsim_interp::Touch;
use gcnsim_machine::Place;

use crate::order::Stamp;
use crate::shadow::{Access, Use};
use crate::{Finding, Key, Looked, Sanitizer};

impl Sanitizer {
    pub(super) fn look_at_race(&mut self, looked: &Looked<'_>, touch: &Touch, how: Use) {
        let Looked { at, index, .. } = *looked;
        let in_memory = touch.place == Place::Memory;
        let is_left_out = match touch.place {
            Place::Memory => self.buffer_of(touch.address).is_none(),
            Place::Lds => !self.looks_at_lds(),
            Place::Gds | Place::Image => true,
        };
        if is_left_out {
            return;
        }
        let wave = self.first_wave + at.index;
        let access = Access {
            item: wave.wrapping_mul(64) + u32::from(touch.lane),
            time: self.order.now(),
            step: self.step,
            site: Access::pack(index, how),
        };
        let (group, barrier) = (self.group_number, self.barrier);
        let own = self.first_wave..self.first_wave + self.waves.len() as u32;
        let (last, keeps_barriers) = (self.waves[at.index as usize].last, self.keeps_barriers);
        let lanes_agree = self.scene.as_ref().is_some_and(|scene| scene.lanes_agree);
        let (order, first_waves) = (&mut self.order, &self.first_waves);
        let mut is_ordered = |earlier: Access| {
            let earlier_wave = earlier.item / 64;
            if earlier_wave == wave && (if earlier.step == access.step { lanes_agree } else { !keeps_barriers }) {
                return true;
            }
            if own.contains(&earlier_wave) {
                return earlier.time < barrier
                    || earlier_wave != wave
                        && order.reaches(Stamp { group, wave: earlier_wave, time: earlier.time }, last);
            }
            let group = first_waves.partition_point(|&first| first <= earlier_wave) as u32;
            order.reaches(Stamp { group, wave: earlier_wave, time: earlier.time }, last)
        };
        let mut conflicts = Vec::new();
        let mut conflict = |earlier: Access, byte: u64| conflicts.push((earlier, byte));
        let shadow = if in_memory { &mut self.memory } else { &mut self.lds };
        shadow.note(touch.address, u64::from(touch.bytes), access, &mut is_ordered, &mut conflict);
        for (earlier, byte) in conflicts {
            self.race(looked, touch, how, earlier, byte);
        }
    }

    fn race(&mut self, looked: &Looked<'_>, touch: &Touch, how: Use, earlier: Access, byte: u64) {
        let Looked { at, index, .. } = *looked;
        let key = Key::Race(earlier.index() as u32, index as u32, touch.place);
        self.add(key, |all| {
            let wave = earlier.item / 64;
            let number = all.first_waves.partition_point(|&first| first <= wave).max(1) - 1;
            let group = all.groups[number];
            let first = (group, wave - all.first_waves[number], Some((earlier.item % 64) as u8));
            let buffer = match touch.place {
                Place::Memory => all.buffer_of(byte).map(|index| &all.buffers()[index]),
                _ => None,
            };
            Finding {
                kind: "race",
                place: Some(if touch.place == Place::Lds { "lds" } else { "memory" }),
                buffer: buffer.map(|(name, ..)| name.to_string()),
                at: Some(buffer.map_or(byte, |(_, base, _)| byte - base)),
                address: None,
                pointer_of: None,
                pointer_at: None,
                register: None,
                used_for: None,
                first: Some(all.accessor(earlier.index(), earlier.how().name(), Some(first))),
                second: all.accessor(index, how.name(), Some((at.group, at.index, Some(touch.lane)))),
                count: 1,
            }
        });
    }
}
