"""Vertex work of other stages and rarer inputs: rings of geometry shaders, tessellated points, odd vertex buffers."""

import struct

from .base import dwords
from .vertices import WAVES, Attributes, floats, of_generations, vertex, wave

ADD_TID, INDEX_64, ELEMENT_4 = 1 << 23, 3 << 21, 1 << 19


@of_generations("678")
def export_to_ring(s):
    """A vertex shader before a geometry shader: outputs go to the swizzled ES-GS ring."""
    wave(s, WAVES[0])
    rows = [floats(s.rnd, 5) for _ in range(24)]
    attributes = Attributes(s, rows)
    ring = s.data(bytes(4096))
    sharp = s.buffer(ring, 4096, more=ADD_TID | INDEX_64 | ELEMENT_4)
    sharp[1] |= 1 << 31
    # user data: ring table, vertex buffers, base vertex; then the offset in the ring
    s.s(0, s.table(bytes(16), sharp), 0, s.table(attributes.sharp), 0, 512)
    s.text("""
        s_mov_b32 s5, s3
        s_mov_b32 s1, 0
        pointer s3
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx4 s[12:15], s[0:1], off(0x10)
        v_iadd v0, s5, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        buffer_load_dword v8, v0, s[8:11], 0 idxen offset:16
        s_waitcnt vmcnt(0)
        buffer_store_dword v4, off, s[12:15], s4 glc slc
        buffer_store_dword v5, off, s[12:15], s4 offset:4 glc slc
        buffer_store_dword v6, off, s[12:15], s4 offset:8 glc slc
        buffer_store_dword v7, off, s[12:15], s4 offset:12 glc slc
        buffer_store_dword v8, off, s[12:15], s4 offset:16 glc slc
        s_endpgm""")
    after = bytearray(4096)
    for lane in s.lanes():
        for k, x in enumerate(rows[lane]):
            # the components of a vertex are 64 lanes apart
            at = 512 + 256 * k + 4 * lane
            after[at:at + 4] = dwords([x])
    s.leaves(ring, after)


@of_generations("678")
def geometry_from_ring(s):
    """A geometry shader: three vertices of the ring make one triangle at their middle; two emits and a cut."""
    s.execute = 0x0000_0000_0000_0FFF
    vertices = [floats(s.rnd, 2) for _ in range(64)]
    # the ring: component c of vertex v at 256 c + 4 v
    content = b"".join(dwords([v[c] for v in vertices]) for c in range(2))
    source = s.buffer(s.data(content), 512)
    target = s.data(bytes(4096))
    out = s.buffer(target, 4096, more=ADD_TID | INDEX_64 | ELEMENT_4)
    out[1] |= 1 << 31
    s.s(0, s.table(bytes(32), source, out), 0, 256, 7)      # ring table; gs2vs offset, wave id
    corners = [s.rnd.sample(range(64), 3) for _ in range(12)]
    s.v(0, lambda lane: corners[lane][0])
    s.v(1, lambda lane: corners[lane][1])
    s.v(3, lambda lane: corners[lane][2])
    s.v(2, lambda lane: lane)
    load = "".join(f"""
        v_lshlrev_b32 v{n}, 2, v{n}
        buffer_load_dword v{4 + 2 * k}, v{n}, s[8:11], 0 offen glc slc
        buffer_load_dword v{5 + 2 * k}, v{n}, s[8:11], 0 offen offset:256 glc slc""" for k, n in enumerate((0, 1, 3)))
    s.text("""
        s_mov_b32 s1, 0
        s_load_dwordx8 s[8:15], s[0:1], off(0x20)
        s_mov_b32 m0, s3
        s_waitcnt lgkmcnt(0)""" + load + """
        s_waitcnt vmcnt(0)
        v_add_f32 v10, v4, v6
        v_add_f32 v11, v5, v7
        v_mul_f32 v10, 0.5, v10
        v_mul_f32 v11, 0.5, v11
        buffer_store_dword v10, off, s[12:15], s2 glc slc
        buffer_store_dword v11, off, s[12:15], s2 offset:8 glc slc
        s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)
        buffer_store_dword v8, off, s[12:15], s2 offset:4 glc slc
        buffer_store_dword v9, off, s[12:15], s2 offset:12 glc slc
        s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT_CUT, 0)
        s_waitcnt vmcnt(0)
        s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
        s_endpgm""")
    after = bytearray(4096)
    for lane in s.lanes():
        a, b, c = (vertices[k] for k in corners[lane])
        for k, x in enumerate([(a[0] + b[0]) / 2, c[0], (a[1] + b[1]) / 2, c[1]]):
            at = 256 + 256 * k + 4 * lane
            after[at:at + 4] = dwords([x])
    s.leaves(target, after)


