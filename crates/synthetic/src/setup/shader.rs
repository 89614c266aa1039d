//! The start of shaders without a kernel descriptor: what a driver puts into their registers.

use gcnsim_device::{Grid, Registers, Scratch, WAVE, Waves};
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_isa::{Arch, LANES, WaveState, reg};
use gcnsim_loader::{Shader, Stage};
use gcnsim_machine::world::{CODE, Descriptors, RINGS, SCRATCH, SCRATCH_END, TABLE_STEP, TABLES, World, WorldPiece};
use gcnsim_machine::{VgprFile, Wave};

use super::classify::{Class, Classes, SGPRS, classify};
use super::kernel::group;
use super::plan::Order;
use super::stages::{self, Lanes};
use super::{Group, Setup, SetupError, most_lds};
use crate::{Fetch, Subject};

/// Address of the table with the number of groups of a grid.
const GRID: u32 = 0x2440_0000;
/// The number of groups in each dimension.
const GROUPS: [u32; 3] = [4, 3, 2];
/// The ids of the groups of a compute shader that run.
const GROUP_IDS: [[u32; 3]; 2] = [[0; 3], [1; 3]];
/// The ids of the groups that run in detailed worlds. The last one has other coordinates in each dimension.
const DETAILED_IDS: [[u32; 3]; 2] = [[1, 2, 1], [3, 1, 0]];
/// Address to which pointers of 64 bits point. That of user SGPR n is n times `POINTER_STEP` further.
const POINTERS: u32 = 0x2800_0000;
const POINTER_STEP: u32 = 0x0010_0000;
/// Address of the first ring between stages. Each ring has `RING_BYTES` bytes. In the ring table their descriptors
/// follow that of scratch; positions of samples follow them.
const RING: u32 = 0x2c00_0000;
const RING_BYTES: u32 = 0x0010_0000;
/// Size in bytes of a table near the code.
const NEAR_TABLE: u32 = 4 << 10;
/// Scratch of a lane in bytes, if it is used and nobody states its size.
const DEFAULT_SCRATCH: u32 = 16 << 10;
/// Most scratch of a lane in bytes.
const MOST_SCRATCH: u32 = 128 << 10;
/// Number of SGPRs with user data, if nobody states it.
const DEFAULT_USER: usize = 16;

/// RSRC2 of a compute shader for which nobody states it: all ids of the group and of its work-items.
const ALL_IDS: u32 = 7 << 7 | 2 << 11;
/// Most user SGPRs of a compute shader, and the bits of RSRC2 with their number.
const MOST_USER: u32 = 0x1f;
const USER_SGPRS: u32 = MOST_USER << 1;

/// The meanings of user SGPRs in metadata of PAL (`USER_DATA` registers).
mod pal {
    pub const GLOBAL_TABLE: u32 = 0x1000_0000;
    pub const PER_SHADER_TABLE: u32 = 0x1000_0001;
    pub const SPILL_TABLE: u32 = 0x1000_0002;
    pub const BASE_VERTEX: u32 = 0x1000_0003;
    pub const BASE_INSTANCE: u32 = 0x1000_0004;
    pub const DRAW_INDEX: u32 = 0x1000_0005;
    pub const GROUP_COUNT: u32 = 0x1000_0006;
    pub const VIEW_ID: u32 = 0x1000_000b;
    pub const STREAMOUT_TABLE: u32 = 0x1000_000c;
    pub const VERTEX_BUFFER_TABLE: u32 = 0x1000_000f;
}

