"""Compute shaders on images: stores, loads, atomics, sampling, volumes and cubes."""

from .base import bits_of, f16
from .compute import compute, group, storage
from .images import FLOAT, REPEAT, SINT, UINT, UNORM, Image, combined, linear
from .pixel_texture import SAMPLING


def tile(s):
    """Local ids of a group of 8 x 8."""
    s.v(0, lambda lane: lane % 8)
    s.v(1, lambda lane: lane // 8)


TILE = """
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        s_load_dwordx8 s[24:31], s[2:3], off(0x20)
        s_lshl_b32 s8, s8, 3
        s_lshl_b32 s9, s9, 3
        v_iadd v0, s8, v0
        v_iadd v1, s9, v1
        s_waitcnt lgkmcnt(0)
"""


@compute
def fill_gradient(s):
    """Colours by position into RGBA8, with bounds that do not fit the group."""
    image = Image(s, "2d", 13, 11, texels=lambda *_: 0x55AA_55AA)
    group(s, image.words, [0] * 8, group_id=(1, 1, 0))
    tile(s)
    s.text(TILE + """
        v_cvt_f32_u32 v4, v0
        v_cvt_f32_u32 v5, v1
        v_mul_f32 v4, 0x3d800000, v4
        v_mul_f32 v5, 0x3d800000, v5
        v_mov_b32 v6, -1.0
        v_mov_b32 v7, 2.0
        image_store v[4:7], v[0:1], s[16:23] dmask:0xf unorm
        s_endpgm""")
    s.doubts.add("image-outside")
    byte = lambda x: round(x / 16 * 255)
    image.stored({(0, 0, x, y): byte(x) | byte(y) << 8 | 255 << 24 for x in range(8, 13) for y in range(8, 11)})


@compute
def invert(s):
    """Load, change, store, of different formats: RGBA8 uint to RGBA16 sint."""
    source = Image(s, "2d", 8, 8, nfmt=UINT)
    target = Image(s, "2d", 8, 8, dfmt=12, nfmt=SINT, texels=lambda *_: 0)
    group(s, source.words, target.words, mask=0xFFFF_FFFF_FFFF_0FFF)
    tile(s)
    s.text(TILE + """
        image_load v[4:7], v[0:1], s[16:23] dmask:0xf unorm
        s_waitcnt vmcnt(0)
        s_movk_i32 s4, 0x64
        v_isub v4, s4, v4
        v_isub v5, s4, v5
        v_isub v6, s4, v6
        v_isub v7, s4, v7
        image_store v[4:7], v[0:1], s[24:31] dmask:0xf unorm
        s_endpgm""")
    changes = {}
    for lane in s.lanes():
        x, y = lane % 8, lane // 8
        changes[0, 0, x, y] = sum((100 - c & 0xFFFF) << 16 * k for k, c in enumerate(source.texel(x, y)))
    target.stored(changes)


@compute
def image_atomics(s):
    """A histogram in an image: counts, and the greatest lane of each bin."""
    image = Image(s, "2d", 8, 2, dfmt=4, nfmt=UINT, texels=lambda l, p, x, y: 7 if y == 0 else 0)
    bins = [s.rnd.randrange(8) for _ in range(64)]
    group(s, image.words, mask=0x8FFF_FFFF_0FFF_FFFF)
    s.v(4, lambda lane: bins[lane])
    s.text("""
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        v_mov_b32 v5, 0
        v_mov_b32 v6, 1
        s_waitcnt lgkmcnt(0)
        image_atomic_add v6, v[4:5], s[16:23] dmask:0x1 unorm
        v_mov_b32 v5, 1
        image_atomic_umax v0, v[4:5], s[16:23] dmask:0x1 unorm
        s_endpgm""")
    changes = {}
    for k in range(8):
        mine = [lane for lane in s.lanes() if bins[lane] == k]
        changes[0, 0, k, 0] = 7 + len(mine)
        changes[0, 0, k, 1] = max(mine, default=0)
    image.stored(changes)


@compute
def box_blur(s):
    """Nine loads around each texel, with coordinates clamped to the image."""
    source = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT)
    target = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT, texels=lambda *_: 0)
    group(s, source.words, target.words)
    tile(s)
    text = TILE + "v_mov_b32 v6, 0\n"
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            text += f"""
        v_iadd v2, {dx}, v0
        v_iadd v3, {dy}, v1
        v_med3_i32 v2, v2, 0, 7
        v_med3_i32 v3, v3, 0, 7
        image_load v4, v[2:3], s[16:23] dmask:0x1 unorm
        s_waitcnt vmcnt(0)
        v_add_f32 v6, v6, v4"""
    s.text(text + """
        v_mul_f32 v6, 0x3e000000, v6
        image_store v6, v[0:1], s[24:31] dmask:0x1 unorm
        s_endpgm""")
    clamp = lambda t: min(max(t, 0), 7)
    s.doubts.add("mimg-store-dmask")
    target.stored({(0, 0, x, y): bits_of(sum(source.texel(clamp(x + i), clamp(y + j))[0]
                                             for i in (-1, 0, 1) for j in (-1, 0, 1)) / 8)
                   for x in range(8) for y in range(8)})