@vertex
def copy_from_ring(s):
    """The shader that hands emitted vertices on: one load for each component."""
    wave(s, WAVES[2])
    rows = [floats(s.rnd, 6) for _ in range(64)]
    content = b"".join(dwords([row[c] for row in rows]) for c in range(6))
    s.s(0, s.table(bytes(48), s.buffer(s.data(content), len(content))))
    s.v(0, lambda lane: (lane * 7 + 3) % 64)
    s.text("""
        pointer s1
        s_load_dwordx4 s[4:7], s[0:1], off(0x30)
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt lgkmcnt(0)
        """ + "".join(f"""
        buffer_load_dword v{4 + k}, v0, s[4:7], 0 offen offset:{256 * k} glc slc""" for k in range(6)) + """
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        exp param0 v8, v9, off, off
        s_endpgm""")
    s.export("pos0", lambda lane: rows[(lane * 7 + 3) % 64][:4], done=True)
    s.export("param0", lambda lane: rows[(lane * 7 + 3) % 64][4:])


@vertex
def tessellated_point(s):
    """An evaluation shader: a quad patch, control points in memory, bilinear in u and v."""
    s.execute = WAVES[1]
    corners = [[floats(s.rnd, 3) for _ in range(4)] for _ in range(3)]
    content = b"".join(dwords([*corner, 1.0]) for patch in corners for corner in patch)
    s.s(2, s.table(s.buffer(s.data(content), len(content))))
    s.v(0, lambda lane: lane % 5 / 4)
    s.v(1, lambda lane: lane // 5 % 3 / 2)
    s.v(2, lambda lane: lane // 15)
    load = "".join(f"""
        buffer_load_dwordx4 v[{4 + 4 * k}:{7 + 4 * k}], v2, s[4:7], 0 offen offset:{16 * k}""" for k in range(4))
    mix = "".join(f"""
        v_sub_f32 v{20 + c}, v{8 + c}, v{4 + c}
        v_mad_f32 v{20 + c}, v0, v{20 + c}, v{4 + c}
        v_sub_f32 v{23 + c}, v{16 + c}, v{12 + c}
        v_mad_f32 v{23 + c}, v0, v{23 + c}, v{12 + c}
        v_sub_f32 v{23 + c}, v{23 + c}, v{20 + c}
        v_mac_f32 v{20 + c}, v1, v{23 + c}""" for c in range(3))
    s.text("""
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x0)
        v_lshlrev_b32 v2, 6, v2
        s_waitcnt lgkmcnt(0)""" + load + """
        s_waitcnt vmcnt(0)""" + mix + """
        v_mov_b32 v23, 1.0
        exp pos0 v20, v21, v22, v23 done
        exp param0 v0, v1, off, off
        s_endpgm""")
    u, v = (lambda lane: lane % 5 / 4), (lambda lane: lane // 5 % 3 / 2)

    def position(lane):
        a, b, c, d = corners[lane // 15]
        low = [p + u(lane) * (q - p) for p, q in zip(a, b)]
        high = [p + u(lane) * (q - p) for p, q in zip(c, d)]
        return [p + v(lane) * (q - p) for p, q in zip(low, high)] + [1.0]
    s.export("pos0", position, done=True)
    s.export("param0", lambda lane: [u(lane), v(lane)])


@of_generations("9")
def merged_stages(s):
    """ES and GS in one wave: the first part writes LDS, the second reads three vertices of it."""
    s.execute = (1 << 64) - 1
    rows = [floats(s.rnd, 2) for _ in range(30)]
    attributes = Attributes(s, rows)
    target = s.data(bytes(4 * 64))
    # s3: 30 vertices, 10 primitives; user data from s8: vertex buffers, base vertex, output
    s.s(3, 30 | 10 << 8)
    s.s(8, s.table(attributes.sharp), 0, s.table(s.buffer(target, 256)))
    corners = [s.rnd.sample(range(30), 3) for _ in range(10)]
    corner = lambda lane, k: corners[lane][k] if lane < 10 else 0
    s.v(0, lambda lane: 8 * corner(lane, 0) | 8 * corner(lane, 1) << 16)
    s.v(1, lambda lane: 8 * corner(lane, 2))
    s.v(5, lambda lane: lane if lane < 30 else 0)
    s.lds_size = 512
    s.text("""
        s_bfe_u32 s0, s3, 0x80000
        v_mbcnt_lo_u32_b32 v9, -1, 0
        v_mbcnt_hi_u32_b32 v9, -1, v9
        v_cmp_gt_u32 vcc, s0, v9
        s_mov_b32 s7, s9
        s_movk_i32 s9, 0x8000
        s_and_saveexec_b64 s[0:1], vcc
        s_cbranch_execz second
        s_load_dwordx4 s[12:15], s[8:9], 0x0
        v_add_u32 v5, s7, v5
        v_lshlrev_b32 v10, 3, v9
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[6:7], v5, s[12:15], 0 idxen
        s_waitcnt vmcnt(0)
        ds_write_b64 v10, v[6:7]
    second:
        s_mov_b64 exec, s[0:1]
        s_waitcnt lgkmcnt(0)
        s_barrier
        s_bfe_u32 s0, s3, 0x80008
        v_cmp_gt_u32 vcc, s0, v9
        s_and_saveexec_b64 s[0:1], vcc
        s_cbranch_execz done
        s_mov_b32 s11, s9
        s_load_dwordx4 s[12:15], s[10:11], 0x0
        v_and_b32 v6, 0xffff, v0
        v_lshrrev_b32 v7, 16, v0
        ds_read_b64 v[12:13], v6
        ds_read_b64 v[14:15], v7
        ds_read_b64 v[16:17], v1
        v_lshlrev_b32 v9, 2, v9
        s_waitcnt lgkmcnt(0)
        v_sub_f32 v14, v14, v12
        v_sub_f32 v15, v15, v13
        v_sub_f32 v16, v16, v12
        v_sub_f32 v17, v17, v13
        v_mul_f32 v12, v15, v16
        v_mad_f32 v12, v14, v17, -v12
        buffer_store_dword v12, v9, s[12:15], 0 offen
    done:
        s_endpgm""")

    def area(lane):
        a, b, c = (rows[k] for k in corners[lane])
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    s.leaves(target, [area(k) for k in range(10)])


@vertex
def doubles_as_attributes(s):
    """A dvec2, converted; four dwords of one load."""
    wave(s, WAVES[2])
    rows = [[s.rnd.randrange(-4096, 4096) / 512 + 1e-9, float(s.rnd.randrange(-99, 99))] for _ in range(16)]
    address = s.data(b"".join(struct.pack("<dd", *row) for row in rows))
    s.s(2, s.table(s.buffer(address, stride=16, records=16)), 0)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 idxen
        s_waitcnt vmcnt(0)
        v_cvt_f32_f64 v8, v[4:5]
        v_cvt_f32_f64 v9, v[6:7]
        v_add_f64 v[10:11], v[4:5], v[6:7]
        v_cvt_f32_f64 v10, v[10:11]
        v_mov_b32 v11, 1.0
        exp pos0 v8, v9, v10, v11 done
        s_endpgm""")
    s.export("pos0", lambda lane: [*rows[lane], sum(rows[lane]), 1.0], done=True)


@vertex
def stride_of_zero(s):
    """One element for all vertices: a binding without stride, loaded by index."""
    wave(s, WAVES[3])
    colour = floats(s.rnd, 4)
    rows = [floats(s.rnd, 2) for _ in range(30)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp, s.buffer(s.data(colour), 16)), 0)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx8 s[4:11], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        v_mov_b32 v6, 0
        v_mov_b32 v7, 1.0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[4:5], v0, s[4:7], 0 idxen
        buffer_load_dwordx4 v[8:11], v0, s[8:11], 0 idxen
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        exp param0 v8, v9, v10, v11
        s_endpgm""")
    s.export("pos0", lambda lane: rows[lane] + [0.0, 1.0], done=True)
    s.export("param0", lambda lane: colour)


@vertex
def uniforms_out_of_range(s):
    """Scalar buffer loads behind the end give zeros, dword by dword."""
    wave(s, WAVES[2])
    ubo = floats(s.rnd, 16, 1, 64)
    s.s(2, 0, s.table(s.buffer(s.data(ubo), 24)))
    s.text("""
        s_setprio 3
        s_mov_b32 s4, s3
        pointer s5
        s_load_dwordx4 s[8:11], s[4:5], off(0x0)
        s_mov_b32 s6, 0x1000
        s_waitcnt lgkmcnt(0)
        s_buffer_load_dwordx8 s[12:19], s[8:11], off(0x0)
        s_buffer_load_dword s20, s[8:11], s6
        s_buffer_load_dwordx2 s[22:23], s[8:11], off(0x14)
        v_iadd v0, s2, v0
        v_cvt_f32_u32 v0, v0
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v1, s17
        v_mov_b32 v2, s18
        v_mov_b32 v3, s20
        exp pos0 v0, v1, v2, v3 done
        v_mov_b32 v4, s12
        v_mov_b32 v5, s19
        v_mov_b32 v6, s22
        v_mov_b32 v7, s23
        exp param0 v4, v5, v6, v7
        s_endpgm""")
    s.export("pos0", lambda lane: [float(lane), ubo[5], 0.0, 0.0], done=True)
    s.export("param0", lambda lane: [ubo[0], 0.0, ubo[5], 0.0])


@vertex
def matrices_by_instance(s):
    """A matrix of a storage buffer for each instance; rows by a loop over columns."""
    wave(s, WAVES[2], instance=lambda lane: lane // 4)
    matrices = [floats(s.rnd, 16, unit=2) for _ in range(4)]
    rows = [floats(s.rnd, 4, unit=4) for _ in range(16)]
    attributes = Attributes(s, rows)
    buffer = s.data([x for m in matrices for x in m])
    s.s(2, s.table(attributes.sharp), 0, s.table(s.buffer(buffer, 256)))
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        pointer s5
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        s_load_dwordx4 s[12:15], s[4:5], off(0x0)
        v_iadd v0, s0, v0
        v_lshlrev_b32 v1, 6, v1
        v_mov_b32 v12, 0
        v_mov_b32 v13, 0
        v_mov_b32 v14, 0
        v_mov_b32 v15, 0
        s_movk_i32 s6, 4
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        s_waitcnt vmcnt(0)
    column:
        buffer_load_dwordx4 v[8:11], v1, s[12:15], 0 offen
        v_iadd v1, 16, v1
        s_sub_i32 s6, s6, 1
        s_cmp_lg_u32 s6, 0
        s_waitcnt vmcnt(0)
        v_mac_f32 v12, v4, v8
        v_mac_f32 v13, v4, v9
        v_mac_f32 v14, v4, v10
        v_mac_f32 v15, v4, v11
        v_mov_b32 v4, v5
        v_mov_b32 v5, v6
        v_mov_b32 v6, v7
        s_cbranch_scc1 column
        exp pos0 v12, v13, v14, v15 done
        s_endpgm""")

    def position(lane):
        m = matrices[lane // 4]
        return [sum(m[4 * k + r] * rows[lane][k] for k in range(4)) for r in range(4)]
    s.export("pos0", position, done=True)


@vertex
def culled_early(s):
    """The position is outside for all lanes of the wave: a uniform branch leaves out the parameters' work."""
    wave(s, WAVES[2])
    rows = [[-float(k) - 2.0, 1.0] for k in range(16)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp), 0)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        v_mov_b32 v6, 0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 idxen
        s_waitcnt vmcnt(0)
        exp pos0 v4, v4, v6, v5 done
        v_cmp_ge_f32 vcc, v4, -v5
        s_cbranch_vccz out
        v_rcp_f32 v5, v5
        v_mul_f32 v4, v4, v5
    out:
        exp param0 v4, off, off, off
        s_endpgm""")
    s.export("pos0", lambda lane: [rows[lane][0], rows[lane][0], 0.0, 1.0], done=True)
    s.export("param0", lambda lane: rows[lane][:1])