/// Returns how the shader of `subject` starts in a world.
///
/// # Errors
/// [`SetupError`] if the scratch of its waves has no room.
pub fn setup(subject: &Subject, world: &World) -> Result<Setup, SetupError> {
    let classes = classify(&subject.program);
    let inputs = Inputs::new(subject, &classes, world);
    let arch = inputs.arch;
    let is_compute = inputs.stage == Stage::Compute;
    let user = inputs.user_data();
    // Worlds of odd variants show what others do not: pixels that are not covered, and the back of a primitive.
    let is_other = world.variant % 2 == 1;
    let stated = inputs.shader.ps_input_addr.or(inputs.shader.ps_input_ena);
    let ps_input_addr = stated.or(Some(stages::guessed_inputs(classes.interpolants)));
    let with_inputs = Shader { ps_input_addr, ..Shader::default() }.or(inputs.shader);
    let vgprs = stages::vgprs(inputs.stage, arch, &with_inputs, world);
    let is_partly = is_other && inputs.stage == Stage::Pixel;
    let coverage = if is_partly { stages::PARTLY_COVERED } else { u64::MAX };
    let ids: &[[u32; 3]] = match is_compute {
        true if world.is_detailed() => &DETAILED_IDS,
        true => &GROUP_IDS,
        false => &GROUP_IDS[..1],
    };
    let of_caller = inputs.fetch.map_or(0, |fetch| usize::from(fetch.sgpr) + 2);
    let (groups, initial_sgprs, initial_vgprs) = if is_compute {
        let waves = inputs.dispatch(&user);
        let groups = inputs.groups(&waves, ids)?;
        (groups, waves.initial_sgprs() as usize, waves.initial_vgprs() as usize)
    } else {
        let wave = inputs.wave(&user, &vgprs, coverage);
        let of_system = inputs.layout.system.iter().map(|(n, _)| n + 1).max().unwrap_or(0);
        let initial_sgprs = of_system.max(inputs.layout.first_user + user.len());
        (vec![Group { id: ids[0], waves: vec![wave] }], initial_sgprs, vgprs.len())
    };
    Ok(Setup {
        groups,
        lds_bytes: inputs.lds_bytes(),
        pieces: inputs.pieces(),
        buffers: Vec::new(),
        descriptors: Descriptors::Data,
        apertures: None,
        coverage,
        notes: super::notes_of(subject),
        initial_sgprs: initial_sgprs.max(of_caller),
        initial_vgprs,
        undefined: 0,
        is_group_stated: !is_compute || inputs.shader.group.is_some(),
        wave_scratch: if inputs.has_scratch() { inputs.wave_scratch().into() } else { 0 },
        lds_is_input: inputs.stage == Stage::Hull && !stages::is_merged(Stage::Hull, arch),
    })
}

/// The facts that the values of a shader's registers depend on.
struct Inputs<'a> {
    arch: Arch,
    stage: Stage,
    shader: &'a Shader,
    classes: &'a Classes,
    world: &'a World,
    entry: u64,
    fetch: Option<Fetch>,
    layout: stages::Layout,
    /// Number of SGPRs with user data.
    user_sgprs: usize,
}