@compute
def downsample(s):
    """The next level of a mip chain: a bilinear sample between four texels, stored through a view of level 1."""
    image = Image(s, "2d", 16, 16, levels=2, dfmt=14, nfmt=FLOAT)
    group(s, combined(image, linear()), image.sharp_of(image.base & (1 << 48) - 1, base_level=1))
    tile(s)
    s.text("""
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        s_load_dwordx4 s[4:7], s[2:3], off(0x50)
        s_load_dwordx8 s[24:31], s[2:3], off(0x60)
        v_cvt_f32_u32 v2, v0
        v_cvt_f32_u32 v3, v1
        v_add_f32 v2, 0.5, v2
        v_add_f32 v3, 0.5, v3
        v_mul_f32 v2, 0x3e000000, v2
        v_mul_f32 v3, 0x3e000000, v3
        s_waitcnt lgkmcnt(0)
        image_sample_lz v[4:7], v[2:3], s[16:23], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)
        image_store v[4:7], v[0:1], s[24:31] dmask:0xf unorm
        s_endpgm""")
    s.doubts |= {SAMPLING, "mip-layout"}

    def mean(x, y, c):
        return sum(image.texel(2 * x + i, 2 * y + j)[c] for i in (0, 1) for j in (0, 1)) / 4
    image.stored({(1, 0, x, y): sum(bits_of(mean(x, y, c)) << 32 * c for c in range(4))
                  for x in range(8) for y in range(8)})


