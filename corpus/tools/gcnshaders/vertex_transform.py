"""Vertex shaders that compute: matrices, constants, textures, positions and what else they export."""

import math

from .base import bits_of, dwords
from .images import FLOAT, Image, combined, linear
from .vertices import WAVES, Attributes, floats, vertex, wave


def times(matrix, vector):
    """A matrix of four columns times a vector."""
    return [sum(matrix[4 * k + r] * vector[k] for k in range(4)) for r in range(4)]


@vertex
def full_screen_triangle(s):
    """Three vertices out of the vertex id: no buffers at all."""
    wave(s, 0x7)
    s.s(2, 0)
    s.text("""
        s_setprio 3
        v_iadd v0, s2, v0
        v_lshlrev_b32 v1, 1, v0
        v_and_b32 v1, 2, v1
        v_and_b32 v2, 2, v0
        v_cvt_f32_i32 v1, v1
        v_cvt_f32_i32 v2, v2
        v_mad_f32 v3, v1, 2.0, -1.0
        v_mad_f32 v4, v2, -2.0, 1.0
        v_mov_b32 v5, 0
        v_mov_b32 v6, 1.0
        exp pos0 v3, v4, v5, v6 done
        exp param0 v1, v2, off, off
        s_endpgm""")
    s.export("pos0", lambda k: [(-1.0, 3.0, -1.0)[k], (1.0, 1.0, -3.0)[k], 0.0, 1.0], done=True)
    s.export("param0", lambda k: [(0.0, 2.0, 0.0)[k], (0.0, 0.0, 2.0)[k]])


@vertex
def matrix_from_uniforms(s):
    """Position times a matrix of a uniform buffer; the colour goes through."""
    wave(s, WAVES[0])
    rows = [floats(s.rnd, 7) for _ in range(24)]
    matrix = floats(s.rnd, 16, unit=4)
    attributes = Attributes(s, rows)
    ubo = s.data(floats(s.rnd, 12) + matrix)
    s.s(2, s.table(attributes.sharp), 0, s.table(bytes(32), s.buffer(ubo, 112)))
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx4 s[12:15], s[4:5], off(0x20)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        load3 v4, v0, s[8:11], 0 idxen offset:0
        buffer_load_dwordx4 v[8:11], v0, s[8:11], 0 idxen offset:12
        s_buffer_load_dwordx16 s[16:31], s[12:15], off(0x30)
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_mov_b32 v0, s28
        v_mov_b32 v1, s29
        v_mov_b32 v2, s30
        v_mov_b32 v3, s31
        v_mac_f32 v0, s16, v4
        v_mac_f32 v1, s17, v4
        v_mac_f32 v2, s18, v4
        v_mac_f32 v3, s19, v4
        v_mac_f32 v0, s20, v5
        v_mac_f32 v1, s21, v5
        v_mac_f32 v2, s22, v5
        v_mac_f32 v3, s23, v5
        v_mac_f32 v0, s24, v6
        v_mac_f32 v1, s25, v6
        v_mac_f32 v2, s26, v6
        v_mac_f32 v3, s27, v6
        exp pos0 v0, v1, v2, v3 done
        exp param0 v8, v9, v10, v11
        s_endpgm""")
    s.export("pos0", lambda lane: times(matrix, rows[lane][:3] + [1.0]), done=True)
    s.export("param0", lambda lane: rows[lane][3:])


@vertex
def normals(s):
    """A normal, turned by three rows of a matrix and normalised; fused multiply-adds."""
    wave(s, WAVES[2])
    rows = [floats(s.rnd, 3, 8, 64) for _ in range(16)]
    matrix = floats(s.rnd, 12, 1, 16)
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp), 0, s.table(matrix))
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx8 s[16:23], s[4:5], off(0x0)
        s_load_dwordx4 s[24:27], s[4:5], off(0x20)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        load3 v4, v0, s[8:11], 0 idxen offset:0
        v_mov_b32 v0, 0
        v_mov_b32 v1, 1.0
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v1 done
        v_mul_f32 v7, s16, v4
        v_fma_f32 v7, s17, v5, v7
        v_fma_f32 v7, s18, v6, v7
        v_mul_f32 v8, s20, v4
        v_fma_f32 v8, s21, v5, v8
        v_fma_f32 v8, s22, v6, v8
        v_mul_f32 v9, s24, v4
        v_fma_f32 v9, s25, v5, v9
        v_fma_f32 v9, s26, v6, v9
        v_mul_f32 v10, v7, v7
        v_fma_f32 v10, v8, v8, v10
        v_fma_f32 v10, v9, v9, v10
        v_rsq_f32 v10, v10
        v_mul_f32 v7, v7, v10
        v_mul_f32 v8, v8, v10
        v_mul_f32 v9, v9, v10
        exp param0 v7, v8, v9, off
        s_endpgm""")

    def normal(lane):
        n = [sum(matrix[4 * r + k] * rows[lane][k] for k in range(3)) for r in range(3)]
        return [x / math.sqrt(sum(y * y for y in n)) for x in n]
    s.export("pos0", lambda lane: rows[lane] + [1.0], done=True)
    s.export("param0", normal)
    s.close("param0", "f32", ulp=16)


