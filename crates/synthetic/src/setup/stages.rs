//! The registers that the hardware sets for each stage, beside the user data
//! (docs/gcn/graphics.md#initial-registers-of-stages).

use gcnsim_isa::kernel::Rsrc2;
use gcnsim_isa::{Arch, LANES};
use gcnsim_loader::{Shader, Stage};
use gcnsim_machine::world::World;

/// Returns SPI_PS_INPUT_ADDR of a pixel shader for which nobody states it: I and J at as many places as `interpolants`
/// VGPRs have room for, at least at the centre of pixels, and the position.
pub fn guessed_inputs(interpolants: u32) -> u32 {
    let places = match interpolants {
        0..=2 => 1 << 1,
        3..=4 => 0b11,
        5..=6 => 0b111,
        7..=8 => 0b1_0111,
        9..=10 => 0b11_0111,
        _ => 0b111_0111,
    };
    places | 0xf << 8
}

/// Number of threads in each part of a merged shader, and one wave in the group.
const MERGED_WAVE_INFO: u32 = 64 | 64 << 8 | 1 << 28;
/// The number of vertices of a wave, in the word that configures streamout.
const STREAMOUT_CONFIG: u32 = 64 << 16;

/// The input of a pixel that is sample 1 of layer 2.
const SAMPLE_AND_LAYER: u32 = 1 << 8 | 2 << 16;

/// The lanes of pixels that a primitive covers in worlds of odd variants. They are not whole quads.
pub const PARTLY_COVERED: u64 = 0x7fff_ffff_ffff_fff0;

/// The places of a stage's SGPRs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The first SGPR with user data. Merged stages have system values before it.
    pub first_user: usize,
    /// The system values, each with its SGPR.
    pub system: Vec<(usize, u32)>,
}

/// Whether the hardware runs two shaders as one program on this stage.
pub fn is_merged(stage: Stage, arch: Arch) -> bool {
    arch.is_gcn14_or_later() && matches!(stage, Stage::Hull | Stage::Geometry)
}

/// Returns the layout of a graphics stage for a number of user SGPRs. There is one wave, so all offsets are 0.
pub fn layout(stage: Stage, arch: Arch, shader: &Shader, user_sgprs: usize) -> Layout {
    let rsrc2 = shader.rsrc2.unwrap_or(0);
    let has = |bit: u32| rsrc2 >> bit & 1 == 1;
    if is_merged(stage, arch) {
        // In HS the values around the wave info are the off-chip offset and the offset of tess factors; in GS they are
        // two other offsets. The offset of scratch follows.
        let values = [0, MERGED_WAVE_INFO, 0, 0];
        return Layout { first_user: 8, system: (2..).zip(values).collect() };
    }
    let mut system = Vec::new();
    match stage {
        Stage::Vertex | Stage::Evaluation | Stage::Copy => {
            if has(12) {
                system.extend([STREAMOUT_CONFIG, 0]);
            } else if stage == Stage::Evaluation {
                system.push(0);
            }
            system.extend((8..12).filter(|&bit| has(bit)).map(|_| 0));
            if stage == Stage::Evaluation {
                system.push(0);
            }
        }
        Stage::Hull | Stage::Geometry => system.extend([0, 0]),
        Stage::Export => {
            if has(7) {
                system.extend([0, 0]);
            }
            system.push(0);
        }
        // The primitive mask is 0, because all quads are of one primitive. Counts of waves follow if they are wanted.
        Stage::Pixel => {
            system.push(0);
            system.extend([7, 25].into_iter().filter(|&bit| has(bit)).map(|_| 0));
        }
        Stage::Local | Stage::Compute => {}
    }
    system.extend(has(0).then_some(0));
    Layout { first_user: 0, system: (user_sgprs..).zip(system).collect() }
}

/// The lanes of a VGPR.
pub type Lanes = [u32; LANES];

fn lanes(value: impl Fn(u32) -> u32) -> Lanes {
    std::array::from_fn(|lane| value(lane as u32))
}

