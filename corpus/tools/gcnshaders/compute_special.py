"""Compute shaders with what single generations have, and with instructions that only schedule or synchronise."""

import struct

from .base import M32, f16, half
from .compute import compute, group, of_generations, sharps, storage
from .compute_shared import LIMIT


@compute
def loads_into_lds(s):
    """Buffer loads that write LDS at M0; a lane reads what another has loaded."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out, s.buffer(s.data(values), 256))
    s.lds_size = 1024
    s.text(sharps(2) + """
        v_lshlrev_b32 v1, 2, v0
        s_movk_i32 s4, 0x100
        s_mov_b32 m0, s4
        s_nop 0
        buffer_load_dword v9, v1, s[20:23], 0 offen lds
        s_waitcnt vmcnt(0)
        s_barrier
        """ + LIMIT + """
        v_xor_b32 v2, 0x44, v1
        ds_read_b32 v3, v2 offset:256
        s_waitcnt lgkmcnt(0)
        buffer_store_dword v3, v1, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [values[k ^ 0x11] for k in range(64)])


@compute
def append_and_consume(s):
    """Counters in LDS: lanes append and take away; all get what the counter was before. M0 does not count."""
    target, out = storage(s, [0] * 4)
    group(s, out, mask=0x0000_FFFF_0000_0FFF)
    s.lds_size = 512
    s.lds = bytes(16) + (100).to_bytes(4, "little") + (50).to_bytes(4, "little")
    s.text(sharps(1) + """
        s_mov_b32 m0, 16
        s_nop 0
        ds_append v1 offset:16
        ds_append v2 offset:16
        ds_consume v3 offset:20
        ds_consume v4 offset:20
        s_waitcnt lgkmcnt(0)
        v_cmp_eq_u32 vcc, 0, v0
        s_and_b64 exec, exec, vcc
        buffer_store_dwordx4 v[1:4], off, s[16:19], 0
        s_endpgm""")
    n = len(s.lanes())
    s.leaves(target, [100, 100 + n, 50, 50 - n])


@compute
def hints(s):
    """Priorities, sleeps, caches, waits and traces: nothing of it changes a result."""
    target, out = storage(s, [0] * 64)
    group(s, out)
    s.text(sharps(1) + """
        s_setprio 2
        s_sleep 1
        s_nop 7
        v_nop
        s_icache_inv
        s_dcache_inv
        [6] buffer_wbinvl1
        [789] buffer_wbinvl1_vol
        s_incperflevel 3
        s_decperflevel 3
        v_mul_u32_u24 v1, v0, v0
        s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
        s_ttracedata
        s_barrier
        s_setprio 0
        v_clrexcp
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v1, v0, s[16:19], 0 offen
        s_waitcnt vmcnt(0)
        s_endpgm""")
    s.leaves(target, [k * k for k in range(64)])


