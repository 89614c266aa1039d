"""Compute shaders with LDS and lanes that talk to each other."""

from .base import M32
from .compute import compute, group, of_generations, sharps, storage

LIMIT = "[678] s_mov_b32 m0, -1\n"


@compute
def reduction(s):
    """The sum of 64 integers, by halves in LDS with barriers."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, [0, 0])
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.lds_size = 512
    s.text(sharps(1) + LIMIT + """
        v_lshlrev_b32 v2, 2, v0
        ds_write_b32 v2, v1
        s_mov_b32 s4, 32
        s_mov_b64 s[12:13], exec
    again:
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_cmp_gt_u32 vcc, s4, v0
        s_and_b64 exec, s[12:13], vcc
        s_lshl_b32 s5, s4, 2
        v_iadd v3, s5, v2
        ds_read_b32 v4, v3
        ds_read_b32 v5, v2
        s_waitcnt lgkmcnt(0)
        v_iadd v5, v5, v4
        ds_write_b32 v2, v5
        s_mov_b64 exec, s[12:13]
        s_lshr_b32 s4, s4, 1
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 again
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_cmp_eq_u32 vcc, 0, v0
        s_and_b64 exec, exec, vcc
        ds_read_b32 v1, v2
        s_waitcnt lgkmcnt(0)
        buffer_store_dword v1, off, s[16:19], 0 offset:4
        s_endpgm""")
    s.leaves(target, [0, sum(values) & M32])


@compute
def transpose(s):
    """8 x 8 through LDS with padded rows; two reads at once."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out, mask=(1 << 64) - 1)
    s.v(1, lambda lane: values[lane])
    s.lds_size = 512
    s.text(sharps(1) + LIMIT + """
        v_and_b32 v2, 7, v0
        v_lshrrev_b32 v3, 3, v0
        v_mul_u32_u24 v4, 36, v3
        v_lshlrev_b32 v5, 2, v2
        v_iadd v4, v4, v5
        ds_write_b32 v4, v1
        v_mul_u32_u24 v4, 36, v2
        v_lshlrev_b32 v5, 2, v3
        v_iadd v4, v4, v5
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_and_b32 v3, 6, v2
        v_mul_u32_u24 v3, 36, v3
        v_iadd v3, v3, v5
        ds_read2_b32 v[6:7], v3 offset0:0 offset1:9
        v_and_b32 v2, 1, v2
        v_cmp_eq_u32 vcc, 1, v2
        s_waitcnt lgkmcnt(0)
        v_cndmask_b32 v1, v6, v7, vcc
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v1, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [values[k % 8 * 8 + k // 8] for k in range(64)])


@compute
def prefix_sum(s):
    """An inclusive scan of floats: each round adds what is twice as far."""
    values = [s.rnd.randrange(-32, 32) / 4 for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.lds_size = 512
    s.text(sharps(1) + LIMIT + """
        v_lshlrev_b32 v2, 2, v0
        s_mov_b32 s4, 1
        s_mov_b64 s[12:13], exec
    again:
        ds_write_b32 v2, v1
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_cmp_le_u32 vcc, s4, v0
        s_and_b64 exec, exec, vcc
        s_lshl_b32 s5, s4, 2
        v_isubrev v3, s5, v2
        ds_read_b32 v3, v3
        s_waitcnt lgkmcnt(0)
        v_add_f32 v1, v1, v3
        s_mov_b64 exec, s[12:13]
        s_barrier
        s_lshl_b32 s4, s4, 1
        s_cmp_lt_u32 s4, 64
        s_cbranch_scc1 again
        buffer_store_dword v1, v2, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [sum(values[:k + 1]) for k in range(64)])


