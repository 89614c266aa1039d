"""Compute shaders that compute something known: hashes, cells, quotients, sorted and counted things."""

import hashlib
import math
import struct
from fractions import Fraction

from gcnmem.formats import rounded

from .base import M32, bits_of, dwords, f16, f32, number
from .compute import compute, group, of_generations, sharps, storage
from .compute_images import TILE, tile
from .compute_shared import LIMIT
from .images import UINT, Image


@compute
def md5(s):
    """MD5 of the lane's message of four bytes: 64 unrolled rounds, constants in the code."""
    words = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, bytes(16 * 64))
    group(s, out)
    s.v(1, lambda lane: words[lane])
    start = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
    shifts = (7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21)
    lines = [f"v_mov_b32 v{4 + k}, {x:#x}" for k, x in enumerate(start)]
    # the message: the word, then 0x80, zeros, the length in bits
    lines += ["v_mov_b32 v2, 0x80", "v_mov_b32 v3, 32"]
    message = {0: "v1", 1: "v2", 14: "v3"}
    a, b, c, d = "v4", "v5", "v6", "v7"
    for k in range(64):
        turn = k // 16
        if turn == 0:
            lines += [f"v_bfi_b32 v8, {b}, {c}, {d}"]
        elif turn == 1:
            lines += [f"v_bfi_b32 v8, {d}, {b}, {c}"]
        elif turn == 2:
            lines += [f"v_xor_b32 v8, {b}, {c}", f"v_xor_b32 v8, v8, {d}"]
        else:
            lines += [f"v_not_b32 v8, {d}", f"v_or_b32 v8, {b}, v8", f"v_xor_b32 v8, {c}, v8"]
        place = (k, 5 * k + 1, 3 * k + 5, 7 * k)[turn] % 16
        lines += [f"v_iadd {a}, {a}, v8", f"v_iadd {a}, {math.floor(abs(math.sin(k + 1)) * 2 ** 32):#x}, {a}"]
        lines += [f"v_iadd {a}, {a}, {message[place]}"] if place in message else []
        lines += [f"v_alignbit_b32 {a}, {a}, {a}, {32 - shifts[turn][k % 4]}", f"v_iadd {a}, {a}, {b}"]
        a, b, c, d = d, a, b, c
    lines += [f"v_iadd v{4 + k}, {x:#x}, v{4 + k}" for k, x in enumerate(start)]
    s.text(sharps(1) + "\n".join(lines) + """
        v_lshlrev_b32 v0, 4, v0
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, b"".join(hashlib.md5(w.to_bytes(4, "little")).digest() for w in words))


@compute
def game_of_life(s):
    """One generation on a torus of 8 x 8, in an image of bytes."""
    cells = {(x, y): s.rnd.randrange(2) for x in range(8) for y in range(8)}
    source = Image(s, "2d", 8, 8, dfmt=1, nfmt=UINT, texels=lambda l, p, x, y: cells[x, y])
    target = Image(s, "2d", 8, 8, dfmt=1, nfmt=UINT, texels=lambda *_: 7)
    group(s, source.words, target.words)
    tile(s)
    text = TILE + "v_mov_b32 v6, 0\n"
    for dx, dy in ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
        text += f"""
        v_iadd v2, {dx}, v0
        v_iadd v3, {dy}, v1
        v_and_b32 v2, 7, v2
        v_and_b32 v3, 7, v3
        image_load v4, v[2:3], s[16:23] dmask:0x1 unorm
        s_waitcnt vmcnt(0)
        v_iadd v6, v6, v4"""
    s.text(text + """
        image_load v4, v[0:1], s[16:23] dmask:0x1 unorm
        s_waitcnt vmcnt(0)
        v_or_b32 v6, v6, v4
        v_cmp_eq_u32 vcc, 3, v6
        v_cndmask_b32 v6, 0, 1, vcc
        image_store v6, v[0:1], s[24:31] dmask:0x1 unorm
        s_endpgm""")
    s.doubts.add("mimg-store-dmask")

    def alive(x, y):
        count = sum(cells[(x + i) % 8, (y + j) % 8] for i in (-1, 0, 1) for j in (-1, 0, 1)) - cells[x, y]
        return int(count == 3 or cells[x, y] and count == 2)
    target.stored({(0, 0, x, y): alive(x, y) for x, y in cells})


@compute
def exact_quotients(s):
    """f32 and f64 division by LLVM's sequences, correctly rounded; edges of the f32 range among the operands."""
    x = [number(s.rnd.getrandbits(1) << 31 | s.rnd.randrange(60, 190) << 23 | s.rnd.getrandbits(23)) for _ in range(64)]
    y = [number(s.rnd.getrandbits(1) << 31 | s.rnd.randrange(60, 190) << 23 | s.rnd.getrandbits(23)) for _ in range(64)]
    x[:4], y[:4] = [2.0 ** 127, 3.0, 2.0 ** -126, 1.0], [2.0 ** 100, 2.0 ** -120, 1.5 * 2.0 ** -126, 2.0 ** 126]
    target, out = storage(s, bytes(16 * 64))
    group(s, out)
    s.v(1, lambda lane: x[lane])
    s.v(2, lambda lane: y[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 4, v0
        v_div_scale_f32 v4, s[4:5], v2, v2, v1
        v_div_scale_f32 v5, vcc, v1, v2, v1
        v_rcp_f32 v6, v4
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
        v_fma_f32 v7, -v4, v6, 1.0
        v_fma_f32 v6, v7, v6, v6
        v_mul_f32 v7, v5, v6
        v_fma_f32 v8, -v4, v7, v5
        v_fma_f32 v7, v8, v6, v7
        v_fma_f32 v4, -v4, v7, v5
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        v_div_fmas_f32 v4, v4, v6, v7
        v_div_fixup_f32 v4, v4, v2, v1
        buffer_store_dword v4, v0, s[16:19], 0 offen
        v_cvt_f64_f32 v[4:5], v1
        v_cvt_f64_f32 v[6:7], v2
        v_div_scale_f64 v[8:9], s[4:5], v[6:7], v[6:7], v[4:5]
        v_rcp_f64 v[10:11], v[8:9]
        v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0
        v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]
        v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0
        v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]
        v_div_scale_f64 v[12:13], vcc, v[4:5], v[6:7], v[4:5]
        v_mul_f64 v[14:15], v[12:13], v[10:11]
        v_fma_f64 v[8:9], -v[8:9], v[14:15], v[12:13]
        [6] v_div_scale_f64 v[12:13], vcc, v[4:5], v[6:7], v[4:5]
        v_div_fmas_f64 v[8:9], v[8:9], v[10:11], v[14:15]
        v_div_fixup_f64 v[4:5], v[8:9], v[6:7], v[4:5]
        buffer_store_dwordx2 v[4:5], v0, s[16:19], 0 offen offset:8
        s_endpgm""")

    def quotients(a, b):
        bits = rounded(Fraction(a) / Fraction(b))
        if not bits & 0x7F80_0000:
            bits &= 0x8000_0000                 # denormals are flushed
        return dwords([bits, 0]) + struct.pack("<d", a / b)
    s.leaves(target, b"".join(quotients(a, b) for a, b in zip(x, y)))


@compute
def round_modes(s):
    """Sums and conversions under the four rounding modes, set by S_SETREG."""
    x = [s.rnd.randrange(1 << 24) + s.rnd.randrange(4) / 4 for _ in range(64)]
    x = [number(f32(v)) for v in x]
    target, out = storage(s, bytes(16 * 64))
    group(s, out)
    s.v(1, lambda lane: x[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 4, v0
        v_mov_b32 v2, 0x3f99999a
        """ + "".join(f"""
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), {5 * k}
        v_add_f32 v{4 + k}, v1, v2""" for k in range(4)) + """
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen
        s_endpgm""")

    def sums(a):
        exact = Fraction(a) + Fraction(number(0x3F99999A))
        near = rounded(exact)
        up = near if Fraction(number(near)) >= exact else near + 1
        down = near if Fraction(number(near)) <= exact else near - 1
        return [near, up, down, down]
    s.leaves(target, [v for a in x for v in sums(a)])