@vertex
def skinning(s):
    """Two bones of a palette, chosen for each vertex, mixed by a weight."""
    wave(s, WAVES[2])
    bones = [floats(s.rnd, 12, unit=4) for _ in range(5)]
    rows = [floats(s.rnd, 3) + [s.rnd.randrange(5), s.rnd.randrange(5)] + floats(s.rnd, 1, 0, 8) for _ in range(16)]
    attributes = Attributes(s, rows)
    palette = s.data([x for bone in bones for x in bone])
    s.s(2, s.table(attributes.sharp), 0, s.table(s.buffer(palette, 48 * 5)))
    text = """
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx4 s[12:15], s[4:5], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        load3 v1, v0, s[8:11], 0 idxen offset:0
        load3 v4, v0, s[8:11], 0 idxen offset:12
        s_waitcnt vmcnt(0)
        v_mul_u32_u24 v4, 48, v4
        v_mul_u32_u24 v5, 48, v5
        v_sub_f32 v7, 1.0, v6
        """
    for r in range(3):
        text += f"""
        buffer_load_dwordx4 v[8:11], v4, s[12:15], 0 offen offset:{16 * r}
        buffer_load_dwordx4 v[12:15], v5, s[12:15], 0 offen offset:{16 * r}
        s_waitcnt vmcnt(0)
        v_mac_f32 v11, v1, v8
        v_mac_f32 v15, v1, v12
        v_mac_f32 v11, v2, v9
        v_mac_f32 v15, v2, v13
        v_mac_f32 v11, v3, v10
        v_mac_f32 v15, v3, v14
        v_mul_f32 v{16 + r}, v7, v11
        v_mac_f32 v{16 + r}, v6, v15
        """
    s.text(text + """
        v_mov_b32 v19, 1.0
        exp pos0 v16, v17, v18, v19 done
        s_endpgm""")

    def position(lane):
        *place, a, b, weight = rows[lane]
        moved = [[sum(m * x for m, x in zip(bones[k][4 * r:], place + [1.0])) for r in range(3)] for k in (a, b)]
        return [(1 - weight) * x + weight * y for x, y in zip(*moved)] + [1.0]
    s.export("pos0", position, done=True)