impl<'a> Inputs<'a> {
    fn new(subject: &'a Subject, classes: &'a Classes, world: &'a World) -> Inputs<'a> {
        let (arch, stage, shader) = (subject.program.arch(), subject.stage, &subject.shader);
        let first = if stages::is_merged(stage, arch) { 8 } else { 0 };
        let stated = Shader { stage: Some(stage), ..shader.clone() }.user_sgpr_count(arch);
        // A compiler that leaves the number to the driver states 0, so a number that is too small for the pointers does
        // not count.
        let stated = stated.filter(|&count| classes.last_pointer().is_none_or(|last| last < first + count as usize));
        let user_sgprs = stated.map_or_else(|| guessed_user_sgprs(stage, first, classes), |count| count as usize);
        let most = if stage == Stage::Compute { MOST_USER as usize } else { SGPRS / 2 };
        let user_sgprs = user_sgprs.min(most);
        let layout = stages::layout(stage, arch, shader, user_sgprs);
        Inputs {
            arch,
            stage,
            shader,
            classes,
            world,
            entry: subject.program.entry(),
            fetch: subject.fetch,
            layout,
            user_sgprs,
        }
    }

    fn has_scratch(&self) -> bool {
        self.shader.rsrc2.is_some_and(|rsrc2| rsrc2 & 1 == 1) || self.shader.scratch_bytes_per_lane.unwrap_or(0) > 0
    }

    /// Returns the scratch of a wave in bytes.
    fn wave_scratch(&self) -> u32 {
        let lane = self.shader.scratch_bytes_per_lane.filter(|&bytes| bytes > 0).unwrap_or(DEFAULT_SCRATCH);
        (lane.min(MOST_SCRATCH).next_multiple_of(4) * LANES as u32).next_multiple_of(1024)
    }

    /// Checks that `waves` waves have room for their scratch. Tables are behind it.
    fn check_scratch(&self, waves: u32) -> Result<(), SetupError> {
        let (wave, room) = (u64::from(self.wave_scratch()), SCRATCH_END - SCRATCH);
        if !self.has_scratch() || wave * u64::from(waves) <= room {
            return Ok(());
        }
        let what = format!("scratch of {waves} waves, {} KiB each, is more than {} MiB", wave >> 10, room >> 20);
        Err(SetupError::Contradiction { what })
    }

    /// Returns the high half of pointers of 32 bits.
    fn high_half(&self) -> u32 {
        if self.arch.is_gcn14_or_later() { 0xffff_8000 } else { 0 }
    }

    /// Returns the address of scratch as drivers hand it to shaders. Bit 31 of the high half makes a descriptor of it.
    fn scratch_base(&self) -> [u32; 2] {
        // From GCN 1.4 on shaders add 0x7fff0000 to the high half.
        let high = if self.arch.is_gcn14_or_later() { 0x8000_8000 } else { 0x8000_0000 };
        [SCRATCH as u32, high]
    }

    /// Returns the values of the user SGPRs, from `layout.first_user` on.
    fn user_data(&self) -> Vec<u32> {
        let first = self.layout.first_user;
        let mut user: Vec<u32> = (first..first + self.user_sgprs).map(|n| self.user_sgpr(n)).collect();
        let has_base_vertex = matches!(self.stage, Stage::Vertex | Stage::Local | Stage::Export);
        if has_base_vertex && self.shader.user_data.is_empty() {
            // The base vertex is the first number behind the pair s[0:1] and the table of vertex buffers.
            let number = (first + 2..first + user.len()).find(|&n| self.classes.sgprs[n] == Class::Number);
            if let Some(base_vertex) = number.and_then(|n| user.get_mut(n - first)) {
                *base_vertex = self.world.variant % 2;
            }
        }
        user
    }

    /// Returns the value of the user SGPR s\[n\].
    fn user_sgpr(&self, n: usize) -> u32 {
        let table = TABLES as u32 + n as u32 * TABLE_STEP as u32;
        if let Some(fetch) = self.fetch
            && let Some(half @ (0 | 1)) = n.checked_sub(fetch.sgpr.into())
        {
            return (fetch.address >> (32 * half)) as u32;
        }
        let class = self.classes.sgprs[n];
        let of_pal = self.shader.user_data.get(n - self.layout.first_user).copied();
        match (of_pal, class) {
            (Some(pal::BASE_VERTEX | pal::BASE_INSTANCE | pal::DRAW_INDEX | pal::VIEW_ID), _) => self.world.variant % 2,
            (Some(pal::GROUP_COUNT), Class::Low | Class::Number) => GRID,
            (Some(pal::GLOBAL_TABLE | pal::PER_SHADER_TABLE | pal::SPILL_TABLE), Class::Number) => table,
            (Some(pal::STREAMOUT_TABLE | pal::VERTEX_BUFFER_TABLE), Class::Number) => table,
            (_, Class::Table | Class::TableNearCode) => table,
            (_, Class::Descriptor(word)) => {
                let first = n.saturating_sub(word.into()) as u64;
                self.world.dword(TABLES + first * TABLE_STEP + 4 * u64::from(word))
            }
            (_, Class::Low | Class::High) => self.pointer(n, class == Class::High),
            (None, Class::Number) if self.stage == Stage::Compute && n < 2 && self.has_scratch() => {
                self.scratch_base()[n]
            }
            (_, Class::Number) => self.world.scalar(n as u32),
        }
    }

    /// Returns a half of a pointer of 64 bits.
    fn pointer(&self, n: usize, is_high: bool) -> u32 {
        let is_compute = self.stage == Stage::Compute;
        match (n, is_high) {
            (0 | 1, _) if self.shader.user_data.is_empty() && !is_compute => {
                if is_high {
                    self.high_half()
                } else {
                    RINGS as u32
                }
            }
            (0 | 1, _) if is_compute && self.has_scratch() => self.scratch_base()[usize::from(is_high)],
            (_, true) => 0,
            (2.., false) if is_compute => GRID,
            _ => POINTERS + n as u32 * POINTER_STEP,
        }
    }

    /// Returns the waves of a dispatch of a compute shader.
    fn dispatch(&self, user: &[u32]) -> Waves {
        let rsrc2 = self.shader.rsrc2.unwrap_or(ALL_IDS) & !USER_SGPRS | (user.len() as u32) << 1;
        let registers = Registers {
            pc: self.entry,
            rsrc1: Rsrc1(self.shader.rsrc1.unwrap_or(stages::DRIVERS_RSRC1)),
            rsrc2: Rsrc2(rsrc2),
            user_sgprs: user.to_vec(),
            grid: Grid { groups: GROUPS, group: self.group_size(), start: [0; 3], partial: [0; 3] },
            lds_bytes: self.lds_bytes() as u32,
            scratch: Scratch { address: SCRATCH, lane_bytes: self.wave_scratch() / WAVE },
        };
        Waves::new(self.arch, registers)
    }

    /// Returns groups of a dispatch. The waves of all of them have scratch of their own.
    ///
    /// # Errors
    /// [`SetupError`] if that has no room.
    fn groups(&self, waves: &Waves, ids: &[[u32; 3]]) -> Result<Vec<Group>, SetupError> {
        let count = waves.waves(ids[0]);
        self.check_scratch(count * ids.len() as u32)?;
        let groups = (0..).zip(ids).map(|(number, &id)| {
            let mut group = group(waves, id, Order::Natural);
            for wave in &mut group.waves {
                // Worlds have no apertures for such shaders.
                wave.state.sh_mem_bases = 0;
                if waves.registers().rsrc2.scratch() {
                    // Its offset is the last of the registers.
                    wave.state.sgpr[waves.initial_sgprs() as usize - 1] += number * count * self.wave_scratch();
                }
                self.finish(&mut wave.state);
            }
            group
        });
        Ok(groups.collect())
    }

    /// Returns the wave of a graphics stage.
    fn wave(&self, user: &[u32], vgprs: &[Lanes], exec: u64) -> Wave {
        let mut state = WaveState::initial(self.arch, self.entry);
        let rsrc1 = Rsrc1(self.shader.rsrc1.unwrap_or(stages::DRIVERS_RSRC1));
        state.mode = rsrc1.mode(self.arch);
        state.set_exec(exec);
        let first = self.layout.first_user;
        state.sgpr.iter_mut().skip(first).zip(user).for_each(|(sgpr, &value)| *sgpr = value);
        for &(n, value) in self.layout.system.iter().filter(|(n, _)| *n < SGPRS) {
            state.sgpr[n] = value;
        }
        if first > 0 {
            (state.sgpr[0], state.sgpr[1]) = (RINGS as u32, self.high_half());
        }
        self.finish(&mut state);
        let mut wave = Wave { vgprs: VgprFile::with_count(rsrc1.vgprs() as usize), ..Wave::from_state(state) };
        wave.vgprs.regs_mut().iter_mut().zip(vgprs).for_each(|(register, lanes)| register.0 = *lanes);
        wave
    }

    /// Sets what neither registers of a dispatch nor user data have.
    fn finish(&self, state: &mut WaveState) {
        let behind = self.layout.first_user + self.user_sgprs;
        if let Some(fetch) = self.fetch.filter(|fetch| usize::from(fetch.sgpr) >= behind) {
            let halves = [fetch.address as u32, (fetch.address >> 32) as u32];
            state.sgpr.iter_mut().skip(fetch.sgpr.into()).zip(halves).for_each(|(sgpr, half)| *sgpr = half);
        }
        if !self.arch.is_gcn14_or_later() && self.lds_bytes() > 0 {
            state.sgpr[usize::from(reg::M0)] = self.lds_bytes() as u32;
        }
    }

    fn group_size(&self) -> [u32; 3] {
        self.shader.group.filter(stages::is_group).unwrap_or_else(|| stages::default_group(self.shader))
    }

    /// Returns the LDS of a group in bytes: for compute shaders what the file states, otherwise all that there is if
    /// the code uses any.
    fn lds_bytes(&self) -> usize {
        let most = most_lds(self.arch);
        let granule = if self.arch == Arch::Gcn10 { 256 } else { 512 };
        match self.shader.lds_bytes.filter(|_| self.stage == Stage::Compute) {
            Some(bytes) => bytes.min(most).next_multiple_of(granule) as usize,
            None if self.classes.uses_lds => most as usize,
            None => 0,
        }
    }

    /// Returns the bytes of memory that a driver fills.
    fn pieces(&self) -> Vec<WorldPiece> {
        let mut pieces = Vec::new();
        let piece = |address: u64, words: &[u32]| {
            WorldPiece::new(address, words.iter().flat_map(|word| word.to_le_bytes()).collect())
        };
        let scratch = scratch_descriptor(self.arch, self.scratch_base());
        if self.stage == Stage::Compute {
            pieces.push(piece(GRID.into(), &GROUPS));
        } else {
            let rings = (1..=6).flat_map(|n| ring_descriptor(self.arch, n));
            pieces.push(piece(RINGS, &scratch.into_iter().chain(rings).collect::<Vec<_>>()));
        }
        let first = self.layout.first_user;
        for n in (first..first + self.user_sgprs).filter(|&n| self.classes.sgprs[n] == Class::TableNearCode) {
            let table = TABLES + n as u64 * TABLE_STEP;
            let mut words: Vec<u32> = (0..NEAR_TABLE / 4).map(|i| self.world.dword(table + 4 * u64::from(i))).collect();
            if self.shader.user_data.get(n - first) == Some(&pal::GLOBAL_TABLE) {
                // The table begins with the descriptors of scratch for graphics and for compute shaders.
                words[..4].copy_from_slice(&scratch);
                words[4..8].copy_from_slice(&scratch);
            }
            pieces.push(piece(CODE & !0xffff_ffff | table, &words));
        }
        pieces
    }
}

/// Returns the number of user SGPRs of a shader that states none.
fn guessed_user_sgprs(stage: Stage, first: usize, classes: &Classes) -> usize {
    let pointers = classes.last_pointer().map_or(0, |last| (last + 1).saturating_sub(first));
    match (stage, classes.to_m0) {
        // The primitive mask, the first register behind the user SGPRs, is copied to M0.
        (Stage::Pixel, Some(mask)) => usize::from(mask).saturating_sub(first),
        // The ids of the group follow the user SGPRs.
        (Stage::Compute, _) => pointers.max(2),
        _ => pointers.max(DEFAULT_USER),
    }
}

/// Returns the descriptor of scratch. Elements are dwords, interleaved over 64 lanes.
fn scratch_descriptor(arch: Arch, [low, high]: [u32; 2]) -> [u32; 4] {
    let word3 = match arch {
        Arch::Gcn10 | Arch::Gcn11 => 0x00ea_7000,
        Arch::Gcn12 | Arch::Gfx810 => 0x00e8_0000,
        Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => 0x00e0_0000,
    };
    [low, high, u32::MAX, word3 | 0xfac]
}

/// Returns the descriptor of ring `n` as drivers write it. 1 and 2 are the ring from ES to GS, for each of the two; 3
/// and 4 are the ring from GS to VS, for VS and for GS; 5 has tessellation factors, 6 what HS hands on. The rings that
/// ES and GS write are interleaved over 64 and 16 lanes. Source: Mesa, `radv_device.c`.
fn ring_descriptor(arch: Arch, n: u32) -> [u32; 4] {
    const SWIZZLE_ENABLE: u32 = 1 << 31;
    // The format has the components XYZW of 32 bits, float.
    const FORMAT: u32 = 0xfac | 7 << 12 | 4 << 15;
    let place = match n {
        1 | 2 => 0,
        3 | 4 => 1,
        _ => n,
    };
    // Word 3 of an interleaved ring has INDEX_STRIDE, ADD_TID_ENABLE and, before GCN 1.4, elements of a dword.
    let element = if arch.is_gcn14_or_later() { 0 } else { 1 << 19 };
    let interleaved = |index_stride: u32| element | index_stride << 21 | 1 << 23;
    let (swizzle, more) = match n {
        1 => (SWIZZLE_ENABLE, interleaved(3)),
        4 => (SWIZZLE_ENABLE, interleaved(1)),
        _ => (0, 0),
    };
    // On GCN 1.2 and later, DATA_FORMAT is a part of the stride if ADD_TID_ENABLE is set.
    let format = if more != 0 && arch.is_gcn12_or_later() { FORMAT & !(15 << 15) } else { FORMAT };
    [RING + place * RING_BYTES, swizzle, RING_BYTES, format | more]
}

#[cfg(test)]
mod tests {
    use gcnsim_loader::FileBytes;
    use gcnsim_machine::world::WorldKind;

