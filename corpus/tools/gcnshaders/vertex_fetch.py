"""Vertex shaders that fetch attributes: every data format, instances, bases, edges of buffers."""

from gcnmem.formats import element_size

from .base import dwords, f16, half
from .vertices import (FLOAT, SINT, SNORM, SSCALED, UINT, UNORM, USCALED, WAVES, Attributes, components,
                       floats, vertex, wave)

NORMS = (UNORM, SNORM, USCALED, SSCALED, UINT, SINT)
FORMATS = {1: NORMS, 3: NORMS, 10: NORMS, 2: NORMS + (FLOAT,), 5: NORMS + (FLOAT,), 12: NORMS + (FLOAT,),
           4: (UINT, SINT, FLOAT), 11: (UINT, SINT, FLOAT), 13: (UINT, SINT, FLOAT), 14: (UINT, SINT, FLOAT),
           6: (FLOAT,), 7: (FLOAT,), 8: NORMS, 9: NORMS}
LAYOUT_NAMES = {1: "8", 2: "16", 3: "8-8", 4: "32", 5: "16-16", 6: "10-11-11", 7: "11-11-10", 8: "10-10-10-2",
                9: "2-10-10-10", 10: "8-8-8-8", 11: "32-32", 12: "16-16-16-16", 13: "32-32-32", 14: "32-32-32-32"}
COUNT = {1: 1, 2: 1, 3: 2, 4: 1, 5: 2, 6: 3, 7: 3, 8: 4, 9: 4, 10: 4, 11: 2, 12: 4, 13: 3, 14: 4}
VERTICES = 20


