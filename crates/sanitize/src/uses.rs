//! Undefined reads (docs/sanitize.md#undefined-reads).

use gcnsim_interp::Touch;
use gcnsim_isa::scalar_register_name;
use gcnsim_isa::table::Access as Moves;
use gcnsim_machine::{Place, Wave};

use crate::defined::Bytes;
use crate::registers::Origin;
use crate::shadow::Use;
use crate::site::{Condition, Site};
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

    /// Notes which bytes of LDS and scratch get a value, and reports undefined values that go elsewhere.
    pub(super) fn look_at_stored(&mut self, looked: &Looked<'_>, wave: &Wave, touches: &[Touch], how: Use) {
        let Looked { site, at, .. } = *looked;
        if !matches!(how, Use::Write | Use::Atomic) {
            return;
        }
        let exec = wave.state.exec();
        let mut found = None;
        for touch in touches {
            let registers = &self.waves[at.index as usize].registers;
            let lane = 1u64 << touch.lane;
            let data = data_of(site, touch);
            let missing = registers.undefined_lane(&data, exec & lane);
            // The bytes of padded dwords are told apart where they stay in their places.
            let bytes_apart = missing.filter(|_| how == Use::Write && !site.stores_high());
            let has_byte = |byte: u8| {
                let from = touch.at + byte;
                data.get(usize::from(from / 4 - touch.at / 4))
                    .is_some_and(|&number| registers.has_byte(number, from % 4, touch.lane))
            };
            let values = bytes_apart.map(|_| (0..touch.bytes).map(has_byte).collect::<Vec<bool>>());
            let is_load_back = how == Use::Atomic;
            let missing_data = match how {
                Use::Write => registers.undefined_data(&data, site.stored_part(), exec & lane),
                _ => missing,
            };
            let Some((bytes, from)) = self.bytes_of(at.index, touch) else {
                if found.is_none() && self.is_to_scratch(site) {
                    found = missing_data.map(|(lane, origin)| (lane, Some(origin), "store"));
                }
                continue;
            };
            if is_load_back && !bytes.are_set(from, touch.bytes) {
                found.get_or_insert((touch.lane, None, "atomic"));
            }
            match values {
                Some(values) => (from..).zip(values).for_each(|(byte, is_value)| bytes.set(byte, 1, is_value)),
                None => bytes.set(from, touch.bytes, missing.is_none() || is_load_back),
            }
        }
        if let Some((lane, origin, used_for)) = found {
            self.undefined(looked, Some(lane), origin, used_for);
        }
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
        let mut lanes = vec![!0u64; writes.vgprs.len()];
        let mut padded = vec![[0; 4]; writes.vgprs.len()];
        if self.checks.uninit {
            for touch in touches {
                let Some((bytes, from)) = self.bytes_of(at.index, touch) else { continue };
                if touch.bytes.is_multiple_of(4) && touch.at.is_multiple_of(4) {
                    for byte in (0..touch.bytes).filter(|&byte| bytes.are_set(from + u64::from(byte), 1)) {
                        let Some(padded) = padded.get_mut(usize::from(touch.at + byte) / 4) else { continue };
                        padded[usize::from(byte) % 4] |= 1 << touch.lane;
                    }
                }
                for byte in (0..touch.bytes).filter(|&byte| !bytes.are_set(from + u64::from(byte), 1)) {
                    let Some(lanes) = lanes.get_mut(usize::from(touch.at + byte) / 4) else { continue };
                    *lanes &= !(1 << touch.lane);
                }
            }
        }
        let is_private = touches.iter().all(|touch| touch.place == Place::Memory);
        let tags = self.tags_of_vectors(site, wave, exec);
        let registers = &mut self.waves[at.index as usize].registers;
        for (k, &number) in writes.vgprs.iter().enumerate() {
            let lanes = if site.loads_part() { lanes[k] | registers.vgprs[number as usize].lanes } else { lanes[k] };
            registers.set_loaded(number, exec, lanes, Origin::Load(index as u32), tags[k]);
            registers.pad(number, padded[k].map(|of| of & exec & !lanes), is_private);
        }
    }
}

/// Returns the VGPRs with the data that a store or an atomic moves in a touch.
fn data_of(site: &Site, touch: &Touch) -> Vec<u8> {
    let Some(most) = site.data.vgprs.len().checked_sub(1) else { return Vec::new() };
    let last = usize::from(touch.at) + usize::from(touch.bytes).max(1) - 1;
    site.data.vgprs[(usize::from(touch.at) / 4).min(most)..=(last / 4).min(most)].to_vec()
}