/// Returns the first VGPRs of a graphics stage.
pub fn vgprs(stage: Stage, arch: Arch, shader: &Shader, world: &World) -> Vec<Lanes> {
    let merged = is_merged(stage, arch);
    match stage {
        Stage::Vertex | Stage::Export => {
            let count = shader.rsrc1.map_or(4, |rsrc1| (rsrc1 >> 24 & 3) + 1);
            vertex().into_iter().take(count as usize).collect()
        }
        Stage::Copy => vec![lanes(|lane| lane)],
        Stage::Evaluation => {
            let [u, v] = [0, 1].map(|axis| lanes(|lane| barycentric(pixel(lane)[axis])));
            vec![u, v, lanes(|lane| lane / 16), lanes(|lane| lane / 16)]
        }
        Stage::Local => local(),
        Stage::Hull if merged => [hull(), local()].concat(),
        Stage::Hull => hull(),
        Stage::Geometry if merged => {
            // Offsets of vertices come in pairs of 16 bits. Each primitive has vertices of its own.
            let pair = |k: u32| lanes(move |lane| (offset(lane, k) & 0xffff) | offset(lane, k + 1) << 16);
            [vec![pair(0), pair(2), lanes(|lane| lane), lanes(|_| 0), pair(4)], vertex()].concat()
        }
        Stage::Geometry => {
            let of = |k: u32| lanes(move |lane| offset(lane, k));
            vec![of(0), of(1), lanes(|lane| lane), of(2), of(3), of(4), of(5), lanes(|_| 0)]
        }
        Stage::Pixel => pixel_inputs(shader, world),
        Stage::Compute => Vec::new(),
    }
}

/// Returns the inputs of a vertex shader: vertex, instance, primitive, and an unused register.
fn vertex() -> Vec<Lanes> {
    vec![lanes(|lane| lane), lanes(|lane| lane / 16), lanes(|lane| lane / 3), lanes(|_| 0)]
}

/// Returns the inputs of a local shader: the vertex, its number in the group, which decides its place in LDS, and the
/// instance.
fn local() -> Vec<Lanes> {
    vec![lanes(|lane| lane), lanes(|lane| lane), lanes(|lane| lane / 16)]
}

/// Returns the inputs of a hull shader: the patch; the patch and the control point. Patches have four control points. A
/// shader for more of them reads those of the next patch, but none that does not exist.
fn hull() -> Vec<Lanes> {
    vec![lanes(|lane| lane / 4), lanes(|lane| (lane / 4) | (lane % 4) << 8)]
}

/// Returns the offset of vertex `k` of a lane's primitive, in dwords.
fn offset(lane: u32, k: u32) -> u32 {
    4 * (3 * lane + k)
}

/// Returns the pixel of a lane. The 64 pixels are 16 quads, four of them in a row.
fn pixel(lane: u32) -> [u32; 2] {
    let quad = lane / 4;
    [2 * (quad % 4) + (lane & 1), 2 * (quad / 4) + (lane >> 1 & 1)]
}

/// Returns I or J of a pixel with the coordinate `at`.
fn barycentric(at: u32) -> u32 {
    ((1 + 2 * at) as f32 / 32.0).to_bits()
}

/// Returns I and J of a pixel in detailed worlds, where both depend on both coordinates. With linear interpolation
/// (`is_linear`) they are others than with perspective.
fn slanted([x, y]: [u32; 2], is_linear: bool) -> [u32; 2] {
    let first = if is_linear { 2 } else { 1 };
    [first + 2 * x + y, first + 2 * y + x].map(|at| (at as f32 / 64.0).to_bits())
}