def element(rnd, dfmt, nfmt, k):
    """An element: edges first, then random; floats are finite."""
    size = element_size(dfmt)
    if nfmt == FLOAT and size // COUNT[dfmt] == 4 and dfmt not in (6, 7):
        return int.from_bytes(dwords(floats(rnd, COUNT[dfmt])), "little")
    if nfmt == FLOAT and dfmt in (2, 5, 12):
        return sum(f16(x) << 16 * c for c, x in enumerate(floats(rnd, COUNT[dfmt])))
    if nfmt == FLOAT:
        exponent = lambda: rnd.randrange(8, 22)
        fields = ((0, 6), (11, 6), (22, 5)) if dfmt == 6 else ((0, 5), (10, 6), (21, 6))
        return sum((exponent() << bits | rnd.getrandbits(bits)) << at for at, bits in fields)
    top = (1 << 8 * size) - 1
    return (0, top, top // 255 * 0x80, top // 255 * 0x7F)[k] if k < 4 else rnd.getrandbits(8 * size)


def fetch(dfmt):
    """A shader that fetches an attribute in all number formats of a data format."""
    def shader(s):
        formats = FORMATS[dfmt]
        wave(s, (1 << VERTICES) - 1)
        size = element_size(dfmt)
        stride = max(4, size) * len(formats)
        rows = [[element(s.rnd, dfmt, nfmt, k) for nfmt in formats] for k in range(VERTICES + 3)]
        content = b"".join(b"".join(x.to_bytes(size, "little") + bytes(-size % 4) for x in row) for row in rows)
        address = s.data(content)
        count = COUNT[dfmt]
        # in the V#: components that are not there are 0, 0, 0, 1; of integers the 1 is an integer
        select = tuple(4 + c if c < count else int(c == 3) for c in range(4))
        typed = dfmt % 2 == 0
        sharps = [s.buffer(address + max(4, size) * k, stride=stride, records=len(rows), dfmt=dfmt, nfmt=nfmt,
                           select=select) for k, nfmt in enumerate(formats)]
        s.s(2, s.table(*sharps), 3)
        lines, exports = ["s_setprio 3", "s_mov_b32 s20, s3", "pointer s3", "v_iadd v0, s20, v0"], []
        if typed:
            # one V# serves all; formats are in the instructions
            lines += ["s_load_dwordx4 s[4:7], s[2:3], off(0x0)", "s_waitcnt lgkmcnt(0)"]
        for k, nfmt in enumerate(formats):
            if typed:
                to = "v4" if count == 1 else f"v[4:{3 + count}]"
                lines.append(f"tbuffer_load_format_{'xyzw'[:count]} {to}, v0, s[4:7], 0 "
                             f"format:{nfmt << 4 | dfmt} idxen offset:{max(4, size) * k}")
            else:
                lines += [f"s_load_dwordx4 s[4:7], s[2:3], off({16 * k})", "s_waitcnt lgkmcnt(0)",
                          "buffer_load_format_xyzw v[4:7], v0, s[4:7], 0 idxen"]
            width = count if typed else 4
            sources = ", ".join(f"v{4 + c}" if c < width else "off" for c in range(4))
            lines += ["s_waitcnt vmcnt(0)", f"exp param{k} {sources}"]
            exports.append((f"param{k}", nfmt, k))
        lines += ["v_mov_b32 v4, 0", "v_mov_b32 v5, 1.0", "exp pos0 v4, v4, v4, v5 done", "s_endpgm"]
        s.text("\n".join(lines))
        for target, nfmt, k in exports:
            def value(lane, nfmt=nfmt, k=k):
                found = components(dfmt, nfmt, rows[lane + 3][k], s.gen)
                one = 1 if nfmt in (UINT, SINT) else 1.0
                return found if typed else found + [0, 0, 0, one][len(found):]
            s.export(target, value)
            if nfmt in (UNORM, SNORM):
                s.close(target, "f32", ulp=1)
        s.export("pos0", lambda lane: [0.0, 0.0, 0.0, 1.0], done=True)
        if dfmt in (8, 9) and s.gen < 9:
            s.doubts.add("format-2bit")
        if dfmt in (6, 7) and s.gen == 6:
            s.doubts.add("format-10-11-11-gfx6")
    return shader


for _dfmt in sorted(FORMATS):
    vertex(fetch(_dfmt), f"fetch-{LAYOUT_NAMES[_dfmt]}")


@vertex
def raw_attributes(s):
    """Four attributes by untyped loads of one, two, three and four dwords."""
    wave(s, WAVES[0])
    rows = [floats(s.rnd, 10) for _ in range(30)]
    attributes = Attributes(s, rows, pad=8)
    s.s(2, s.table(attributes.sharp), 5)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[8:11], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen
        load3 v8, v0, s[8:11], 0 idxen offset:16
        buffer_load_dwordx2 v[12:13], v0, s[8:11], 0 idxen offset:28
        buffer_load_dword v14, v0, s[8:11], 0 idxen offset:36
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        exp param0 v8, v9, v10, off
        exp param1 v12, v13, off, off
        exp param2 v14, off, off, off
        s_endpgm""")
    row = lambda lane: rows[lane + 5]
    s.export("pos0", lambda lane: row(lane)[:4], done=True)
    s.export("param0", lambda lane: row(lane)[4:7])
    s.export("param1", lambda lane: row(lane)[7:9])
    s.export("param2", lambda lane: row(lane)[9:])


@vertex
def small_integers_unpacked(s):
    """Bytes and shorts, loaded as such and converted by the shader."""
    wave(s, WAVES[2])
    rows = [s.rnd.randbytes(8) for _ in range(16)]
    address = s.data(b"".join(rows))
    s.s(2, s.table(s.buffer(address, stride=8, records=16)), 0)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_ubyte v4, v0, s[4:7], 0 idxen offset:1
        buffer_load_sbyte v5, v0, s[4:7], 0 idxen offset:2
        buffer_load_ushort v6, v0, s[4:7], 0 idxen offset:4
        buffer_load_sshort v7, v0, s[4:7], 0 idxen offset:6
        buffer_load_dword v8, v0, s[4:7], 0 idxen
        s_waitcnt vmcnt(0)
        exp param0 v4, v5, v6, v7
        v_cvt_f32_ubyte0 v4, v8
        v_cvt_f32_ubyte1 v5, v8
        v_cvt_f32_ubyte2 v6, v8
        v_cvt_f32_ubyte3 v7, v8
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    signed = lambda row, at, size: int.from_bytes(row[at:at + size], "little", signed=True)
    s.export("param0", lambda lane: [rows[lane][1], signed(rows[lane], 2, 1), int.from_bytes(rows[lane][4:6], "little"),
                                     signed(rows[lane], 6, 2)])
    s.export("pos0", lambda lane: [float(x) for x in rows[lane][:4]], done=True)


@vertex
def half_attributes(s):
    """Four halves as two dwords, converted by the shader."""
    wave(s, WAVES[2])
    rows = [[f16(x) for x in floats(s.rnd, 4, unit=64)] for _ in range(16)]
    address = s.data(b"".join(x.to_bytes(2, "little") for row in rows for x in row))
    s.s(2, s.table(s.buffer(address, stride=8, records=16)), 0)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[8:9], v0, s[4:7], 0 idxen
        s_waitcnt vmcnt(0)
        v_cvt_f32_f16 v4, v8
        v_lshrrev_b32 v5, 16, v8
        v_cvt_f32_f16 v5, v5
        v_cvt_f32_f16 v6, v9
        v_lshrrev_b32 v7, 16, v9
        v_cvt_f32_f16 v7, v7
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    s.export("pos0", lambda lane: [half(x) for x in rows[lane]], done=True)


@vertex
def instanced(s):
    """A place for each instance, one for every second, and one for all."""
    wave(s, WAVES[1], instance=lambda lane: lane // 6)
    corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.0), (0.5, 2.0)]
    s.v(0, lambda lane: lane % 6)
    places = [floats(s.rnd, 2) for _ in range(12)]
    sizes = [floats(s.rnd, 1, 1, 16) for _ in range(8)]
    depth = [0.625]
    v = Attributes(s, corners)
    p = Attributes(s, places)
    z = Attributes(s, sizes)
    constant = s.data(depth)
    s.s(2, s.table(v.sharp, p.sharp, z.sharp, s.buffer(constant, 4)), 0, 3)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        s_load_dwordx8 s[16:23], s[2:3], off(0x20)
        v_iadd v0, s0, v0
        v_lshrrev_b32 v2, 1, v1
        v_iadd v2, s4, v2
        v_iadd v1, s4, v1
        v_mov_b32 v3, 0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 idxen
        buffer_load_dwordx2 v[6:7], v1, s[12:15], 0 idxen
        buffer_load_dword v8, v2, s[16:19], 0 idxen
        buffer_load_dword v9, off, s[20:23], 0
        s_waitcnt vmcnt(0)
        v_mov_b32 v10, 1.0
        v_mac_f32 v6, v4, v8
        v_mac_f32 v7, v5, v8
        exp pos0 v6, v7, v9, v10 done
        exp param0 v1, off, off, off
        s_endpgm""")

    def position(lane):
        instance = lane // 6
        size = sizes[3 + instance // 2][0]
        return [a + b * size for a, b in zip(places[3 + instance], corners[lane % 6])] + [depth[0], 1.0]
    s.export("pos0", position, done=True)
    s.export("param0", lambda lane: [3 + lane // 6])


@vertex
def instance_divisor(s):
    """A divisor of 3: division by multiplication with the reciprocal of an unsigned integer."""
    wave(s, WAVES[1], instance=lambda lane: lane * 5)
    s.s(2, 0, 100)
    s.text("""
        s_setprio 3
        v_mov_b32 v2, 0xaaaaaaab
        v_mul_hi_u32 v2, v1, v2
        v_lshrrev_b32 v2, 1, v2
        v_iadd v2, s3, v2
        v_cvt_f32_u32 v3, v2
        v_mov_b32 v4, 1.0
        exp pos0 v3, v4, v4, v4 done
        exp param0 v2, off, off, off
        s_endpgm""")
    s.export("pos0", lambda lane: [100.0 + lane * 5 // 3, 1.0, 1.0, 1.0], done=True)
    s.export("param0", lambda lane: [100 + lane * 5 // 3])


@vertex
def base_vertex_negative(s):
    """A base vertex below 0, and a wave that begins with vertex 40."""
    wave(s, WAVES[3], first=40)
    rows = [floats(s.rnd, 4) for _ in range(32)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(attributes.sharp), -38)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 idxen
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    s.export("pos0", lambda lane: rows[lane + 2], done=True)


@vertex
def vertices_out_of_range(s):
    """Vertices behind the end of the buffer are zeros, whatever lies there."""
    wave(s, WAVES[0])
    rows = [floats(s.rnd, 4, 1, 64) for _ in range(24)]
    attributes = Attributes(s, rows)
    s.s(2, s.table(s.buffer(attributes.address, stride=16, records=10), s.buffer(attributes.address, 16 * 10)), 0)
    s.text("""
        s_setprio 3
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx8 s[4:11], s[2:3], off(0x0)
        v_iadd v0, s0, v0
        v_lshlrev_b32 v1, 4, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dwordx4 v[4:7], v0, s[4:7], 0 idxen
        buffer_load_dwordx2 v[8:9], v1, s[8:11], 0 offen offset:8
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        exp param0 v8, v9, off, off
        s_endpgm""")
    s.export("pos0", lambda lane: rows[lane] if lane < 10 else [0.0] * 4, done=True)
    s.export("param0", lambda lane: rows[lane][2:] if lane < 10 else [0.0] * 2)


@vertex
def vertex_pulling(s):
    """Indices and vertices of a storage buffer, by the vertex id alone."""
    wave(s, WAVES[1])
    rows = [floats(s.rnd, 4) for _ in range(9)]
    indices = [s.rnd.randrange(9) for _ in range(40)]
    s.s(2, 0, s.table(s.buffer(s.data(indices), 160), s.buffer(s.data([x for row in rows for x in row]), 144)))
    s.text("""
        s_setprio 3
        v_iadd v0, s2, v0
        s_mov_b32 s2, s3
        pointer s3
        s_load_dwordx8 s[4:11], s[2:3], off(0x0)
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dword v0, v0, s[4:7], 0 offen
        s_waitcnt vmcnt(0)
        v_lshlrev_b32 v0, 4, v0
        buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 offen
        s_waitcnt vmcnt(0)
        exp pos0 v4, v5, v6, v7 done
        s_endpgm""")
    s.export("pos0", lambda lane: rows[indices[lane]], done=True)