@of_generations("89")
def scalar_stores(s):
    """A uniform result is written by the scalar unit."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, [0] * 8)
    group(s, out, push=(11, 22))
    s.v(1, lambda lane: values[lane])
    s.s64(12, target)
    s.text(sharps(1) + """
        v_readlane_b32 s6, v1, 5
        v_cmp_lt_i32 vcc, 0, v1
        s_mov_b64 s[14:15], vcc
        s_store_dwordx2 s[4:5], s[12:13], 0x0
        s_store_dword s6, s[12:13], 0x8
        s_buffer_store_dwordx2 s[14:15], s[16:19], 0x10
        s_waitcnt lgkmcnt(0)
        s_dcache_wb
        s_endpgm""")
    mask = sum(1 << k for k, x in enumerate(values) if 0 < x < 1 << 31)
    s.leaves(target, [11, 22, values[5], 0, mask, mask >> 32])


@of_generations("9")
def scalar_atomics(s):
    """A counter of the wave: scalar atomics with and without return."""
    target, out = storage(s, [40, 7, 9, 0])
    group(s, out, push=(5, 0))
    s.s64(12, target)
    s.text(sharps(1) + """
        s_atomic_add s4, s[12:13], 0x0 glc
        s_movk_i32 s5, 0x64
        s_buffer_atomic_umax s5, s[16:19], 0x4
        s_mov_b64 s[6:7], 0x2222
        s_mov_b32 s7, 9
        s_atomic_cmpswap s[6:7], s[12:13], 0x8
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v1, s4
        v_cmp_eq_u32 vcc, 0, v0
        s_and_b64 exec, exec, vcc
        buffer_store_dword v1, off, s[16:19], 0 offset:12
        s_endpgm""")
    s.leaves(target, [45, 100, 0x2222, 40])


@of_generations("9")
def global_and_scratch(s):
    """GLOBAL with a scalar base, SCRATCH with FLAT_SCRATCH, offsets below 0."""
    values = [s.rnd.getrandbits(32) for _ in range(80)]
    source, target = s.data(values), s.data(bytes(256))
    group(s)
    s.s64(12, source + 64)
    s.s64(14, target)
    scratch = s.data(bytes(64 * 16), private=True)
    s.s64(102, scratch)
    s.text("""
        v_lshlrev_b32 v1, 2, v0
        v_mov_b32 v2, 0
        global_load_dword v3, v1, s[12:13] offset:-64
        s_waitcnt vmcnt(0)
        scratch_store_dword v2, v3, off offset:8
        scratch_store_dword v2, v0, off
        s_waitcnt vmcnt(0)
        s_movk_i32 s4, 4
        scratch_load_dword v6, off, s4 offset:4
        s_waitcnt vmcnt(0)
        global_store_dword v1, v6, s[14:15]
        s_endpgm""")
    # a dword of scratch is in 64 lanes, one after the other: each has its own
    s.leaves(target, values[:64])


@of_generations("89")
def lanes_by_dpp(s):
    """Mirrors, shifts with a bound, rotations and masks of rows."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, bytes(16 * 64))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 4, v0
        v_mov_b32_dpp v4, v1 row_mirror row_mask:0xf bank_mask:0xf
        v_mov_b32_dpp v5, v1 row_shl:3 row_mask:0xf bank_mask:0xf bound_ctrl:0
        v_mov_b32 v6, 7
        v_mov_b32_dpp v6, v1 row_ror:5 row_mask:0x5 bank_mask:0xf
        v_mov_b32 v7, -1
        v_xor_b32_dpp v7, v1, v1 row_half_mirror row_mask:0xf bank_mask:0x6
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen
        s_endpgm""")

    def moved(k):
        row, i = k & ~15, k & 15
        return [values[row | 15 - i], values[k + 3] if i + 3 < 16 else 0,
                values[row | i - 5 & 15] if 5 >> (k >> 4) & 1 else 7,
                values[k ^ 7] ^ values[k] if 6 >> (k >> 2 & 3) & 1 else M32]
    s.leaves(target, [x for k in range(64) for x in moved(k)])


@of_generations("9")
def three_operand_integers(s):
    """The integer instructions of gfx9 that do two things at once."""
    a, b, c = ([s.rnd.getrandbits(32) for _ in range(64)] for _ in range(3))
    target, out = storage(s, bytes(32 * 64))
    group(s, out)
    for n, values in ((1, a), (2, b), (3, c)):
        s.v(n, lambda lane, values=values: values[lane])
    s.text(sharps(1) + """
        v_lshlrev_b32 v0, 5, v0
        v_add3_u32 v4, v1, v2, v3
        v_lshl_add_u32 v5, v1, v2, v3
        v_add_lshl_u32 v6, v1, v2, 3
        v_lshl_or_b32 v7, v1, 16, v2
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen
        v_and_or_b32 v4, v1, v2, v3
        v_or3_b32 v5, v1, v2, v3
        v_xad_u32 v6, v1, v2, v3
        s_mov_b32 s4, 0x0c050307
        v_perm_b32 v7, v1, v2, s4
        buffer_store_dwordx4 v[4:7], v0, s[16:19], 0 offen offset:16
        s_endpgm""")

    def results(x, y, z):
        both = (x << 32 | y).to_bytes(8, "little")
        return [x + y + z, (x << (y & 31)) + z, (x + y & M32) << 3, x << 16 | y, x & y | z, x | y | z, (x ^ y) + z,
                both[7] | both[3] << 8 | both[5] << 16]
    s.leaves(target, [v & M32 for x, y, z in zip(a, b, c) for v in results(x, y, z)])


@of_generations("789")
def wide_products(s):
    """64-bit multiply-adds in a loop: a linear congruential generator of 64 bits, and a sum of absolute differences."""
    seeds = [s.rnd.getrandbits(64) for _ in range(64)]
    target, out = storage(s, bytes(8 * 64))
    group(s, out, push=(6364136223846793005 & M32, 6364136223846793005 >> 32))
    s.v(2, lambda lane: seeds[lane])
    s.v(3, lambda lane: seeds[lane] >> 32)
    s.text(sharps(1) + """
        s_mov_b32 s12, 10
        v_mov_b32 v10, 0x14057b7e
        v_mov_b32 v11, 0xf767814f
        v_mov_b32 v8, s4
        v_mov_b32 v9, s5
    again:
        v_mul_lo_u32 v4, v3, v8
        v_mul_lo_u32 v5, v2, v9
        v_mov_b32 v6, v11
        v_mov_b32 v7, v10
        v_iadd v4, v4, v5
        v_mad_u64_u32 v[6:7], vcc, v2, v8, v[6:7]
        v_mov_b32 v2, v6
        v_iadd v3, v7, v4
        s_sub_u32 s12, s12, 1
        s_cmp_lg_u32 s12, 0
        s_cbranch_scc1 again
        v_lshlrev_b32 v0, 3, v0
        buffer_store_dwordx2 v[2:3], v0, s[16:19], 0 offen
        s_endpgm""")

    def after(x):
        for _ in range(10):
            x = (x * 6364136223846793005 + 0x14057B7EF767814F) % 2 ** 64
        return x
    s.leaves(target, b"".join(after(x).to_bytes(8, "little") for x in seeds))


@of_generations("9")
def halves_in_memory(s):
    """D16 loads and stores of both halves, packed arithmetic in between."""
    x = [s.rnd.randrange(-128, 128) / 16 for _ in range(130)]
    raw = b"".join(f16(v).to_bytes(2, "little") for v in x)
    target, out = storage(s, bytes(4 * 64))
    group(s, out, s.buffer(s.data(raw), 260))
    s.text(sharps(2) + """
        v_lshlrev_b32 v1, 1, v0
        v_lshlrev_b32 v2, 2, v0
        buffer_load_short_d16 v3, v1, s[20:23], 0 offen
        buffer_load_short_d16_hi v3, v1, s[20:23], 0 offen offset:4
        s_waitcnt vmcnt(0)
        v_pk_mul_f16 v4, v3, v3 op_sel:[0,1] op_sel_hi:[1,0]
        v_pk_add_f16 v4, v4, v3
        buffer_store_short_d16_hi v4, v2, s[16:19], 0 offen
        buffer_store_short v4, v2, s[16:19], 0 offen offset:2
        s_endpgm""")

    def stored(k):
        a, b = x[k], x[k + 2]
        nearest = lambda v: int.from_bytes(struct.pack("<e", v), "little")
        product = half(nearest(a * b))
        return nearest(product + b) | nearest(product + a) << 16
    s.leaves(target, [stored(k) for k in range(64)])


@compute
def many_scalars(s):
    """Scalar arithmetic over all registers, then one store: bits, products, comparisons, selections."""
    values = [s.rnd.getrandbits(32) for _ in range(16)]
    target, out = storage(s, [0] * 4)
    group(s, out)
    s.s64(12, s.data(values))
    s.text(sharps(1) + """
        s_load_dwordx16 s[80:95], s[12:13], off(0x0)
        s_mov_b64 s[4:5], 0
        s_waitcnt lgkmcnt(0)
        """ + "".join(f"""
        s_bcnt1_i32_b32 s6, s{80 + k}
        s_flbit_i32_b32 s7, s{80 + k}
        s_lshl_b32 s8, s6, 8
        s_or_b32 s8, s8, s7
        s_xor_b32 s8, s8, s{80 + (k * 5 + 1) % 16}
        s_add_u32 s4, s4, s8
        s_addc_u32 s5, s5, 0
        s_cmp_gt_i32 s{80 + k}, 0
        s_cselect_b32 s9, s{80 + k}, 1
        s_mul_i32 s9, s9, 3
        s_sub_u32 s4, s4, s9
        s_subb_u32 s5, s5, 0""" for k in range(16)) + """
        v_mov_b32 v1, s4
        v_mov_b32 v2, s5
        v_cmp_eq_u32 vcc, 0, v0
        s_and_b64 exec, exec, vcc
        buffer_store_dwordx2 v[1:2], off, s[16:19], 0
        s_endpgm""")
    total = 0
    for k, x in enumerate(values):
        count, zeros = x.bit_count(), 32 - x.bit_length()
        total += (count << 8 | zeros) ^ values[(k * 5 + 1) % 16]
        total -= (x if 0 < x < 1 << 31 else 1) * 3 & M32
    s.leaves(target, [total & M32, total >> 32 & M32])
