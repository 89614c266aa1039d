//! Undefined reads (docs/use/sanitize.md#undefined-reads).

use gcnsim_interp::Touch;
use gcnsim_isa::scalar_register_name;
use gcnsim_isa::table::{Access as Moves, Load, Part};
use gcnsim_machine::{Place, Wave};

use crate::defined::Bytes;
use crate::registers::{Origin, Shadow, Written};
use crate::shadow::Use;
use crate::site::{Condition, Site};
use crate::value::Value;
use crate::{Finding, Key, Looked, Sanitizer};

impl Sanitizer {
    /// Reports that the instruction uses an undefined value.
    pub(super) fn undefined(
        &mut self,
        looked: &Looked<'_>,
        lane: Option<u8>,
        origin: Option<Origin>,
        used_for: &'static str,
    ) {
        let key = Key::Uninit(looked.index as u32, origin, used_for);
        let Looked { at, index, site } = *looked;
        let arch = site.inst.arch;
        self.add(key, |all| {
            let register = match origin {
                Some(Origin::Vgpr(number)) => Some(format!("v{number}")),
                Some(Origin::Sgpr(code)) => Some(scalar_register_name(arch, code)),
                Some(Origin::Scc) => Some("scc".to_owned()),
                Some(Origin::Load(_)) | None => None,
            };
            let load = match origin {
                Some(Origin::Load(load)) => Some(load as usize),
                _ => None,
            };
            let is_scratch = |index: usize| {
                let is_lds = all.sites.get(index).and_then(Option::as_deref).is_some_and(|site| site.is_of_lds());
                !is_lds
            };
            let place = match load {
                Some(load) => Some(if is_scratch(load) { "scratch" } else { "lds" }),
                None if origin.is_none() => Some("lds"),
                None => None,
            };
            Finding {
                kind: "uninit",
                place,
                buffer: None,
                at: None,
                address: None,
                pointer_of: None,
                pointer_at: None,
                register,
                used_for: Some(used_for),
                first: load.map(|load| all.accessor(load, "read", None)),
                second: all.accessor(index, "use", Some((at.group, at.index, lane))),
                count: 1,
            }
        });
    }

    /// Reports registers without a value that addresses, branches, stores and exports need.
    pub(super) fn look_at_uses(&mut self, looked: &Looked<'_>, wave: &Wave) {
        let Looked { site, at, .. } = *looked;
        let registers = &self.waves[at.index as usize].registers;
        let exec = wave.state.exec();
        let mut found: Vec<(Option<u8>, Origin, &'static str)> = Vec::new();
        match site.condition {
            Some(Condition::Scc) if !registers.scc.0 => found.push((None, registers.scc.1, "branch")),
            Some(Condition::Vcc) => {
                found.extend(registers.undecided_vcc(&wave.state).map(|origin| (None, origin, "branch")));
            }
            _ => {}
        }
        if site.jumps {
            found.extend(registers.undefined_scalar(&site.reads.sgprs).map(|origin| (None, origin, "address")));
        }
        let is_active = exec != 0 || site.inst.scalar_access().is_some();
        if is_active {
            let lane = registers.undefined_lane(&site.address.vgprs, exec);
            found.extend(lane.map(|(lane, origin)| (Some(lane), origin, "address")));
            found.extend(registers.undefined_scalar(&site.address.sgprs).map(|origin| (None, origin, "address")));
            // A value that goes to LDS or scratch is reported when something uses it from there.
            let used_for = if site.inst.export_access().is_some() { "export" } else { "store" };
            let is_kept = site.moves == Some(Moves::Store) && site.is_of_lds() || self.is_to_scratch(site);
            if !is_kept {
                // An export of a register that the wave does not have exports nothing.
                let count = if used_for == "export" { wave.vgprs.regs().len() } else { usize::MAX };
                let data: Vec<u8> = site.data.vgprs.iter().copied().filter(|&n| usize::from(n) < count).collect();
                let lane = match site.moves {
                    Some(Moves::Store) => registers.undefined_data(&data, site.stored_part(), exec),
                    _ => registers.undefined_lane(&data, exec),
                };
                found.extend(lane.map(|(lane, origin)| (Some(lane), origin, used_for)));
                found.extend(registers.undefined_scalar(&site.data.sgprs).map(|origin| (None, origin, used_for)));
            }
        }
        for (lane, origin, used_for) in found {
            self.undefined(looked, lane, Some(origin), used_for);
        }
    }

    /// Whether a store may go to scratch or, by a FLAT address, to LDS. Then its touches say what it writes.
    fn is_to_scratch(&self, site: &Site) -> bool {
        self.wave_scratch() > 0 && site.moves == Some(Moves::Store) && site.may_reach_scratch()
    }

    /// Returns the bytes of LDS or of the wave's scratch that a touch is in, and its offset there; `None` if it is
    /// elsewhere.
    fn bytes_of(&mut self, index: u32, touch: &Touch) -> Option<(&mut Bytes, u64)> {
        match touch.place {
            Place::Lds => Some((&mut self.lds_bytes, touch.address)),
            Place::Memory if self.is_scratch(touch.address) => {
                let at = u64::try_from(self.byte_of_scratch(index, touch.address)).ok()?;
                Some((&mut self.waves[index as usize].scratch, at))
            }
            _ => None,
        }
    }

    /// Notes which bits of LDS and scratch get a value, and reports undefined values that go elsewhere.
    pub(super) fn look_at_stored(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch], how: Use) {
        let Looked { site, at, .. } = *looked;
        if !matches!(how, Use::Write | Use::Atomic) {
            return;
        }
        let exec = wave.state.exec();
        let mut found = None;
        for touch in touches {
            let registers = &self.waves[at.index as usize].registers;
            let active = exec & 1u64 << touch.lane;
            let data = data_of(site, touch);
            let missing = match how {
                Use::Write => registers.undefined_data(&data, site.stored_part(), active),
                _ => registers.undefined_lane(&data, active),
            };
            let values = (how == Use::Write).then(|| stored_bits(registers, site, touch, &data));
            let item = self.item(at.index, touch.lane);
            let Some((bytes, from)) = self.bytes_of(at.index, touch) else {
                if found.is_none() && self.is_to_scratch(site) {
                    found = missing.map(|(lane, origin)| (lane, Some(origin), "store"));
                }
                continue;
            };
            if how == Use::Atomic && !bytes.are_set(from, touch.bytes) {
                found.get_or_insert((touch.lane, None, "atomic"));
            }
            for (k, byte) in (from..from + u64::from(touch.bytes)).enumerate() {
                bytes.set(byte, values.as_ref().map_or(!0, |values| values[k]), item);
            }
        }
        if let Some((lane, origin, used_for)) = found {
            self.undefined(looked, Some(lane), origin, used_for);
        }
    }