@compute
def matrix_product(s):
    """8 x 8 matrices in LDS; one element for each lane."""
    a, b = ([[s.rnd.randrange(-8, 8) / 2 for _ in range(8)] for _ in range(8)] for _ in range(2))
    target, out = storage(s, bytes(256))
    flat = lambda m: [x for row in m for x in row]
    group(s, out, s.buffer(s.data(flat(a) + flat(b)), 512))
    s.lds_size = 512
    s.text(sharps(2) + LIMIT + """
        v_lshlrev_b32 v1, 2, v0
        buffer_load_dword v2, v1, s[20:23], 0 offen
        buffer_load_dword v3, v1, s[20:23], 0 offen offset:256
        s_waitcnt vmcnt(0)
        ds_write2st64_b32 v1, v2, v3 offset0:0 offset1:1
        v_and_b32 v4, 0xe0, v1
        v_and_b32 v5, 28, v1
        v_mov_b32 v6, 0
        s_mov_b32 s4, 8
        s_waitcnt lgkmcnt(0)
        s_barrier
    again:
        ds_read_b32 v2, v4
        ds_read_b32 v3, v5 offset:256
        v_iadd v4, 4, v4
        v_iadd v5, 32, v5
        s_waitcnt lgkmcnt(0)
        v_mac_f32 v6, v2, v3
        s_sub_u32 s4, s4, 1
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 again
        buffer_store_dword v6, v1, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [float(sum(a[r][k] * b[k][c] for k in range(8))) for r in range(8) for c in range(8)])


@compute
def histogram(s):
    """Counts in LDS by atomics, and the greatest value; then out to memory."""
    values = [s.rnd.randrange(16) ** 2 // 16 for _ in range(64)]
    target, out = storage(s, bytes(4 * 17))
    group(s, out, mask=0xFFFF_FFFF_F0FF_0FFF)
    s.v(1, lambda lane: values[lane])
    s.lds_size = 512
    s.lds = bytes(0)
    s.text(sharps(1) + LIMIT + """
        v_lshlrev_b32 v2, 2, v1
        v_mov_b32 v3, 1
        v_mov_b32 v4, 0
        ds_add_u32 v2, v3
        ds_max_u32 v4, v1 offset:64
        v_lshlrev_b32 v2, 2, v0
        v_cmp_gt_u32 vcc, 17, v0
        s_waitcnt lgkmcnt(0)
        s_barrier
        s_mov_b64 exec, vcc
        ds_read_b32 v1, v2
        s_waitcnt lgkmcnt(0)
        buffer_store_dword v1, v2, s[16:19], 0 offen
        s_endpgm""")
    mine = [values[k] for k in s.lanes()]
    counts = [mine.count(k) for k in range(16)] + [max(mine)]
    s.leaves(target, [n if k in s.lanes() else 0 for k, n in enumerate(counts)])


@compute
def sort(s):
    """A bitonic sort of 64 numbers; lanes exchange by LDS."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.lds_size = 512
    s.text(sharps(1) + LIMIT + """
        v_lshlrev_b32 v2, 2, v0
        s_mov_b32 s4, 2
    outer:
        s_lshr_b32 s5, s4, 1
    inner:
        ds_write_b32 v2, v1
        s_lshl_b32 s6, s5, 2
        v_xor_b32 v3, s6, v2
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_read_b32 v3, v3
        v_and_b32 v4, s4, v0
        v_cmp_eq_u32 s[12:13], 0, v4
        v_and_b32 v4, s5, v0
        v_cmp_eq_u32 s[14:15], 0, v4
        s_xor_b64 vcc, s[12:13], s[14:15]
        s_waitcnt lgkmcnt(0)
        v_min_u32 v4, v1, v3
        v_max_u32 v5, v1, v3
        v_cndmask_b32 v1, v4, v5, vcc
        s_barrier
        s_lshr_b32 s5, s5, 1
        s_cmp_lg_u32 s5, 0
        s_cbranch_scc1 inner
        s_lshl_b32 s4, s4, 1
        s_cmp_le_u32 s4, 64
        s_cbranch_scc1 outer
        buffer_store_dword v1, v2, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, sorted(values))


@compute
def subgroup_sum(s):
    """A butterfly of ds_swizzle over 32 lanes; the halves meet in scalar registers."""
    values = [s.rnd.getrandbits(16) for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.text(sharps(1) + "".join(f"""
        ds_swizzle_b32 v2, v1 offset:swizzle(SWAP,{1 << k})
        s_waitcnt lgkmcnt(0)
        v_iadd v1, v1, v2""" for k in range(5)) + """
        v_readlane_b32 s4, v1, 31
        v_readlane_b32 s5, v1, 32
        s_add_u32 s4, s4, s5
        v_mov_b32 v3, s4
        v_writelane_b32 v3, s5, 5
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v3, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [sum(values[32:]) if k == 5 else sum(values) for k in range(64)])


@of_generations("89")
def subgroup_scan(s):
    """An inclusive scan of the wave: row shifts and broadcasts of DPP, as LLVM makes it."""
    values = [s.rnd.getrandbits(20) for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    steps = [("row_shr:1", "0xf", "0xf"), ("row_shr:2", "0xf", "0xf"), ("row_shr:3", "0xf", "0xf"),
             ("row_shr:4", "0xf", "0xe"), ("row_shr:8", "0xf", "0xc"), ("row_bcast:15", "0xa", "0xf"),
             ("row_bcast:31", "0xc", "0xf")]
    text = sharps(1) + "v_mov_b32 v2, v1\n"
    for k, (what, row, bank) in enumerate(steps):
        source = "v1" if k < 3 else "v2"
        text += f"""
        [8] v_add_u32_dpp v2, vcc, {source}, v2 {what} row_mask:{row} bank_mask:{bank}
        [9] v_add_u32_dpp v2, {source}, v2 {what} row_mask:{row} bank_mask:{bank}
        s_nop 1"""
    s.text(text + """
        v_lshlrev_b32 v0, 2, v0
        buffer_store_dword v2, v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [sum(values[:k + 1]) for k in range(64)])


@of_generations("89")
def shuffle(s):
    """Lanes read and write by index: ds_bpermute and ds_permute."""
    values = [s.rnd.getrandbits(32) for _ in range(64)]
    order = s.rnd.sample(range(64), 64)
    target, out = storage(s, bytes(512))
    group(s, out)
    s.v(1, lambda lane: values[lane])
    s.v(2, lambda lane: 4 * order[lane])
    s.text(sharps(1) + """
        ds_bpermute_b32 v4, v2, v1
        ds_permute_b32 v5, v2, v1
        v_lshlrev_b32 v0, 3, v0
        s_waitcnt lgkmcnt(0)
        buffer_store_dwordx2 v[4:5], v0, s[16:19], 0 offen
        s_endpgm""")
    s.leaves(target, [x for k in range(64) for x in (values[order[k]], values[order.index(k)])])


@compute
def exchange_with_return(s):
    """LDS atomics that return: tickets, and a maximum kept for each of four queues."""
    queue = [s.rnd.randrange(4) for _ in range(64)]
    target, out = storage(s, bytes(256))
    group(s, out, mask=0x0000_0000_00FF_00FF)
    s.v(1, lambda lane: 4 * queue[lane])
    s.lds_size = 512
    s.lds = (100).to_bytes(4, "little") + (200).to_bytes(4, "little") + (300).to_bytes(4, "little")
    s.text(sharps(1) + LIMIT + """
        v_mov_b32 v2, 1
        ds_add_rtn_u32 v3, v1, v2
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt lgkmcnt(0)
        buffer_store_dword v3, v0, s[16:19], 0 offen
        s_endpgm""")
    # which lane gets which ticket is not architected; the model serves lanes in order
    s.doubts.add("lane-order")
    tickets, out = [100, 200, 300, 0], [0] * 64
    for lane in s.lanes():
        out[lane] = tickets[queue[lane]]
        tickets[queue[lane]] += 1
    s.leaves(target, out)
