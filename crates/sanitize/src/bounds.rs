//! Accesses outside (docs/use/sanitize.md#bounds).

use gcnsim_interp::Touch;
use gcnsim_isa::table::Access as Moves;
use gcnsim_machine::{Place, Wave};

use crate::registers::{MIXED, Tag};
use crate::shadow::Use;
use crate::site::Site;
use crate::{Finding, Hex, Key, Looked, Sanitizer};

impl Sanitizer {
    /// Reports accesses that leave the buffer of their pointer, LDS, or the scratch of their wave.
    pub(super) fn look_at_bounds(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch]) {
        let Some(how) = looked.site.how() else { return };
        if looked.site.is_of_lds() {
            if !self.looks_at_lds() {
                return;
            }
            self.look_at_lds(looked, wave, touches, how);
        } else {
            self.look_at_scratch(looked, touches, how);
            self.look_at_buffers(looked, touches, how);
        }
    }

    /// Reports the first active lane with an address past LDS. If the instruction has two addresses for a lane, either
    /// counts.
    fn look_at_lds(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch], how: Use) {
        let Looked { site, index, .. } = *looked;
        let Some(access) = site.inst.ds_access().filter(|access| !access.gds) else { return };
        let active = wave.state.exec();
        let touched = touches.iter().fold(0, |lanes, touch| lanes | 1u64 << touch.lane);
        let mut outside = active & !touched;
        if site.has_two_places() && access.offsets[0] != access.offsets[1] {
            for lane in (0..64u8).filter(|lane| touched >> lane & 1 == 1) {
                let own = touches.iter().filter(|touch| touch.lane == lane);
                let bytes: usize = own.map(|touch| usize::from(touch.bytes)).sum();
                let all = 4 * site.writes.vgprs.len().max(site.data.vgprs.len());
                outside |= u64::from(bytes < all) << lane;
            }
        }
        if outside == 0 {
            return;
        }
        let lane = outside.trailing_zeros() as u8;
        let address = wave.vgprs.regs().get(usize::from(access.addr)).map_or(0, |vgpr| vgpr.0[usize::from(lane)]);
        let offset = if site.has_two_places() { 0 } else { access.offset };
        let at = Some(u64::from(address.wrapping_add(offset)));
        self.add(Key::Bounds(index as u32, 0, Place::Lds), |all| Finding {
            place: Some("lds"),
            at,
            ..all.outside(looked, lane, how)
        });
    }

    /// Reports the first access to scratch that is not in the scratch of the wave.
    fn look_at_scratch(&mut self, looked: &Looked<'_>, touches: &[Touch], how: Use) {
        let Looked { at, index, .. } = *looked;
        let size = self.wave_scratch();
        if size == 0 {
            return;
        }
        let outside = touches.iter().find_map(|touch| {
            let is_scratch = touch.place == Place::Memory && self.is_scratch(touch.address);
            let byte = is_scratch.then(|| self.byte_of_scratch(at.index, touch.address))?;
            let is_inside = byte >= 0 && byte as u64 + u64::from(touch.bytes) <= size;
            (!is_inside).then_some((touch, byte))
        });
        let Some((touch, byte)) = outside else { return };
        self.add(Key::Bounds(index as u32, MIXED, Place::Memory), |all| Finding {
            place: Some("scratch"),
            pointer_at: Some(byte),
            address: Some(Hex(touch.address)),
            ..all.outside(looked, touch.lane, how)
        });
    }

    /// Returns a finding about an access by `lane` outside of a buffer in memory. Callers change what differs.
    fn outside(&self, looked: &Looked<'_>, lane: u8, how: Use) -> Finding {
        let Looked { at, index, .. } = *looked;
        Finding {
            kind: "bounds",
            place: Some("memory"),
            buffer: None,
            at: None,
            address: None,
            pointer_of: None,
            pointer_at: None,
            register: None,
            used_for: None,
            first: None,
            second: self.accessor(index, how.name(), Some((at.group, at.index, Some(lane)))),
            count: 1,
        }
    }

    /// Reports accesses outside the buffer that their pointer came from.
    fn look_at_buffers(&mut self, looked: &Looked<'_>, touches: &[Touch], how: Use) {
        if self.buffers().is_empty() {
            return;
        }
        let Looked { site, at, index } = *looked;
        let registers = &self.waves[at.index as usize].registers;
        let tag = match (site.inst.buffer_access(), site.inst.image_access()) {
            (_, Some(_)) => 0,
            (Some(access), _) => registers.tag(&site.address.vgprs, &[access.srsrc, access.srsrc + 1]),
            _ => registers.tag(&site.address.vgprs, &site.address.sgprs),
        };
        if tag == 0 || tag == MIXED {
            return;
        }
        let Some((name, base, size)) = self.buffers().get(tag as usize - 1).cloned() else { return };
        for touch in touches.iter().filter(|touch| touch.place == Place::Memory) {
            let offset = touch.address.wrapping_sub(base) as i64;
            let is_inside = offset >= 0 && offset as u64 + u64::from(touch.bytes) <= size;
            // A load that begins in the buffer may end behind it, because compilers widen loads.
            let begins_inside = offset >= 0 && (offset as u64) < size;
            let is_load = matches!(how, Use::Read | Use::ReadThrough);
            if is_inside || is_load && begins_inside || self.is_scratch(touch.address) {
                continue;
            }
            self.add(Key::Bounds(index as u32, tag, Place::Memory), |all| {
                let buffer = all.buffer_of(touch.address).map(|index| &all.buffers()[index]);
                Finding {
                    buffer: buffer.map(|(name, ..)| name.to_string()),
                    at: buffer.map(|(_, base, _)| touch.address - base),
                    address: buffer.is_none().then_some(Hex(touch.address)),
                    pointer_of: Some(name.to_string()),
                    pointer_at: Some(offset),
                    ..all.outside(looked, touch.lane, how)
                }
            });
        }
    }

    /// Returns the tag of the buffer into which `pointer` points; 0 if there is none. The address just behind a buffer
    /// counts as in it.
    fn tag_of(&self, pointer: u64) -> Tag {
        let buffers = self.buffers();
        let behind = buffers.partition_point(|(_, base, _)| *base <= pointer);
        let Some((_, base, size)) = behind.checked_sub(1).and_then(|index| buffers.get(index)) else { return 0 };
        if pointer - base <= *size { behind.min(MIXED as usize - 1) as Tag } else { 0 }
    }

    /// Returns the scalar registers that an instruction has loaded with pointers, and the tag of each.
    pub(super) fn tags_of_scalars(&self, site: &Site, wave: &Wave) -> Vec<(u8, Tag)> {
        if !self.checks.bounds {
            return Vec::new();
        }
        let value = |code: u8| u64::from(wave.state.sgpr[code as usize & 127]);
        let pairs = site.writes.sgprs.chunks_exact(2);
        let pairs = pairs.map(|pair| (pair, self.tag_of(value(pair[0]) | value(pair[1]) << 32)));
        pairs.filter(|(_, tag)| *tag != 0).flat_map(|(pair, tag)| [(pair[0], tag), (pair[1], tag)]).collect()
    }

    /// Returns the tag of each VGPR that an instruction has loaded. Two neighbours can be the halves of a pointer; both
    /// then have its tag.
    pub(super) fn tags_of_vectors(&self, site: &Site, wave: &Wave, exec: u64) -> Vec<Tag> {
        let numbers = &site.writes.vgprs;
        let mut tags = vec![0; numbers.len()];
        if !self.checks.bounds || site.moves != Some(Moves::Load) || exec == 0 {
            return tags;
        }
        let registers = wave.vgprs.regs();
        for k in (0..numbers.len().saturating_sub(1)).step_by(2) {
            let (Some(low), Some(high)) = (registers.get(numbers[k] as usize), registers.get(numbers[k + 1] as usize))
            else {
                continue;
            };
            let tag = |lane: usize| self.tag_of(u64::from(low.0[lane]) | u64::from(high.0[lane]) << 32);
            let first = tag(exec.trailing_zeros() as usize & 63);
            if first != 0 {
                let same = (0..64).all(|lane| exec >> lane & 1 == 0 || tag(lane) == first);
                tags[k..=k + 1].fill(if same { first } else { MIXED });
            }
        }
        tags
    }
}