/// Returns the VGPRs of the inputs in SPI_PS_INPUT_ADDR. Inputs that are not in SPI_PS_INPUT_ENA are 0. Worlds of odd
/// variants show the back of a primitive. In detailed worlds few inputs are 0 or the same as others.
fn pixel_inputs(shader: &Shader, world: &World) -> Vec<Lanes> {
    let addr = shader.ps_input_addr.or(shader.ps_input_ena).unwrap_or(guessed_inputs(0));
    let ena = shader.ps_input_ena.unwrap_or(addr);
    let (is_back, is_detailed) = (world.variant % 2 == 1, world.is_detailed());
    let all = |value: f32| lanes(move |_| value.to_bits());
    let at = |is_linear: bool, axis: usize| {
        lanes(|lane| match is_detailed {
            true => slanted(pixel(lane), is_linear)[axis],
            false => barycentric(pixel(lane)[axis]),
        })
    };
    let (z, w) = if is_detailed { (0.75, 2.0) } else { (0.5, 1.0) };
    let centre = |at: u32| (at as f32 + 0.5).to_bits();
    let mut found = Vec::new();
    for bit in (0..16).filter(|bit| addr >> bit & 1 == 1) {
        let registers = match bit {
            0..=2 => vec![at(false, 0), at(false, 1)],
            3 => vec![at(false, 0), at(false, 1), all(1.0)],
            4..=6 => vec![at(true, 0), at(true, 1)],
            8 => vec![lanes(|lane| centre(pixel(lane)[0]))],
            9 => vec![lanes(|lane| centre(pixel(lane)[1]))],
            10 => vec![all(z)],
            11 => vec![all(w)],
            12 => vec![lanes(|_| if is_back { 0 } else { u32::MAX })],
            13 if is_detailed => vec![lanes(|_| SAMPLE_AND_LAYER)],
            14 => vec![lanes(|_| if is_detailed { 15 } else { 1 })],
            15 => vec![lanes(|lane| pixel(lane)[0] | pixel(lane)[1] << 16)],
            // The inputs are line stipple and, outside of detailed worlds, the number of the sample.
            _ => vec![[0; LANES]],
        };
        let is_loaded = ena >> bit & 1 == 1;
        found.extend(registers.into_iter().map(|register| if is_loaded { register } else { [0; LANES] }));
    }
    found
}

/// Whether a group may have so many work-items.
pub fn is_group(sizes: &[u32; 3]) -> bool {
    let items = sizes.iter().fold(1u64, |items, &size| items.saturating_mul(size.into()));
    (1..=1024).contains(&items)
}

/// Returns the size of a group that nobody states: 64 work-items, in as many dimensions as local ids are wanted.
pub fn default_group(shader: &Shader) -> [u32; 3] {
    match shader.rsrc2.map_or(1, |rsrc2| Rsrc2(rsrc2).local_ids()) {
        1 => [64, 1, 1],
        2 => [8, 8, 1],
        _ => [4, 4, 4],
    }
}

/// RSRC1 of a shader for which nobody states it: all VGPRs, and the modes that drivers set for all shaders.
pub const DRIVERS_RSRC1: u32 = 0x3f | 0xc0 << 12 | 1 << 21;

#[cfg(test)]
mod tests {
    use gcnsim_machine::world::WorldKind;

    use super::*;

    const FRONT: World = World::new(WorldKind::Float);
    const BACK: World = World { variant: 1, ..FRONT };

    fn pixel_shader(ena: u32, addr: u32) -> Shader {
        Shader { ps_input_ena: Some(ena), ps_input_addr: Some(addr), ..Shader::default() }
    }

    /// Lane 30 is in quad 7: pixel (6, 3). I = 13/32, J = 7/32.
    #[test]
    fn inputs_of_pixels() {
        let vgprs = vgprs(Stage::Pixel, Arch::Gcn14, &pixel_shader(0x9f02, 0x9f02), &FRONT);
        let lane: Vec<u32> = vgprs.iter().map(|vgpr| vgpr[30]).collect();
        let floats = [0.40625f32, 0.21875, 6.5, 3.5, 0.5, 1.0].map(f32::to_bits);
        assert_eq!(lane, [&floats[..], &[u32::MAX, 6 | 3 << 16]].concat());
        let expected = [1.0 / 32.0, 3.0 / 32.0, 1.0 / 32.0, 3.0 / 32.0].map(f32::to_bits);
        assert_eq!(vgprs[0][..4], expected, "a quad");
    }