@vertex
def displacement(s):
    """A height map, filtered, read in the vertex shader."""
    wave(s, WAVES[0])
    rows = [[(2 * s.rnd.randrange(1, 63) + 1) / 128, (2 * s.rnd.randrange(1, 63) + 1) / 128] for _ in range(24)]
    attributes = Attributes(s, rows)
    image = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT)
    s.s(2, s.table(attributes.sharp), 0, s.table(combined(image, linear())))
    s.doubts.add("sample-precision")
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx8 s[16:23], s[4:5], off(0x0)
        s_load_dwordx4 s[24:27], s[4:5], off(0x50)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 idxen
        v_mov_b32 v7, 1.0
        s_waitcnt vmcnt(0)
        image_sample_lz v6, v[4:5], s[16:23], s[24:27] dmask:0x1
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    s.export("pos0", lambda lane: rows[lane] + image.bilinear(*rows[lane])[:1] + [1.0], done=True)
    s.close("pos0", "f32", ulp=4, absolute=1e-6)


@vertex
def many_parameters(s):
    """Nine parameters, some of one component; the position last."""
    wave(s, WAVES[2])
    rows = [floats(s.rnd, 4) for _ in range(16)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp), 0)
    text = """
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        s_waitcnt vmcnt(0)
        v_mov_b32 v8, v4
        v_mov_b32 v9, v5
        v_mov_b32 v10, v6
        v_mov_b32 v11, v7
        """
    masks = [15, 1, 3, 7, 15, 8, 10, 15, 12]
    for k, en in enumerate(masks):
        sources = ", ".join(f"v{8 + c}" if en >> c & 1 else "off" for c in range(4))
        text += f"""
        exp param{k if k < 8 else 31} {sources}
        v_add_f32 v8, v8, v4
        v_mul_f32 v9, 2.0, v9
        v_sub_f32 v10, 0, v10
        v_add_f32 v11, 1.0, v11"""
    s.text(text + """
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    for k, en in enumerate(masks):
        def value(lane, k=k, en=en):
            x, y, z, w = rows[lane]
            full = [(k + 1) * x, 2 ** k * y, 0.0 - z if k % 2 else z, w + k]
            return [v if v else 0.0 for c, v in enumerate(full) if en >> c & 1]
        s.export(f"param{k if k < 8 else 31}", value, en=en)
        s.close(f"param{k if k < 8 else 31}", "f32", ulp=0)
    s.export("pos0", lambda lane: rows[lane], done=True)


@vertex
def point_size_and_clip_distances(s):
    """pos1 has the size of points, pos2 and pos3 distances to six planes."""
    wave(s, WAVES[2])
    rows = [floats(s.rnd, 4) for _ in range(16)]
    planes = [floats(s.rnd, 4, unit=4) for _ in range(6)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp), 0, s.table([x for plane in planes for x in plane]))
    text = """
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx16 s[16:31], s[4:5], off(0x0)
        s_load_dwordx8 s[32:39], s[4:5], off(0x40)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        s_waitcnt vmcnt(0)
        """
    for k in range(6):
        text += "".join(f"v_{'mac' if c else 'mul'}_f32 v{8 + k}, s{16 + 4 * k + c}, v{4 + c}\n" for c in range(4))
    s.text(text + """
        v_max_f32 v14, 1.0, v7
        exp pos0 v4, v5, v6, v7
        exp pos1 v14, off, off, off
        exp pos2 v8, v9, v10, v11
        exp pos3 v12, v13, off, off done
        s_endpgm""")
    distance = lambda lane, k: sum(a * b for a, b in zip(planes[k], rows[lane]))
    s.export("pos0", lambda lane: rows[lane])
    s.export("pos1", lambda lane: [max(1.0, rows[lane][3])])
    s.export("pos2", lambda lane: [distance(lane, k) for k in range(4)])
    s.export("pos3", lambda lane: [distance(lane, k) for k in (4, 5)], done=True)
    for target in ("pos2", "pos3"):
        s.close(target, "f32", ulp=0)


@vertex
def layer_and_viewport(s):
    """Layer and viewport by the instance; gfx9 packs them into one component."""
    wave(s, WAVES[0], instance=lambda lane: lane // 3)
    s.s(2, 0)
    s.text("""
        s_setprio 3
        v_iadd v0, s2, v0
        v_cvt_f32_u32 v2, v0
        v_mov_b32 v3, 1.0
        exp pos0 v2, v2, v3, v3
        v_and_b32 v4, 3, v1
        v_lshrrev_b32 v5, 1, v1
        [9] v_lshlrev_b32 v5, 16, v5
        [9] v_or_b32 v4, v4, v5
        [9] exp pos1 off, off, v4, off done
        [678] exp pos1 off, off, v4, v5 done
        s_endpgm""")
    s.export("pos0", lambda lane: [float(lane)] * 2 + [1.0, 1.0])
    layer, viewport = (lambda lane: lane // 3 & 3), (lambda lane: lane // 6)
    if s.gen == 9:
        s.export("pos1", lambda lane: [layer(lane) | viewport(lane) << 16], en=4, done=True)
    else:
        s.export("pos1", lambda lane: [layer(lane), viewport(lane)], en=12, done=True)


@vertex
def draw_parameters(s):
    """Base vertex, draw id and base instance in user SGPRs."""
    wave(s, WAVES[2], instance=lambda lane: lane // 4)
    s.s(2, 7, 12, 900)
    s.text("""
        s_setprio 3
        v_iadd v0, s2, v0
        v_iadd v1, s4, v1
        v_mov_b32 v2, s2
        v_mov_b32 v3, s3
        v_cvt_f32_u32 v4, v0
        v_mov_b32 v5, s4
        v_cvt_f32_u32 v5, v5
        v_mov_b32 v6, 1.0
        exp pos0 v4, v5, v6, v6 done
        exp param0 v0, v1, v2, v3
        s_endpgm""")
    s.export("pos0", lambda lane: [lane + 7.0, 900.0, 1.0, 1.0], done=True)
    s.export("param0", lambda lane: [lane + 7, 900 + lane // 4, 7, 12])


@vertex
def constant_positions(s):
    """A constant array of positions behind the code, indexed by the vertex."""
    wave(s, 0x3F)
    positions = [(-0.5, 0.5), (0.5, 0.5), (0.0, -0.75), (1.0, 0.25), (-1.0, 2.0), (0.125, 3.0)]
    s.constants = [bits_of(x) for row in positions for x in row]
    s.s(2, 0)
    s.text("""
        s_setprio 3
        constants s[4:7]
        v_iadd v0, s2, v0
        v_lshlrev_b32 v0, 3, v0
        buffer_load_dwordx2 v[0:1], v0, s[4:7], 0 offen
        v_mov_b32 v2, 0
        v_mov_b32 v3, 1.0
        s_waitcnt vmcnt(0)
        exp pos0 v0, v1, v2, v3 done
        s_endpgm""")
    s.export("pos0", lambda lane: [*positions[lane], 0.0, 1.0], done=True)


@vertex
def table_of_sets(s):
    """Pointers to descriptor sets in memory; a push constant chooses the matrix of an array of uniform buffers."""
    wave(s, WAVES[2])
    rows = [floats(s.rnd, 4) for _ in range(16)]
    attributes = Attributes(s, rows)
    scales = [floats(s.rnd, 4) for _ in range(3)]
    ubos = [s.buffer(s.data(row), 16) for row in scales]
    first, second = s.table(bytes(16)), s.table(bytes(48), *ubos)
    s.s(2, s.table(attributes.sharp), 0, s.table([first, second]), 2)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        s_mov_b32 s6, s5
        pointer s3
        pointer s5
        s_load_dword s4, s[4:5], off(0x4)
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_lshl_b32 s6, s6, 4
        s_add_u32 s6, s6, 48
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        s_load_dwordx4 s[12:15], s[4:5], s6
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        s_waitcnt lgkmcnt(0)
        s_buffer_load_dwordx4 s[16:19], s[12:15], off(0x0)
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_mul_f32 v4, s16, v4
        v_mul_f32 v5, s17, v5
        v_mul_f32 v6, s18, v6
        v_mul_f32 v7, s19, v7
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    s.export("pos0", lambda lane: [a * b for a, b in zip(rows[lane], scales[2])], done=True)
    s.close("pos0", "f32", ulp=0)


@vertex
def vertex_lights(s):
    """A loop over lights whose number is a push constant; nothing is read for none."""
    wave(s, WAVES[2])
    rows = [floats(s.rnd, 3) for _ in range(16)]
    lights = [floats(s.rnd, 3, unit=16) + floats(s.rnd, 1, 0, 8) for _ in range(4)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp), 0, s.table([x for row in lights for x in row]), len(lights))
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        s_mov_b32 s6, s5
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        load3 v4, v0, s[8:11], 0 idxen offset:0
        v_mov_b32 v8, 0
        v_mov_b32 v7, 1.0
        s_mov_b32 s7, 0
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
    again:
        s_cmp_ge_u32 s7, s6
        s_cbranch_scc1 out
        s_lshl_b32 s16, s7, 4
        s_load_dwordx4 s[12:15], s[4:5], s16
        s_add_i32 s7, s7, 1
        s_waitcnt lgkmcnt(0)
        v_mul_f32 v9, s12, v4
        v_mac_f32 v9, s13, v5
        v_mac_f32 v9, s14, v6
        v_max_f32 v9, 0, v9
        v_mac_f32 v8, s15, v9
        s_branch again
    out:
        exp param0 v8, off, off, off
        s_endpgm""")
    s.export("pos0", lambda lane: rows[lane] + [1.0], done=True)
    s.export("param0", lambda lane: [sum(light[3] * max(0.0, sum(a * b for a, b in zip(light, rows[lane])))
                                         for light in lights)])