    use super::*;

    const WORLD: World = World::new(WorldKind::Float);

    fn started(arch: Arch, words: &[u32], shader: Shader) -> Setup {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        setup(&Subject::raw(FileBytes::from(bytes), arch, 0, shader), &WORLD).unwrap()
    }

    fn sgprs(setup: &Setup) -> &[u32] {
        &setup.groups[0].waves[0].state.sgpr
    }

    /// v_mov_b32 v1, 1.0; s_endpgm is run as a pixel shader that wants I, J and the front face.
    #[test]
    fn odd_variants_cover_some_pixels_only() {
        let shader = || Shader { stage: Some(Stage::Pixel), ps_input_ena: Some(0x1002), ..Shader::default() };
        let bytes = FileBytes::from([0x7e02_02f2u32, 0xbf81_0000].map(u32::to_le_bytes).concat());
        for (variant, exec, front) in [(0, u64::MAX, u32::MAX), (1, 0x7fff_ffff_ffff_fff0, 0), (2, u64::MAX, u32::MAX)]
        {
            let world = World { kind: WorldKind::Int, variant };
            let setup = setup(&Subject::raw(bytes.clone(), Arch::Gcn10, 0, shader()), &world).unwrap();
            let wave = &setup.groups[0].waves[0];
            assert_eq!((wave.state.exec(), setup.coverage, wave.vgprs.lanes(2)[9]), (exec, exec, front));
        }
    }