    /// Lane 30 is pixel (6, 3), of the back. I = (1 + 12 + 3) / 64, J = (1 + 6 + 6) / 64; of linear interpolation 1/64
    /// more.
    #[test]
    fn inputs_of_pixels_in_detailed_worlds() {
        let world = World { variant: 7, ..FRONT };
        let found = vgprs(Stage::Pixel, Arch::Gcn12, &pixel_shader(0x7c22, 0x7c22), &world);
        let floats = [0.25f32, 0.203125, 0.265625, 0.21875, 0.75, 2.0].map(f32::to_bits);
        let lane: Vec<u32> = found.iter().map(|vgpr| vgpr[30]).collect();
        assert_eq!(lane, [&floats[..], &[0, 0x2_0100, 15]].concat());
    }

    /// I and J take two VGPRs for each place, and x of the position follows.
    #[test]
    fn guessed_inputs_have_room_for_what_is_used() {
        for (interpolants, x) in [(0, 2), (2, 2), (4, 4), (5, 6), (8, 8), (12, 12)] {
            let inputs = guessed_inputs(interpolants);
            let found = vgprs(Stage::Pixel, Arch::Gcn12, &pixel_shader(inputs, inputs), &FRONT);
            assert_eq!((found.len(), found[x][63]), (x + 4, 7.5f32.to_bits()), "{interpolants}");
            assert!((0..x).all(|n| found[n][63] == 0.46875f32.to_bits()), "{interpolants}: 15/32");
        }
    }

    #[test]
    fn inputs_without_contents_have_registers() {
        // The perspective sample and centre have room; only the centre is loaded.
        let found = vgprs(Stage::Pixel, Arch::Gcn14, &pixel_shader(2, 3), &FRONT);
        assert_eq!((found.len(), found[0][5], found[2][0]), (4, 0, 0.03125f32.to_bits()));
        let pull = vgprs(Stage::Pixel, Arch::Gcn10, &pixel_shader(8, 8), &BACK);
        assert_eq!((pull.len(), pull[2][0]), (3, 1f32.to_bits()));
    }

    #[test]
    fn registers_of_vertex_and_geometry_shaders() {
        let with = |rsrc2| Shader { rsrc2: Some(rsrc2), ..Shader::default() };
        // Streamout with one buffer has a configuration, a write index and an offset.
        let found = layout(Stage::Vertex, Arch::Gcn12, &with(1 << 12 | 1 << 8), 3);
        assert_eq!(found.system, [(3, 64 << 16), (4, 0), (5, 0)]);
        let found = layout(Stage::Geometry, Arch::Gcn14, &with(1), 3);
        assert_eq!((found.first_user, found.system[1], found.system.len()), (8, (3, 0x1000_4040), 4));
        assert_eq!(layout(Stage::Geometry, Arch::Gcn12, &with(0), 3).first_user, 0);
    }

    #[test]
    fn vgprs_of_vertex_stages() {
        let with = |count: u32| Shader { rsrc1: Some(count << 24), ..Shader::default() };
        let found = vgprs(Stage::Vertex, Arch::Gcn11, &with(1), &FRONT);
        assert_eq!((found.len(), found[0][37], found[1][37]), (2, 37, 2));
        let found = vgprs(Stage::Hull, Arch::Gcn14, &with(0), &FRONT);
        assert_eq!((found.len(), found[1][7], found[2][7], found[3][7]), (5, 1 | 3 << 8, 7, 7));
        let found = vgprs(Stage::Geometry, Arch::Gcn14, &with(0), &FRONT);
        assert_eq!((found.len(), found[0][2], found[5][9]), (9, 24 | 28 << 16, 9));
        for stage in Stage::ALL {
            for arch in [Arch::Gcn10, Arch::Gcn14] {
                let is_empty = vgprs(stage, arch, &Shader::default(), &FRONT).is_empty();
                assert_eq!(is_empty, stage == Stage::Compute, "{stage}");
            }
        }
    }
}