@compute
def lists_of_constants(s):
    """Scalar loads of constants behind the code, at an offset from the PC; a table of jumps among them."""
    target, out = storage(s, bytes(4 * 64))
    group(s, out, push=(2,))
    s.constants = [bits_of(1.5), 7, 1000, 0x1234_5678]
    s.text("""
        s_getpc_b64 s[12:13]
    here:
        s_add_u32 s12, s12, behind-here
        s_addc_u32 s13, s13, 0
        s_lshl_b32 s4, s4, 2
        s_load_dword s5, s[12:13], s4
        s_load_dwordx2 s[6:7], s[12:13], off(0x0)
        """ + sharps(1) + """
        v_mul_lo_u32 v1, v0, s5
        v_iadd v1, s7, v1
        v_cvt_f32_u32 v2, v1
        v_mul_f32 v2, s6, v2
        v_cvt_u32_f32 v2, v2
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v2, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [int((1000 * k + 7) * 1.5) for k in range(64)])


@compute
def structures(s):
    """An array of structures in memory, summed by a uniform loop of wide scalar loads."""
    rows = [[s.rnd.randrange(1000) for _ in range(16)] for _ in range(5)]
    address = s.data([x for row in rows for x in row])
    target, out = storage(s, [0] * 4)
    group(s, out, push=(0,))
    s.s64(12, address)
    s.text(sharps(1) + """
        s_mov_b32 s6, 0
        s_mov_b32 s7, 5
    again:
        s_load_dwordx16 s[32:47], s[12:13], off(0x0)
        s_add_u32 s12, s12, 64
        s_addc_u32 s13, s13, 0
        s_waitcnt lgkmcnt(0)
        s_max_u32 s32, s32, s47
        s_mul_i32 s33, s33, s46
        s_add_u32 s6, s6, s32
        s_add_u32 s6, s6, s33
        s_xor_b32 s6, s6, s40
        s_sub_u32 s7, s7, 1
        s_cmp_eq_u32 s7, 0
        s_cbranch_scc0 again
        v_mov_b32 v1, s6
        v_cmp_eq_u32 vcc, 0, v0
        s_and_b64 exec, exec, vcc
        buffer_store_dword v1, off, s[16:19], 0 offset:8
        s_endpgm""")
    total = 0
    for row in rows:
        total = total + max(row[0], row[15]) + row[1] * row[14] & M32 ^ 0
        total ^= row[8]
    s.leaves(target, [0, 0, total & M32])


@compute
def wide_lds(s):
    """LDS with 64 bits: pairs, compare and swap, minimum of floats, doubles."""
    values = [s.rnd.randrange(-999, 999) / 8 for _ in range(64)]
    target, out = storage(s, bytes(16 * 64))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.lds_size = 2048
    s.lds = bytes(1024) + dwords([1000.0, -1000.0]) + (5).to_bytes(8, "little")
    s.text(sharps(1) + LIMIT + """
        v_cvt_f64_f32 v[2:3], v1
        v_lshlrev_b32 v4, 3, v0
        ds_write_b64 v4, v[2:3]
        v_mov_b32 v5, 0
        ds_min_f32 v5, v1 offset:1024
        ds_max_f32 v5, v1 offset:1028
        v_mov_b32 v6, 5
        v_mov_b32 v7, 0
        v_mov_b32 v8, v0
        v_mov_b32 v9, v0
        ds_cmpst_b64 v5, v[6:7], v[8:9] offset:1032
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_xor_b32 v4, 0x1f8, v4
        ds_read_b64 v[10:11], v4
        ds_read2_b32 v[12:13], v5 offset0:0 offset1:1
        v_cmp_gt_u32 vcc, 32, v0
        s_waitcnt lgkmcnt(0)
        s_and_saveexec_b64 s[4:5], vcc
        ds_read2_b64 v[10:13], v5 offset0:3 offset1:129
        s_waitcnt lgkmcnt(0)
        s_mov_b64 exec, s[4:5]
        v_lshlrev_b32 v0, 4, v0
        buffer_store_dwordx4 v[10:13], v0, s[16:19], 0 offen
        s_endpgm""")
    # the first lane finds the 5 and leaves its number; read2_b32 reads dwords 0 and 1: the double of lane 0
    double = lambda v: struct.pack("<d", v)
    low = double(values[3]) + (0).to_bytes(8, "little")
    s.leaves(target, b"".join(low if k < 32 else double(values[63 - k]) + double(values[0]) for k in range(64)))


@compute
def wide_atomics(s):
    """64-bit atomics in memory: sums, maxima, exchange by one lane."""
    values = [s.rnd.getrandbits(63) for _ in range(64)]
    start = [s.rnd.getrandbits(64) for _ in range(3)]
    target, out = storage(s, b"".join(x.to_bytes(8, "little") for x in start))
    group(s, out, mask=0x8000_0000_0000_0F0F)
    s.v(2, lambda lane: values[lane])
    s.v(3, lambda lane: values[lane] >> 32)
    s.text(sharps(1) + """
        buffer_atomic_add_x2 v[2:3], off, s[16:19], 0
        buffer_atomic_umax_x2 v[2:3], off, s[16:19], 0 offset:8
        v_cmp_eq_u32 vcc, 63, v0
        s_and_b64 exec, exec, vcc
        buffer_atomic_swap_x2 v[2:3], off, s[16:19], 0 offset:16
        s_endpgm""")
    mine = [values[k] for k in s.lanes()]
    after = [(start[0] + sum(mine)) % 2 ** 64, max(mine + [start[1]]), values[63]]
    s.leaves(target, b"".join(x.to_bytes(8, "little") for x in after))


@compute
def count_letters(s):
    """Bytes of a text, compared four at a time: SAD, masks, population counts; a scalar loop over the bits."""
    text = b"the quick brown fox jumps over the lazy dog and the five boxing wizards jump quickly at dawn " * 3
    text = text[:256]
    target, out = storage(s, [0] * 4)
    group(s, out, s.buffer(s.data(text), 256))
    s.text(sharps(2) + """
        v_lshlrev_b32 v1, 2, v0
        buffer_load_dword v2, v1, s[20:23], 0 offen
        s_mov_b32 s4, 0
        s_mov_b64 s[6:7], 0
        s_waitcnt vmcnt(0)
        """ + "".join(f"""
        v_bfe_u32 v3, v2, {8 * k}, 8
        v_cmp_eq_u32 vcc, 0x65, v3
        s_bcnt1_i32_b64 s8, vcc
        s_add_u32 s4, s4, s8
        s_or_b64 s[6:7], s[6:7], vcc""" for k in range(4)) + """
        s_mov_b32 s9, 0
    again:
        s_ff1_i32_b64 s10, s[6:7]
        s_cmp_eq_i32 s10, -1
        s_cbranch_scc1 out
        s_add_u32 s9, s9, s10
        s_bitset0_b64 s[6:7], s10
        s_branch again
    out:
        v_sad_u8 v4, v2, 0, 0
        v_mov_b32 v5, 0
        v_mov_b32 v6, s4
        v_mov_b32 v7, s9
        buffer_atomic_add v4, off, s[16:19], 0
        v_cmp_eq_u32 vcc, 0, v0
        s_and_b64 exec, exec, vcc
        buffer_store_dwordx2 v[6:7], off, s[16:19], 0 offset:8
        s_endpgm""")
    where = {k // 4 for k, c in enumerate(text) if c == ord("e")}
    s.leaves(target, [sum(text), 0, text.count(b"e"), sum(where)])


@compute
def random_numbers(s):
    """A xorshift generator of each lane, 20 steps; how many are even, by ballots."""
    seeds = [s.rnd.getrandbits(32) | 1 for _ in range(64)]
    target, out = storage(s, [0] * 64)
    group(s, out)
    s.v(1, lambda lane: seeds[lane])
    s.text(sharps(1) + """
        s_mov_b32 s4, 20
        s_mov_b32 s5, 0
    again:
        v_lshlrev_b32 v2, 13, v1
        v_xor_b32 v1, v1, v2
        v_lshrrev_b32 v2, 17, v1
        v_xor_b32 v1, v1, v2
        v_lshlrev_b32 v2, 5, v1
        v_xor_b32 v1, v1, v2
        v_and_b32 v2, 1, v1
        v_cmp_eq_u32 s[6:7], 0, v2
        s_bcnt1_i32_b64 s8, s[6:7]
        s_add_i32 s5, s5, s8
        s_sub_i32 s4, s4, 1
        s_cmp_gt_i32 s4, 0
        s_cbranch_scc1 again
        v_mov_b32 v2, s5
        v_cmp_eq_u32 vcc, 63, v0
        v_cndmask_b32 v1, v1, v2, vcc
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v1, v0, s[16:19], 0 offen
        s_endpgm""")
    states, even = list(seeds), 0
    for _ in range(20):
        for k, x in enumerate(states):
            x ^= x << 13 & M32
            x ^= x >> 17
            states[k] = x = x ^ x << 5 & M32
            even += not x & 1
    s.leaves(target, states[:63] + [even])


@compute
def median_of_nine(s):
    """A sorting network of minima and maxima; then the middle by V_MED3."""
    columns = [[s.rnd.getrandbits(16) for _ in range(9)] for _ in range(64)]
    target, out = storage(s, [0] * 64)
    group(s, out)
    for k in range(9):
        s.v(4 + k, lambda lane, k=k: columns[lane][k])
    lines = []
    for row in range(3):
        a, b, c = (f"v{4 + 3 * row + k}" for k in range(3))
        lines += [f"v_min3_u32 v{16 + row}, {a}, {b}, {c}", f"v_med3_u32 v{20 + row}, {a}, {b}, {c}",
                  f"v_max3_u32 v{24 + row}, {a}, {b}, {c}"]
    s.text(sharps(1) + "\n".join(lines) + """
        v_max3_u32 v1, v16, v17, v18
        v_med3_u32 v2, v20, v21, v22
        v_min3_u32 v3, v24, v25, v26
        v_med3_u32 v1, v1, v2, v3
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v1, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [sorted(column)[4] for column in columns])