    /// The prologue of a vertex shader of RADV: s_mov_b32 s0, s3; s_movk_i32 s3, 0x8000; s_load_dwordx4 s[8:11],
    /// s[2:3], 0x0; v_add_u32 v0, s0, v0; s_movk_i32 s5, 0x8000; s_load_dwordx4 s[0:3], s[4:5], 0x0; s_endpgm.
    #[test]
    fn a_vertex_shader_of_radv() {
        let words = [0xbe80_0003, 0xb003_8000, 0xc00a_0201, 0, 0x6800_0000, 0xb005_8000, 0xc00a_0002, 0, 0xbf81_0000];
        let stage = Some(Stage::Vertex);
        let shader = Shader { stage, rsrc1: Some(0x002c_00c5), rsrc2: Some(0xa), ..Shader::default() };
        let setup = started(Arch::Gcn14, &words, shader);
        // The registers are the table of vertex buffers, the base vertex, and a descriptor set.
        assert_eq!(sgprs(&setup)[2..5], [0x1020_0000, 0, 0x1040_0000]);
        let wave = &setup.groups[0].waves[0];
        assert_eq!((wave.state.mode, wave.state.exec(), wave.vgprs.regs().len()), (0x1c0, u64::MAX, 24));
        assert_eq!((wave.vgprs.lanes(0)[63], wave.vgprs.lanes(1)[63], setup.lds_bytes), (63, 0, 0));
    }

