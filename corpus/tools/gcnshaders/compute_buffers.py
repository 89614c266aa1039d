"""Compute shaders on buffers: bounds, atomics, pointers, texel buffers, scratch, loops, arithmetic."""

import struct
import zlib
from functools import reduce
from operator import and_, or_, xor

from .base import M32, bits_of, f16, number, single
from .compute import compute, group, of_generations, sharps, storage


@compute
def saxpy(s):
    """y = a x + y for as many elements as the push constant says; the second group of two."""
    x, y = ([s.rnd.randrange(-64, 64) / 8 for _ in range(100)] for _ in range(2))
    a = 2.5
    (_, xs), (target, ys) = storage(s, x), storage(s, y)
    group(s, xs, ys, group_id=(1, 0, 0), push=(bits_of(a), 100))
    s.text(sharps(2) + """
        s_lshl_b32 s8, s8, 6
        v_iadd v0, s8, v0
        v_cmp_gt_u32 vcc, s5, v0
        s_and_saveexec_b64 s[12:13], vcc
        s_cbranch_execz done
        v_lshlrev_b32 v0, 2, v0
        buffer_load_dword v1, v0, s[16:19], 0 offen
        buffer_load_dword v2, v0, s[20:23], 0 offen
        s_waitcnt vmcnt(0)
        v_mac_f32 v2, s4, v1
        buffer_store_dword v2, v0, s[20:23], 0 offen
    done:
        s_endpgm""")
    s.leaves(target, [b if k < 64 else a * x[k] + b for k, b in enumerate(y)])