@vertex
def streamout(s):
    """Transform feedback: as many vertices as the configuration says are written behind the write index."""
    wave(s, 0xFFFF)
    rows = [floats(s.rnd, 4) for _ in range(16)]
    attributes = Attributes(s, rows)
    target = s.data(bytes(16 * 20))
    # user data: vertex buffers, base vertex, streamout table; then configuration, write index, offset of the buffer
    s.s(2, s.table(attributes.sharp), 0, s.table(s.buffer(target, 16 * 20)), 11 << 16 | 1, 3, 4)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        s_mov_b32 s20, s5
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx4 s[12:15], s[4:5], off(0x0)
        v_mbcnt_lo_u32_b32 v2, -1, 0
        v_mbcnt_hi_u32_b32 v2, -1, v2
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        s_bfe_u32 s20, s20, 0x70010
        v_cmp_gt_u32 vcc, s20, v2
        s_and_saveexec_b64 s[16:17], vcc
        s_cbranch_execz none
        v_iadd v2, s6, v2
        v_lshlrev_b32 v2, 4, v2
        s_lshl_b32 s7, s7, 2
        s_waitcnt vmcnt(0)
        buffer_store_dwordx4 v[4:7], v2, s[12:15], s7 offen glc slc
    none:
        s_mov_b64 exec, s[16:17]
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    s.leaves(target, bytes(16 * 4) + dwords([x for row in rows[:11] for x in row]))
    s.export("pos0", lambda lane: rows[lane], done=True)


@vertex
def view_index(s):
    """Multiview: the view chooses an offset; the layer is the view."""
    wave(s, WAVES[2])
    s.s(2, 4, 1)
    s.text("""
        s_setprio 3
        v_iadd v0, s2, v0
        v_cvt_f32_u32 v1, v0
        v_cvt_f32_u32 v2, s3
        v_mov_b32 v3, 1.0
        v_mov_b32 v4, s3
        s_cmp_lg_u32 s3, 0
        s_cselect_b32 s4, 0.5, -0.5
        v_add_f32 v1, s4, v1
        exp pos0 v1, v2, v3, v3
        exp pos1 off, off, v4, off done
        s_endpgm""")
    s.export("pos0", lambda lane: [lane + 4.5, 1.0, 1.0, 1.0])
    s.export("pos1", lambda lane: [1], en=4, done=True)