@compute
def half_floats_in_memory(s):
    """Pairs of halves, packed toward zero and unpacked; integers normalised."""
    x = [s.rnd.randrange(-30000, 30000) / 7 for _ in range(64)]
    y = [s.rnd.randrange(-30000, 30000) / 20000 for _ in range(64)]
    x, y = ([number(f32(v)) for v in values] for values in (x, y))
    target, out = storage(s, bytes(8 * 64))
    group(s, out)
    s.v(1, lambda lane: x[lane])
    s.v(2, lambda lane: y[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 3, v0
        v_cvt_pkrtz_f16_f32 v4, v1, v2
        v_cvt_pknorm_i16_f32 v5, v2, -v2
        buffer_store_dwordx2 v[4:5], v0, s[16:19], 0 offen
        s_endpgm""")
    norm = lambda v: round(Fraction(min(max(v, -1.0), 1.0)) * 32767) & 0xFFFF
    s.leaves(target, [v for a, b in zip(x, y) for v in (f16(a) | f16(b) << 16, norm(b) | norm(-b) << 16)])


@of_generations("789")
def flat_memory(s):
    """FLAT loads of all widths through 64-bit pointers of each lane, an atomic, and a store of bytes."""
    content = s.rnd.randbytes(2048)
    address = s.data(content)
    target = s.data(bytes(16 * 64))
    group(s)
    places = [s.rnd.randrange(0, 2048 - 32, 4) for _ in range(64)]
    s.v(2, lambda lane: address + places[lane])
    s.v(3, lambda lane: address + places[lane] >> 32)
    s.v(4, lambda lane: target + 16 * lane)
    s.v(5, lambda lane: target + 16 * lane >> 32)
    s.text("""
        flat_load_dwordx3 v[8:10], v[2:3]
        flat_load_sbyte v11, v[2:3]
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_xor_b32 v8, v8, v9
        v_xor_b32 v8, v8, v10
        v_mov_b32 v9, v11
        flat_store_dwordx2 v[4:5], v[8:9]
        flat_atomic_add v6, v[4:5], v10 glc
        s_waitcnt vmcnt(0) lgkmcnt(0)
        [7] v_add_i32 v4, vcc, 12, v4
        [8] v_add_u32 v4, vcc, 12, v4
        [78] v_addc_u32 v5, vcc, 0, v5, vcc
        [9] v_add_co_u32 v4, vcc, 12, v4
        [9] v_addc_co_u32 v5, vcc, 0, v5, vcc
        flat_store_byte v[4:5], v6
        s_endpgm""")

    def stored(place):
        a, b, c = struct.unpack_from("<III", content, place)
        first = a ^ b ^ c
        signed = struct.unpack_from("<b", content, place)[0]
        return dwords([first + c, signed, 0]) + bytes([first & 0xFF, 0, 0, 0])
    s.leaves(target, b"".join(stored(place) for place in places))
