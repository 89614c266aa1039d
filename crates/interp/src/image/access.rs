//! Loads, stores and atomics at integer coordinates; the size of an image.

use gcnsim_isa::Note;
use gcnsim_isa::buffer::Selector;
use gcnsim_isa::image::ImageType;
use gcnsim_isa::table::{Atomic, Load, MipLevel};
use gcnsim_machine::{Access, Place};

use super::address::Cursor;
use super::layout::Spot;
use super::view::View;
use super::{ImageOp, Values};
use crate::memory::lanes::{LaneWrite, Pieces};
use crate::memory::transfer::{Bytes, Loads, dword, of_dwords};
use crate::memory::{Machine, Refused};

impl ImageOp {
    /// The texel of a lane; `None` if that is outside.
    fn spot(&self, m: &mut Machine, view: &View, level: MipLevel, lane: u8) -> Option<Spot> {
        let mut cursor = Cursor::new(m, &self.access, lane);
        let dimensions = view.kind.dimensions();
        let x = cursor.next();
        let y = if dimensions > 1 { cursor.next() } else { 0 };
        let layer = if dimensions > 2 || view.kind.has_layers() { cursor.next() } else { 0 };
        let fragment = if view.kind.has_fragments() { cursor.next() } else { 0 };
        let level = if level == MipLevel::Mip { cursor.next() } else { 0 };
        let spot = Spot { level, x, y, layer, fragment };
        let is_inside = level < view.levels() && {
            let [width, height, depth] = view.size(level);
            let layers = if view.is_volume() { depth } else { view.slices() };
            x < width && y < height && layer < layers && fragment < view.samples
        };
        m.notes.insert_if(!is_inside, Note::ImageOutside);
        is_inside.then_some(spot)
    }

    /// Where the data of a lane lie; nowhere outside.
    pub(super) fn pieces(&self, m: &mut Machine, view: &View, level: MipLevel, lane: u8) -> Pieces {
        let bytes = if self.access() == Some(Access::Atomic) { self.width.bytes() } else { view.texels.bytes() };
        match self.spot(m, view, level, lane) {
            Some(spot) => Pieces::one(Place::Memory, view.address(spot, &mut m.notes), bytes),
            None => Pieces::NONE,
        }
    }

    pub(super) fn load(&self, m: &mut Machine, view: &View, level: MipLevel) -> Result<(), Refused> {
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            let texel = match self.spot(m, view, level, lane) {
                Some(spot) => view.selected(view.texel(m, lane, spot)?),
                None => [0; 4],
            };
            results.push((lane, self.named(texel)));
        }
        self.deliver(m, &results, !view.texels.is_integer());
        Ok(())
    }

    pub(super) fn load_raw(&self, m: &mut Machine, view: &View, level: MipLevel, signed: bool) -> Result<(), Refused> {
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.pieces(m, view, level, lane);
            let element = m.load(lane, &pieces)?;
            let mut dwords = [0, 1, 2, 3].map(|n| dword(&element, n));
            if signed && view.texels.bytes() < 4 {
                let unused = 32 - 8 * view.texels.bytes() as u32;
                dwords[0] = ((dwords[0] << unused) as i32 >> unused) as u32;
            }
            results.push((lane, self.named(dwords)));
        }
        self.deliver(m, &results, false);
        Ok(())
    }

    pub(super) fn store(
        &self,
        m: &mut Machine,
        view: &View,
        level: MipLevel,
        is_formatted: bool,
    ) -> Result<(), Refused> {
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.pieces(m, view, level, lane);
            m.check(lane, &pieces, Access::Store)?;
            let data = self.data(m, view, lane);
            let is_inside = pieces.iter().next().is_some();
            let element = match is_formatted {
                false => Some(of_dwords(data.map(|value| value.unwrap_or(0)))),
                true if is_inside => self.element(m, view, data),
                true => None,
            };
            if let Some(data) = element.filter(|_| is_inside) {
                writes.push(LaneWrite { lane, pieces, data });
            }
        }
        m.store_all(&writes);
        Ok(())
    }

    /// The components that a lane stores.
    fn data(&self, m: &mut Machine, view: &View, lane: u8) -> [Option<u32>; 4] {
        let packs = m.arch.packs_d16();
        let mut components = [None; 4];
        let named = (0..4).filter(|i| self.access.dmask >> i & 1 == 1);
        for (n, i) in named.enumerate() {
            let n = n as u8;
            let dword = m.vgpr(self.access.vdata, if self.access.d16 && packs { n / 2 } else { n }, lane);
            let half = if packs && n % 2 == 1 { dword >> 16 } else { dword } as u16;
            components[i] = Some(match view.texels.plain() {
                Some((format, _)) if self.access.d16 => format.of_d16(half),
                _ => dword,
            });
        }
        components
    }

    /// The texel that components are. Each goes to the channel that its selector names.
    fn element(&self, m: &mut Machine, view: &View, components: [Option<u32>; 4]) -> Option<Bytes> {
        let mut channels = [None; 4];
        for (i, component) in components.into_iter().enumerate() {
            if let (Some(value), Selector::Component(to)) = (component, view.descriptor.selector(i as u32)) {
                channels[to as usize & 3].get_or_insert(value);
            }
        }
        view.texels.encode(channels, &mut m.notes)
    }

    pub(super) fn exchange(&self, m: &mut Machine, view: &View, atomic: Atomic) -> Result<(), Refused> {
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let mut pieces = self.pieces(m, view, MipLevel::First, lane);
            m.check_alignment(lane, &mut pieces)?;
            m.check(lane, &pieces, Access::Atomic)?;
            writes.push(LaneWrite { lane, pieces, data: m.operands(self.access.vdata, atomic, self.width, lane) });
        }
        let old = m.exchange_all(m.operation(atomic, self.width), &writes, self.access.glc);
        if self.access.glc {
            Load::dwords(self.width.dwords()).write(m.vgprs, self.access.vdata, &old);
        }
        Ok(())
    }

    pub(super) fn size(&self, m: &mut Machine, view: &View) {
        let results: Vec<(u8, Values)> = m.active().map(|lane| (lane, self.size_of(m, view, lane))).collect();
        self.deliver(m, &results, false);
    }

    fn size_of(&self, m: &mut Machine, view: &View, lane: u8) -> Values {
        let level = Cursor::new(m, &self.access, lane).next();
        let levels = view.levels();
        if level >= levels {
            m.notes.insert(Note::ImageOutside);
            return self.named([0, 0, 0, levels]);
        }
        let [width, height, depth] = view.size(level);
        let count = if view.is_volume() { depth } else { view.slices() };
        let has_layers_in_y = view.resource == ImageType::D1Array && !view.arch.is_gcn14_or_later();
        self.named([width, if has_layers_in_y { count } else { height }, count, levels])
    }
}

impl View {
    /// The components of a texel, before DST_SEL.
    pub fn texel(&self, m: &mut Machine, lane: u8, spot: Spot) -> Result<[u32; 4], Refused> {
        let address = self.address(spot, &mut m.notes);
        let element = m.load(lane, &Pieces::one(Place::Memory, address, self.texels.bytes()))?;
        Ok(self.texels.decode(&element, [spot.x, spot.y], &mut m.notes))
    }
}