@compute
def grid_of_groups(s):
    """Three-dimensional ids, the number of groups behind a 64-bit pointer, row-major stores of the linear index."""
    target, out = storage(s, bytes(4 * 64 * 7))
    group(s, out, group_id=(1, 0, 1), local=lambda lane: lane % 4)
    s.v(1, lambda lane: lane // 4 % 4)
    s.v(2, lambda lane: lane // 16)
    s.s64(12, s.data([3, 1, 2]))
    s.text(sharps(1) + """
        s_load_dwordx2 s[4:5], s[12:13], off(0x0)
        s_waitcnt lgkmcnt(0)
        s_mul_i32 s6, s10, s5
        s_add_u32 s6, s6, s9
        s_mul_i32 s6, s6, s4
        s_add_u32 s6, s6, s8
        s_lshl_b32 s6, s6, 6
        v_lshlrev_b32 v3, 2, v1
        v_lshlrev_b32 v4, 4, v2
        v_or_b32 v3, v3, v4
        v_or_b32 v3, v3, v0
        v_iadd v3, s6, v3
        v_mov_b32 v4, v3
        v_lshlrev_b32 v3, 2, v3
        buffer_store_dword v4, v3, s[16:19], 0 offen
        s_endpgm""")
    # group (1, 0, 1) of (3, 1, 2) is number 4
    s.leaves(target, [k if 4 * 64 <= k < 5 * 64 else 0 for k in range(64 * 7)])


@compute
def out_of_bounds(s):
    """Robust access: loads behind the end are 0, stores there are dropped."""
    content = [s.rnd.getrandbits(32) for _ in range(40)]
    target = s.data(bytes(4 * 64))
    group(s, s.buffer(s.data(content), 4 * 40), s.buffer(target, 4 * 50))
    s.text(sharps(2) + """
        v_lshlrev_b32 v0, 2, v0
        buffer_load_dword v1, v0, s[16:19], 0 offen
        s_waitcnt vmcnt(0)
        v_iadd v1, 1, v1
        buffer_store_dword v1, v0, s[20:23], 0 offen
        s_endpgm""")
    s.leaves(target, [(content[k] + 1) & M32 if k < 40 else 1 for k in range(50)])


@compute
def integer_atomics(s):
    """Every integer atomic without return, each on a counter of its own."""
    names = ["add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"]
    start = [s.rnd.getrandbits(32) for _ in names]
    start[9], start[10] = 5, 3
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, start)
    group(s, out, mask=0xF00F_0000_1234_5678)
    s.v(1, lambda lane: values[lane])
    s.text(sharps(1) + "v_mov_b32 v2, 17\n" + "\n".join(
        f"buffer_atomic_{name} {'v2' if name in ('inc', 'dec') else 'v1'}, off, s[16:19], 0 offset:{4 * k}"
        for k, name in enumerate(names)) + "\ns_endpgm")
    signed = lambda v: v - (v >> 31 << 32)
    mine = [values[k] for k in s.lanes()]
    n = len(mine)
    s.leaves(target, [start[0] + sum(mine), start[1] - sum(mine),
                      min([signed(start[2])] + [signed(v) for v in mine]), min([start[3]] + mine),
                      max([signed(start[4])] + [signed(v) for v in mine]), max([start[5]] + mine),
                      reduce(and_, mine, start[6]), reduce(or_, mine, start[7]),
                      reduce(xor, mine, start[8]), (5 + n) % 18, (3 - n) % 18])


@compute
def compare_and_swap(s):
    """A float added by compare and swap, in a loop until all lanes have done it."""
    values = [s.rnd.randrange(1, 32) / 4 for _ in range(64)]
    target, out = storage(s, [0, 1.5])
    group(s, out, mask=0x0000_0000_8001_00F3)
    s.v(1, lambda lane: values[lane])
    s.text(sharps(1) + """
        s_mov_b64 s[12:13], exec
        buffer_load_dword v3, off, s[16:19], 0 offset:4 glc
        s_waitcnt vmcnt(0)
    again:
        v_mov_b32 v5, v3
        v_add_f32 v4, v1, v3
        v_mov_b32 v2, v4
        v_mov_b32 v3, v5
        buffer_atomic_cmpswap v[2:3], off, s[16:19], 0 offset:4 glc
        s_waitcnt vmcnt(0)
        v_mov_b32 v3, v2
        v_cmp_ne_u32 vcc, v2, v5
        s_and_b64 exec, exec, vcc
        s_cbranch_execnz again
        s_endpgm""")
    s.leaves(target, [0, 1.5 + sum(values[k] for k in s.lanes())])


@compute
def append_with_ballot(s):
    """Stream compaction: one atomic of the wave, then each lane at its place among those that append."""
    values = [s.rnd.getrandbits(16) for _ in range(64)]
    counter, c = storage(s, [10])
    target, out = storage(s, bytes(4 * 80))
    group(s, c, out)
    s.v(1, lambda lane: values[lane])
    s.text(sharps(2) + """
        v_and_b32 v2, 3, v1
        v_cmp_eq_u32 vcc, 1, v2
        s_mov_b64 s[12:13], vcc
        s_bcnt1_i32_b64 s4, s[12:13]
        s_and_saveexec_b64 s[14:15], vcc
        s_cbranch_execz done
        v_mbcnt_lo_u32_b32 v3, s12, 0
        v_mbcnt_hi_u32_b32 v3, s13, v3
        s_mov_b64 s[6:7], exec
        v_cmp_eq_u32 vcc, 0, v3
        s_and_b64 exec, exec, vcc
        v_mov_b32 v4, s4
        buffer_atomic_add v4, off, s[16:19], 0 glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s5, v4
        s_mov_b64 exec, s[6:7]
        v_iadd v3, s5, v3
        v_lshlrev_b32 v3, 2, v3
        buffer_store_dword v1, v3, s[20:23], 0 offen
    done:
        s_endpgm""")
    kept = [v for v in values if v & 3 == 1]
    s.leaves(counter, [10 + len(kept)])
    s.leaves(target, [0] * 10 + kept)


@compute
def buffer_device_address(s):
    """A 64-bit pointer per lane: ADDR64, FLAT or GLOBAL, as the generation has it."""
    nodes = [s.rnd.randrange(64) for _ in range(64)]
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    list_ = s.data([x for pair in zip(nodes, values) for x in pair])
    target = s.data(bytes(4 * 64))
    group(s)
    s.s64(4, list_)
    s.s64(6, target)
    address = """
        v_lshlrev_b32 {index}, {shift}, {index}
        v_mov_b32 {high}, s{s1}
        [67] v_add_i32 {low}, vcc, s{s0}, {index}
        [67] v_addc_u32 {high}, vcc, 0, {high}, vcc
        [8] v_add_u32 {low}, vcc, s{s0}, {index}
        [8] v_addc_u32 {high}, vcc, 0, {high}, vcc
        [9] v_add_co_u32 {low}, vcc, s{s0}, {index}
        [9] v_addc_co_u32 {high}, vcc, 0, {high}, vcc
        """
    load = """
        [6] buffer_load_dwordx2 v[4:5], v[2:3], s[16:19], 0 addr64
        [78] flat_load_dwordx2 v[4:5], v[2:3]
        [9] global_load_dwordx2 v[4:5], v[2:3], off
        s_waitcnt vmcnt(0) lgkmcnt(0)
        """
    s.text("""
        [6] s_mov_b32 s16, 0
        [6] s_mov_b32 s17, 0
        [6] s_mov_b32 s18, 0
        [6] s_mov_b32 s19, 0xf000
        v_mov_b32 v1, v0
        """ + address.format(index="v1", shift=3, low="v2", high="v3", s0=4, s1=5) + load
           + address.format(index="v4", shift=3, low="v2", high="v3", s0=4, s1=5) + load + """
        v_mov_b32 v6, v5
        v_mov_b32 v1, v0
        """ + address.format(index="v1", shift=2, low="v2", high="v3", s0=6, s1=7) + """
        [6] buffer_store_dword v6, v[2:3], s[16:19], 0 addr64
        [78] flat_store_dword v[2:3], v6
        [9] global_store_dword v[2:3], v6, off
        s_endpgm""")
    s.leaves(target, [values[nodes[k]] for k in range(64)])


@compute
def texel_buffers(s):
    """Formatted loads and stores: from RGBA8 snorm to RGBA16 float, and from R32 uint to RG8 uint."""
    bytes_ = [[s.rnd.getrandbits(8) for _ in range(4)] for _ in range(64)]
    ints = [s.rnd.getrandbits(8) for _ in range(64)]
    source = s.data(b"".join(bytes(b) for b in bytes_))
    numbers = s.data(ints)
    halves, pairs = s.data(bytes(8 * 64)), s.data(bytes(2 * 64))

    def v(at, stride, dfmt, nfmt, select):
        return s.buffer(at, stride=stride, records=64, dfmt=dfmt, nfmt=nfmt, select=select)
    group(s, v(source, 4, 10, 0, (4, 5, 6, 7)), v(halves, 8, 12, 7, (4, 5, 6, 7)), v(numbers, 4, 4, 4, (4, 0, 0, 1)),
          v(pairs, 2, 3, 4, (4, 5, 0, 1)), mask=0x0FFF_FFFF_FFFF_FFF0)
    s.text(sharps(4) + """
        buffer_load_format_xyzw v[4:7], v0, s[16:19], 0 idxen
        s_waitcnt vmcnt(0)
        v_mul_f32 v4, 0x437f0000, v4
        v_mul_f32 v5, 0x437f0000, v5
        v_mul_f32 v6, 0x437f0000, v6
        v_mul_f32 v7, 0x437f0000, v7
        v_rndne_f32 v4, v4
        v_rndne_f32 v5, v5
        v_rndne_f32 v6, v6
        v_rndne_f32 v7, v7
        buffer_store_format_xyzw v[4:7], v0, s[20:23], 0 idxen
        buffer_load_format_xyzw v[4:7], v0, s[24:27], 0 idxen
        s_waitcnt vmcnt(0)
        v_lshrrev_b32 v5, 1, v4
        buffer_store_format_xy v[4:5], v0, s[28:31], 0 idxen
        s_endpgm""")
    on = set(s.lanes())
    s.leaves(halves, b"".join(b"".join(f16(float(x)).to_bytes(2, "little") for x in b) if k in on else bytes(8)
                              for k, b in enumerate(bytes_)))
    s.leaves(pairs, b"".join(bytes([n, n >> 1]) if k in on else bytes(2) for k, n in enumerate(ints)))


@compute
def bytes_and_shorts(s):
    """Narrow loads and stores, and halves converted in between."""
    source = [s.rnd.randrange(-100, 100) / 4 for _ in range(64)]
    target, out = storage(s, bytes(4 * 64))
    raw = b"".join(f16(x).to_bytes(2, "little") for x in source)
    group(s, s.buffer(s.data(raw), 128), out)
    s.text(sharps(2) + """
        v_lshlrev_b32 v1, 1, v0
        v_lshlrev_b32 v2, 2, v0
        buffer_load_ushort v3, v1, s[16:19], 0 offen
        s_waitcnt vmcnt(0)
        v_cvt_f32_f16 v3, v3
        v_mad_f32 v4, v3, 2.0, 1.0
        v_cvt_f16_f32 v4, v4
        buffer_store_short v4, v2, s[20:23], 0 offen
        v_cvt_i32_f32 v5, v3
        buffer_store_byte v5, v2, s[20:23], 0 offen offset:3
        s_endpgm""")
    s.leaves(target, b"".join(f16(2 * x + 1).to_bytes(2, "little") + bytes([0, int(x) & 0xFF]) for x in source))


@compute
def private_array(s):
    """An array of each lane in scratch, indexed dynamically; what scratch holds afterwards does not count."""
    permutation = [s.rnd.sample(range(8), 8) for _ in range(64)]
    target, out = storage(s, bytes(4 * 64))
    order = s.data([x for p in permutation for x in p])
    group(s, out, s.buffer(order, 4 * 512))
    scratch = s.data(bytes(64 * 32 + 256), private=True)
    s.s64(0, scratch | 1 << 63)         # swizzled
    s.s(10, 256)                        # the wave's offset
    s.text(sharps(2) + """
        s_mov_b32 s12, s0
        s_mov_b32 s13, s1
        s_mov_b32 s14, -1
        [67] s_mov_b32 s15, 0xea7000
        [8] s_mov_b32 s15, 0xe80000
        [9] s_mov_b32 s15, 0xe00000
        v_lshlrev_b32 v1, 5, v0
        buffer_load_dwordx4 v[4:7], v1, s[20:23], 0 offen
        buffer_load_dwordx4 v[8:11], v1, s[20:23], 0 offen offset:16
        s_waitcnt vmcnt(0)
        """ + "".join(f"""
        v_lshlrev_b32 v2, 2, v{4 + k}
        v_mov_b32 v3, {k}
        buffer_store_dword v3, v2, s[12:15], s10 offen""" for k in range(8)) + """
        v_mov_b32 v12, 0
        s_mov_b32 s4, 8
        v_mov_b32 v2, 0
        s_waitcnt vmcnt(0)
    again:
        buffer_load_dword v3, v2, s[12:15], s10 offen
        v_lshlrev_b32 v12, 4, v12
        v_iadd v2, 4, v2
        s_sub_u32 s4, s4, 1
        s_cmp_lg_u32 s4, 0
        s_waitcnt vmcnt(0)
        v_or_b32 v12, v12, v3
        s_cbranch_scc1 again
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v12, v0, s[16:19], 0 offen
        s_endpgm""")
    inverse = lambda p: [p.index(k) for k in range(8)]
    s.leaves(target, [int("".join(map(str, inverse(p))), 16) for p in permutation])


@compute
def collatz(s):
    """Steps to 1 of a number for each lane; lanes leave the loop when they are there."""
    target, out = storage(s, bytes(4 * 64))
    group(s, out, mask=0xFFFF_FFFF_FFFF_FFFE)
    s.text(sharps(1) + """
        v_mov_b32 v1, v0
        v_mov_b32 v2, 0
        s_mov_b64 s[12:13], exec
    again:
        v_cmp_ne_u32 vcc, 1, v1
        s_and_b64 exec, exec, vcc
        s_cbranch_execz done
        v_and_b32 v3, 1, v1
        v_cmp_eq_u32 vcc, 1, v3
        v_mul_lo_u32 v3, v1, 3
        s_mov_b64 s[14:15], vcc
        v_iadd v3, 1, v3
        v_lshrrev_b32 v1, 1, v1
        v_cndmask_b32 v1, v1, v3, s[14:15]
        v_iadd v2, 1, v2
        s_branch again
    done:
        s_mov_b64 exec, s[12:13]
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v2, v0, s[16:19], 0 offen
        s_endpgm""")

    def steps(n):
        count = 0
        while n != 1:
            n, count = (3 * n + 1 if n & 1 else n // 2), count + 1
        return count
    s.leaves(target, [0] + [steps(n) for n in range(1, 64)])


@compute
def mandelbrot(s):
    """Iterations until the point is far; every operation is rounded to binary32."""
    target, out = storage(s, bytes(4 * 64))
    group(s, out)
    s.text(sharps(1) + """
        v_and_b32 v1, 7, v0
        v_lshrrev_b32 v2, 3, v0
        v_cvt_f32_u32 v1, v1
        v_cvt_f32_u32 v2, v2
        v_mul_f32 v1, 0x3eb33333, v1
        v_add_f32 v1, -2.0, v1
        v_mul_f32 v2, 0x3e19999a, v2
        v_mov_b32 v3, 0
        v_mov_b32 v4, 0
        v_mov_b32 v5, 0
        s_mov_b32 s4, 50
        s_mov_b64 s[12:13], exec
    again:
        v_mul_f32 v6, v3, v3
        v_mul_f32 v7, v4, v4
        v_add_f32 v8, v6, v7
        v_cmp_ge_f32 vcc, 4.0, v8
        s_and_b64 exec, exec, vcc
        s_cbranch_execz done
        v_mul_f32 v4, v3, v4
        v_sub_f32 v3, v6, v7
        v_add_f32 v4, v4, v4
        v_add_f32 v3, v3, v1
        v_add_f32 v4, v4, v2
        v_iadd v5, 1, v5
        s_sub_u32 s4, s4, 1
        s_cbranch_scc1 done
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 again
    done:
        s_mov_b64 exec, s[12:13]
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v5, v0, s[16:19], 0 offen
        s_endpgm""")

    def iterations(lane):
        cx, cy = single(single(lane % 8 * number(0x3EB33333)) - 2), single(lane // 8 * number(0x3E19999A))
        x = y = 0.0
        for n in range(50):
            xx, yy = single(x * x), single(y * y)
            if not single(xx + yy) <= 4:
                return n
            xy = single(x * y)
            x, y = single(single(xx - yy) + cx), single(single(xy + xy) + cy)
        return 50
    s.leaves(target, [iterations(lane) for lane in range(64)])


@compute
def unsigned_division(s):
    """n / d and n % d as LLVM expands them: a reciprocal, one step of Newton, two corrections."""
    n = [s.rnd.getrandbits(32) >> s.rnd.randrange(20) for _ in range(64)]
    d = [max(1, s.rnd.getrandbits(32) >> s.rnd.randrange(31)) for _ in range(64)]
    n[:4], d[:4] = [M32, M32, 7, 0], [1, M32, 0x8000_0000, 3]
    target, out = storage(s, bytes(8 * 64))
    group(s, out, s.buffer(s.data([x for pair in zip(n, d) for x in pair]), 512))
    s.text(sharps(2) + """
        v_lshlrev_b32 v0, 3, v0
        buffer_load_dwordx2 v[2:3], v0, s[20:23], 0 offen
        s_waitcnt vmcnt(0)
        v_cvt_f32_u32 v4, v3
        v_rcp_iflag_f32 v4, v4
        v_mul_f32 v4, 0x4f7ffffe, v4
        v_cvt_u32_f32 v4, v4
        v_isub v5, 0, v3
        v_mul_lo_u32 v5, v5, v4
        v_mul_hi_u32 v5, v4, v5
        v_iadd v4, v4, v5
        v_mul_hi_u32 v4, v2, v4
        v_mul_lo_u32 v5, v4, v3
        v_isub v6, v2, v5
        """ + """
        v_iadd v7, 1, v4
        v_isub v8, v6, v3
        v_cmp_ge_u32 vcc, v6, v3
        v_cndmask_b32 v4, v4, v7, vcc
        v_cndmask_b32 v6, v6, v8, vcc
        """ * 2 + """
        v_mov_b32 v5, v6
        buffer_store_dwordx2 v[4:5], v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [x for a, b in zip(n, d) for x in divmod(a, b)])


@compute
def wide_integers(s):
    """64-bit products, sums with carry, shifts and comparisons."""
    a, b = ([s.rnd.getrandbits(64) >> s.rnd.randrange(40) for _ in range(64)] for _ in range(2))
    target, out = storage(s, bytes(24 * 64))
    pairs = b"".join(x.to_bytes(8, "little") + y.to_bytes(8, "little") for x, y in zip(a, b))
    group(s, out, s.buffer(s.data(pairs), 1024))
    s.text(sharps(2) + """
        v_lshlrev_b32 v1, 4, v0
        buffer_load_dwordx4 v[4:7], v1, s[20:23], 0 offen
        v_mul_u32_u24 v0, 24, v0
        s_waitcnt vmcnt(0)
        v_mul_lo_u32 v8, v4, v6
        v_mul_hi_u32 v9, v4, v6
        v_mul_lo_u32 v10, v4, v7
        v_mul_lo_u32 v11, v5, v6
        v_iadd v9, v9, v10
        v_iadd v9, v9, v11
        [67] v_add_i32 v10, vcc, v4, v6
        [67] v_addc_u32 v11, vcc, v5, v7, vcc
        [8] v_add_u32 v10, vcc, v4, v6
        [8] v_addc_u32 v11, vcc, v5, v7, vcc
        [9] v_add_co_u32 v10, vcc, v4, v6
        [9] v_addc_co_u32 v11, vcc, v5, v7, vcc
        buffer_store_dwordx4 v[8:11], v0, s[16:19], 0 offen
        v_cmp_lt_u64 s[12:13], v[4:5], v[6:7]
        [67] v_lshl_b64 v[8:9], v[4:5], 13
        [89] v_lshlrev_b64 v[8:9], 13, v[4:5]
        v_cndmask_b32 v9, v9, v7, s[12:13]
        v_cndmask_b32 v8, v8, v6, s[12:13]
        buffer_store_dwordx2 v[8:9], v0, s[16:19], 0 offen offset:16
        s_endpgm""")
    w = lambda x: (x & (1 << 64) - 1).to_bytes(8, "little")
    s.leaves(target, b"".join(w(x * y) + w(x + y) + w(y if x < y else x << 13) for x, y in zip(a, b)))


@compute
def doubles(s):
    """A polynomial in binary64, and conversions to and from integers."""
    x = [s.rnd.randrange(-1 << 20, 1 << 20) / 1024 for _ in range(64)]
    target, out = storage(s, bytes(16 * 64))
    group(s, out, s.buffer(s.data(struct.pack("<64d", *x)), 512))
    s.text(sharps(2) + """
        v_lshlrev_b32 v1, 3, v0
        v_lshlrev_b32 v0, 4, v0
        buffer_load_dwordx2 v[2:3], v1, s[20:23], 0 offen
        s_waitcnt vmcnt(0)
        v_fma_f64 v[4:5], v[2:3], 0.5, 1.0
        v_fma_f64 v[4:5], v[4:5], v[2:3], -4.0
        v_add_f64 v[4:5], v[4:5], |v[2:3]|
        v_cvt_i32_f64 v6, v[2:3]
        v_cvt_f32_f64 v7, v[2:3]
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, b"".join(struct.pack("<dif", (v * 0.5 + 1) * v - 4 + abs(v), int(v), v) for v in x))


@compute
def bit_fields(s):
    """Extraction, insertion, counting, reversal, alignment."""
    a, b = ([s.rnd.getrandbits(32) >> s.rnd.randrange(0, 32, 5) for _ in range(64)] for _ in range(2))
    target, out = storage(s, bytes(32 * 64))
    group(s, out)
    s.v(1, lambda lane: a[lane])
    s.v(2, lambda lane: b[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 5, v0
        v_bfe_u32 v4, v1, 5, 11
        v_bfe_i32 v5, v1, v2, 7
        s_mov_b32 s4, 0x00ffff00
        v_bfi_b32 v6, s4, v1, v2
        v_alignbit_b32 v7, v1, v2, 13
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen
        v_bfrev_b32 v4, v1
        s_movk_i32 s5, 0x64
        v_bcnt_u32_b32 v5, v1, s5
        v_ffbh_u32 v6, v1
        v_ffbl_b32 v7, v2
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen offset:16
        s_endpgm""")

    def fields(x, y):
        at = y & 31
        piece = x >> at & 127
        signed = piece - (piece >> 6 << 7)
        if at + 7 > 32:
            signed = (x - (x >> 31 << 32)) >> at
        return [x >> 5 & 2047, signed, x & 0xFFFF00 | y & 0xFF0000FF, (x << 32 | y) >> 13 & M32,
                int(f"{x:032b}"[::-1], 2), 100 + x.bit_count(), 32 - x.bit_length() if x else M32,
                (y & -y).bit_length() - 1 if y else M32]
    s.leaves(target, [v for x, y in zip(a, b) for v in fields(x, y)])


@compute
def checksum(s):
    """CRC-32 of four bytes for each lane, bit by bit in a scalar loop."""
    words = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, bytes(4 * 64))
    group(s, out)
    s.v(1, lambda lane: words[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 2, v0
        v_not_b32 v2, v1
        s_movk_i32 s4, 31
        s_mov_b32 s5, 0xedb88320
    again:
        v_and_b32 v3, 1, v2
        v_isub v3, 0, v3
        v_and_b32 v3, s5, v3
        v_lshrrev_b32 v2, 1, v2
        v_xor_b32 v2, v2, v3
        s_sub_u32 s4, s4, 1
        s_cbranch_scc0 again
        v_not_b32 v2, v2
        buffer_store_dword v2, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [zlib.crc32(w.to_bytes(4, "little")) for w in words])


@compute
def subroutine(s):
    """A function called from two places, by an address made of the PC, above 4 GiB."""
    x = [s.rnd.randrange(-64, 64) / 4 for _ in range(64)]
    target, out = storage(s, bytes(4 * 64))
    group(s, out)
    s.v(1, lambda lane: x[lane])
    s.text(sharps(1) + """
        s_getpc_b64 s[4:5]
    here:
        s_add_u32 s4, s4, square-here
        s_addc_u32 s5, s5, 0
        s_swappc_b64 s[6:7], s[4:5]
        v_add_f32 v1, 2.0, v1
        s_swappc_b64 s[6:7], s[4:5]
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v1, v0, s[16:19], 0 offen
        s_endpgm
    square:
        v_mul_f32 v1, v1, v1
        v_add_f32 v1, -1.0, v1
        s_setpc_b64 s[6:7]""")

    def value(v):
        return single(single(single(single(single(v * v) - 1) + 2) ** 2) - 1)
    s.leaves(target, [value(v) for v in x])


@compute
def registers_by_index(s):
    """An array in registers: a uniform index that a loop takes from the lanes one after the other."""
    index = [s.rnd.randrange(4) for _ in range(64)]
    target, out = storage(s, bytes(4 * 64))
    group(s, out)
    s.v(1, lambda lane: index[lane])
    for k in range(4):
        s.v(4 + k, lambda lane, k=k: 1000 * k + lane)
    s.text(sharps(1) + """
        s_mov_b64 s[12:13], exec
    again:
        v_readfirstlane_b32 s4, v1
        v_cmp_eq_u32 vcc, s4, v1
        s_and_saveexec_b64 s[14:15], vcc
        [678] s_mov_b32 m0, s4
        [678] v_movrels_b32 v2, v4
        [9] s_set_gpr_idx_on s4, gpr_idx(SRC0)
        [9] v_mov_b32 v2, v4
        [9] s_set_gpr_idx_off
        s_xor_b64 exec, exec, s[14:15]
        s_cbranch_execnz again
        s_mov_b64 exec, s[12:13]
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v2, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [1000 * index[k] + k for k in range(64)])


@compute
def uniform_choice(s):
    """Branches on what all lanes agree about: VCCZ, SCC, and a switch over a push constant."""
    target, out = storage(s, bytes(4 * 64))
    group(s, out, push=(2,))
    s.text(sharps(1) + """
        s_cmp_eq_u32 s4, 0
        s_cbranch_scc1 case0
        s_cmp_eq_u32 s4, 1
        s_cbranch_scc1 case1
        s_cmp_lt_i32 s4, 5
        s_cbranch_scc1 case2
        v_mov_b32 v1, -1
        s_branch store
    case0:
        v_mov_b32 v1, 10
        s_branch store
    case1:
        v_mov_b32 v1, 11
        s_branch store
    case2:
        v_cmp_lt_u32 vcc, 63, v0
        s_cbranch_vccz none
        v_mov_b32 v1, 12
        s_branch store
    none:
        v_cmp_le_u32 vcc, 0, v0
        s_cbranch_vccz store
        v_mul_u32_u24 v1, 3, v0
    store:
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v1, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [3 * k for k in range(64)])


@of_generations("89")
def half_arithmetic(s):
    """f16 and i16 instructions of one component."""
    x = [s.rnd.randrange(-64, 64) / 8 for _ in range(64)]
    target, out = storage(s, bytes(8 * 64))
    group(s, out)
    s.v(1, lambda lane: f16(x[lane]))
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 3, v0
        v_mov_b32 v3, 0x4000
        v_add_f16 v2, 1.0, v1
        v_mul_f16 v2, v2, v3
        v_max_f16 v4, v1, v2
        v_lshlrev_b32 v4, 16, v4
        v_or_b32 v2, v2, v4
        v_cvt_i16_f16 v3, v1
        v_and_b32 v3, 0xffff, v3
        buffer_store_dwordx2 v[2:3], v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [v for y in x for v in (f16(2 * (y + 1)) | f16(max(y, 2 * (y + 1))) << 16, int(y) & 0xFFFF)])


@of_generations("9")
def packed_half_arithmetic(s):
    """Two halves at once, with OP_SEL and NEG."""
    x, y = ([s.rnd.randrange(-64, 64) / 8 for _ in range(64)] for _ in range(2))
    target, out = storage(s, bytes(8 * 64))
    group(s, out)
    s.v(1, lambda lane: f16(x[lane]) | f16(y[lane]) << 16)
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 3, v0
        v_pk_add_f16 v2, v1, v1 op_sel:[0,1] op_sel_hi:[1,0]
        v_pk_fma_f16 v3, v1, 2.0, v1 op_sel_hi:[1,0,1] neg_lo:[1,0,0]
        buffer_store_dwordx2 v[2:3], v0, s[16:19], 0 offen
        s_endpgm""")
    pack = lambda a, b: f16(a) | f16(b) << 16
    s.leaves(target, [v for a, b in zip(x, y) for v in (pack(a + b, b + a), pack(-a * 2 + a, b * 2 + b))])