    /// s_load_dwordx2 s[0:1], s[0:1], 0x0; s_endpgm: the address of scratch is the first entry of the ring table.
    #[test]
    fn scratch_is_in_the_ring_table() {
        for (arch, word, high, entry) in
            [(Arch::Gcn14, 0xc006_0000, 0xffff_8000, 0x8000_8000), (Arch::Gcn10, 0xc040_0100, 0, 0x8000_0000u32)]
        {
            let words = if arch == Arch::Gcn10 { vec![word, 0xbf81_0000] } else { vec![word, 0, 0xbf81_0000] };
            let rsrc2 = Some(2 << 1 | 1);
            let scratch = Some(20);
            let shader =
                Shader { stage: Some(Stage::Pixel), rsrc2, scratch_bytes_per_lane: scratch, ..Shader::default() };
            let setup = started(arch, &words, shader);
            // The registers are the ring table, the primitive mask, and the scratch offset of the first wave.
            assert_eq!(sgprs(&setup)[..4], [0x2000_0000, high, 0, 0]);
            let ring = &setup.pieces[0];
            let expected = [0x0800_0000u32, entry].map(u32::to_le_bytes).concat();
            assert_eq!((ring.address(), &ring.bytes()[..8]), (0x2000_0000, &expected[..]));
            assert_eq!(ring.bytes().len(), 7 * 16);
        }
    }