    /// Returns the number of a work-item of the present group, from 1 on.
    fn item(&self, index: u32, lane: u8) -> u32 {
        64 * index + u32::from(lane) + 1
    }

    /// Notes the results of a memory instruction that has been executed.
    pub(super) fn pass_memory(&mut self, looked: &Looked<'_>, wave: &Wave, exec: u64, touches: &[Touch]) {
        let Looked { site, at, index } = *looked;
        let writes = &site.writes;
        if !writes.sgprs.is_empty() {
            let tags = self.tags_of_scalars(site, wave);
            let registers = &mut self.waves[at.index as usize].registers;
            registers.define_scalars(&writes.sgprs);
            tags.into_iter().for_each(|(code, tag)| registers.set_tag(code, tag));
        }
        if writes.vgprs.is_empty() {
            return;
        }
        let mut loaded = vec![Written { private: !0, ..Written::ALL }; writes.vgprs.len()];
        if self.checks.uninit {
            touches.iter().for_each(|touch| self.load(looked, touch, &mut loaded));
        }
        let tags = self.tags_of_vectors(site, wave, exec);
        let registers = &mut self.waves[at.index as usize].registers;
        for (k, &number) in writes.vgprs.iter().enumerate() {
            if let Some(load) = site.narrow_load() {
                loaded[k].bits = std::array::from_fn(|lane| {
                    narrow_bits(load, loaded[k].bits[lane], registers.bits(number, lane as u8))
                });
            }
            registers.set_written(number, exec, &loaded[k], Origin::Load(index as u32), tags[k]);
        }
    }

    /// Notes in `loaded`, one for each register of a load, which bits a touch gives no value.
    fn load(&mut self, looked: &Looked<'_>, touch: &Touch, loaded: &mut [Written]) {
        let Looked { site, at, .. } = *looked;
        let item = self.item(at.index, touch.lane);
        let Some((bytes, from)) = self.bytes_of(at.index, touch) else { return };
        for (byte, address) in (touch.at..).zip(from..from.saturating_add(u64::from(touch.bytes))) {
            let bits = bytes.get(address);
            if bits == !0 {
                continue;
            }
            let Some(loaded) = loaded.get_mut(usize::from(byte) / 4) else { continue };
            let lost = if site.is_formatted() { !0 } else { u32::from(!bits) << (8 * (byte % 4)) };
            loaded.bits[usize::from(touch.lane) & 63] &= !lost;
            if !bytes.is_own(address, item) {
                loaded.private &= !(1 << touch.lane);
            }
        }
    }
}

/// Returns the bits of a register with a value after a load of one or two bytes, which have a value in `loaded`.
/// Before, those in `old` had one.
fn narrow_bits(load: Load, loaded: u32, old: u32) -> u32 {
    let width = 8 * u32::from(load.bytes);
    let value = Value { value: 0, bits: u64::from(loaded) | !0xffff_ffff }.low(width);
    let bits = if load.signed { value.extended(width).low(32).bits } else { value.bits } as u32;
    match load.part {
        Part::Whole => bits,
        Part::Low => old & 0xffff_0000 | bits & 0xffff,
        Part::High => old & 0xffff | bits << 16,
    }
}

/// Returns the bits with a value of each byte that a store writes in a touch. Its data are in the VGPRs `data`.
fn stored_bits(registers: &Shadow, site: &Site, touch: &Touch, data: &[u8]) -> Vec<u8> {
    let bits = |number: u8| registers.bits(number, touch.lane);
    if site.is_formatted() {
        let is_known = data.iter().all(|&number| bits(number) == !0);
        return vec![if is_known { !0 } else { 0 }; usize::from(touch.bytes)];
    }
    let of_byte = |byte: u8| {
        let from = touch.at + byte;
        let number = data.get(usize::from(from / 4 - touch.at / 4));
        number.map_or(!0, |&number| (bits(number) >> (8 * (from % 4) + site.first_bit()) & 0xff) as u8)
    };
    (0..touch.bytes).map(of_byte).collect()
}

/// Returns the VGPRs with the data that a store or an atomic moves in a touch.
fn data_of(site: &Site, touch: &Touch) -> Vec<u8> {
    let Some(most) = site.data.vgprs.len().checked_sub(1) else { return Vec::new() };
    let last = usize::from(touch.at) + usize::from(touch.bytes).max(1) - 1;
    site.data.vgprs[(usize::from(touch.at) / 4).min(most)..=(last / 4).min(most)].to_vec()
}