@compute
def volume_store(s):
    """A 3D storage image, addressed without DA, and read back."""
    image = Image(s, "3d", 4, 4, depth=4, dfmt=4, nfmt=UINT, texels=lambda *_: 9)
    target, out = storage(s, bytes(256))
    group(s, image.words, out)
    s.v(0, lambda lane: lane % 4)
    s.v(1, lambda lane: lane // 4 % 4)
    s.v(2, lambda lane: lane // 16)
    s.text("""
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        s_load_dwordx4 s[24:27], s[2:3], off(0x20)
        v_lshlrev_b32 v4, 8, v2
        v_lshlrev_b32 v5, 4, v1
        v_or_b32 v4, v4, v5
        v_or_b32 v4, v4, v0
        v_lshlrev_b32 v6, 4, v2
        v_lshlrev_b32 v7, 2, v1
        v_or_b32 v6, v6, v7
        v_or_b32 v6, v6, v0
        v_lshlrev_b32 v6, 2, v6
        s_waitcnt lgkmcnt(0)
        image_store v4, v[0:2], s[16:23] dmask:0x1 unorm
        s_waitcnt vmcnt(0)
        v_xor_b32 v8, 3, v0
        v_xor_b32 v9, 3, v1
        v_xor_b32 v10, 3, v2
        image_load v5, v[8:10], s[16:23] dmask:0x1 unorm
        s_waitcnt vmcnt(0)
        buffer_store_dword v5, v6, s[24:27], 0 offen
        s_endpgm""")
    value = lambda x, y, z: z << 8 | y << 4 | x
    every = [(k % 4, k // 4 % 4, k // 16) for k in range(64)]
    s.doubts.add("mimg-store-dmask")
    image.stored({(0, z, x, y): value(x, y, z) for x, y, z in every})
    s.leaves(target, [value(3 - x, 3 - y, 3 - z) for x, y, z in every])


@compute
def cube_faces(s):
    """Faces of a cube array as layers of a 2D array: loads with slice = 6 cube + face."""
    image = Image(s, "2d-array", 4, 4, layers=12, dfmt=5, nfmt=UINT)
    target, out = storage(s, bytes(8 * 64))
    group(s, image.words, out)
    places = [(s.rnd.randrange(4), s.rnd.randrange(4), s.rnd.randrange(6), s.rnd.randrange(2)) for _ in range(64)]
    for k in range(4):
        s.v(4 + k, lambda lane, k=k: places[lane][k])
    s.text("""
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        s_load_dwordx4 s[24:27], s[2:3], off(0x20)
        v_mul_u32_u24 v7, 6, v7
        v_iadd v6, v6, v7
        v_lshlrev_b32 v0, 3, v0
        s_waitcnt lgkmcnt(0)
        image_load v[8:9], v[4:6], s[16:23] dmask:0x3 unorm da
        s_waitcnt vmcnt(0)
        buffer_store_dwordx2 v[8:9], v0, s[24:27], 0 offen
        s_endpgm""")
    s.leaves(target, [c for x, y, face, cube in places for c in image.texel(x, y, plane=6 * cube + face)[:2]])


@compute
def one_dimensional(s):
    """A 1D image: one coordinate; gfx9 binds it as 2D with y = 0."""
    kind = "2d" if s.gen == 9 else "1d"
    source = Image(s, kind, 64, 1, dfmt=2, nfmt=FLOAT)
    target = Image(s, kind, 64, 1, dfmt=2, nfmt=FLOAT, texels=lambda *_: 0)
    group(s, source.words, target.words)
    s.text("""
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        s_load_dwordx8 s[24:31], s[2:3], off(0x20)
        v_mov_b32 v1, 0
        v_mov_b32 v5, 0
        v_mov_b32 v4, 63
        v_xor_b32 v4, v4, v0
        s_waitcnt lgkmcnt(0)
        [678] image_load v6, v0, s[16:23] dmask:0x1 unorm
        [9] image_load v6, v[0:1], s[16:23] dmask:0x1 unorm
        s_waitcnt vmcnt(0)
        v_mul_f32 v6, 0.5, v6
        [678] image_store v6, v4, s[24:31] dmask:0x1 unorm
        [9] image_store v6, v[4:5], s[24:31] dmask:0x1 unorm
        s_endpgm""")
    s.doubts.add("mimg-store-dmask")
    target.stored({(0, 0, 63 - x, 0): f16(source.texel(x)[0] / 2) for x in range(64)})


@compute
def tone_map(s):
    """A bilinear sample at places of a buffer, clamped and packed to 10_10_10_2."""
    image = Image(s, "2d", 8, 8, dfmt=12, nfmt=FLOAT)
    target = Image(s, "2d", 8, 8, dfmt=9, nfmt=UNORM, texels=lambda *_: 0xFFFF_FFFF)
    places = [(s.rnd.randrange(-64, 192) / 128, s.rnd.randrange(-64, 192) / 128) for _ in range(64)]
    group(s, combined(image, linear(REPEAT)), target.words, s.buffer(s.data([x for p in places for x in p]), 512))
    tile(s)
    s.text("""
        pointer s3
        s_load_dwordx8 s[16:23], s[2:3], off(0x0)
        s_load_dwordx4 s[4:7], s[2:3], off(0x50)
        s_load_dwordx8 s[24:31], s[2:3], off(0x60)
        s_load_dwordx4 s[12:15], s[2:3], off(0x80)
        v_lshlrev_b32 v2, 3, v1
        v_or_b32 v2, v2, v0
        v_lshlrev_b32 v2, 3, v2
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[2:3], v2, s[12:15], 0 offen
        s_waitcnt vmcnt(0)
        image_sample_lz v[4:6], v[2:3], s[16:23], s[4:7] dmask:0x7
        s_waitcnt vmcnt(0)
        v_mul_f32 v4, 0.5, v4
        v_mul_f32 v5, 0.5, v5
        v_mul_f32 v6, 0.5, v6
        v_mov_b32 v7, 1.0
        image_store v[4:7], v[0:1], s[24:31] dmask:0xf unorm
        s_endpgm""")
    s.doubts.add(SAMPLING)

    def texel(lane):
        colour = [min(max(c / 2, 0.0), 1.0) for c in image.bilinear(*places[lane], wrap=REPEAT)[:3]]
        fields = [round(c * 1023) for c in colour]
        assert all(abs(c * 1023 - n) < 0.499 for c, n in zip(colour, fields))
        return fields[0] | fields[1] << 10 | fields[2] << 20 | 3 << 30
    target.stored({(0, 0, lane % 8, lane // 8): texel(lane) for lane in range(64)})