    /// Two waves of 100 work-items: the second one has 36, and its scratch begins after that of the first one. 20 bytes
    /// for each of 64 lanes are 1280, rounded up to 2048.
    #[test]
    fn waves_of_a_compute_shader() {
        let shader = Shader {
            stage: Some(Stage::Compute),
            rsrc2: Some(1 | 2 << 1 | 7 << 7 | 1 << 10 | 1 << 11),
            scratch_bytes_per_lane: Some(20),
            group: Some([10, 10, 1]),
            lds_bytes: Some(700),
            ..Shader::default()
        };
        let setup = started(Arch::Gcn12, &[0xbf81_0000], shader);
        let ids: Vec<_> = setup.groups.iter().map(|group| (group.id, group.waves.len())).collect();
        assert_eq!((ids, setup.lds_bytes), (vec![([0; 3], 2), ([1; 3], 2)], 1024));
        let wave = &setup.groups[1].waves[1];
        // The registers are the address of scratch, the id of the group, the group info with the number of this wave,
        // and the offset of its scratch.
        assert_eq!(wave.state.sgpr[..7], [0x0800_0000, 0x8000_0000, 1, 1, 1, 2 | 1 << 6, 3 * 2048]);
        assert_eq!(wave.state.exec(), (1 << 36) - 1);
        assert_eq!((wave.vgprs.lanes(0)[35], wave.vgprs.lanes(1)[35], wave.vgprs.lanes(1)[0]), (9, 9, 6));
        assert_eq!(setup.pieces[0].bytes(), [4, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0]);
    }

    #[test]
    fn groups_of_detailed_worlds_have_other_places() {
        let shader = || Shader { stage: Some(Stage::Compute), rsrc2: Some(2 << 1 | 7 << 7), ..Shader::default() };
        for (variant, expected) in [(3, [[0, 0, 0], [1, 1, 1]]), (4, [[1, 2, 1], [3, 1, 0]])] {
            let code = FileBytes::from(0xbf81_0000u32.to_le_bytes().to_vec());
            let world = World { variant, ..WORLD };
            let setup = setup(&Subject::raw(code, Arch::Gcn12, 0, shader()), &world).unwrap();
            let found = setup.groups.iter().map(|group| (group.id, &group.waves[0].state.sgpr[2..5]));
            assert!(found.eq(expected.iter().map(|id| (*id, &id[..]))), "{variant}");
        }
    }

    /// Two groups of 16 waves with 64 KiB for each of 64 lanes need 128 MiB, which is all that there is.
    #[test]
    fn scratch_of_all_waves_has_room() {
        let with = |lane: u32, items: u32| {
            let shader = Shader {
                stage: Some(Stage::Compute),
                rsrc2: Some(1),
                scratch_bytes_per_lane: Some(lane),
                group: Some([items, 1, 1]),
                ..Shader::default()
            };
            let code = FileBytes::from(0xbf81_0000u32.to_le_bytes().to_vec());
            setup(&Subject::raw(code, Arch::Gcn12, 0, shader), &WORLD).map(|setup| setup.groups[0].waves.len())
        };
        assert_eq!(with(64 << 10, 1024), Ok(16));
        let what = "scratch of 32 waves, 4112 KiB each, is more than 128 MiB".into();
        assert_eq!(with((64 << 10) + 256, 1024), Err(SetupError::Contradiction { what }));
        assert!(with(128 << 10, 1024).is_err() && with(128 << 10, 512) == Ok(8));
    }

    /// s_load_dwordx4 s[4:7], s[4:5], 0x0 with s[4:5] given: a pointer to the number of groups.
    #[test]
    fn the_grid_of_a_compute_shader() {
        let shader = Shader { stage: Some(Stage::Compute), rsrc2: Some(6 << 1), ..Shader::default() };
        let setup = started(Arch::Gcn14, &[0xc00a_0102, 0, 0xbf81_0000], shader);
        assert_eq!(sgprs(&setup)[4..6], [GRID, 0]);
        assert_eq!(setup.pieces[0].address(), u64::from(GRID));
    }
}
