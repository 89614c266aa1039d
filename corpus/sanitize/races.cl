// Kernels with a race, and the same without it: NAME_racy and NAME_fixed. A group has 256 work-items, so four waves.

#define LOCAL barrier(CLK_LOCAL_MEM_FENCE)
#define PAIR(name, ...) \
    kernel void name##_racy(__VA_ARGS__) { body_##name(0) } \
    kernel void name##_fixed(__VA_ARGS__) { body_##name(1) }
#define SYNC(fixed) if (fixed) LOCAL

// --- LDS: a barrier is missing --------------------------------------------------------------------------------------

#define body_neighbour(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[i]; SYNC(fixed); out[get_global_id(0)] = t[(i + 1) & 255];
PAIR(neighbour, global int *out, global const int *in)

#define body_reverse(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[get_global_id(0)]; SYNC(fixed); out[get_global_id(0)] = t[255 - i];
PAIR(reverse, global int *out, global const int *in)

#define body_reduce(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[get_global_id(0)]; LOCAL; \
    for (int s = 128; s > 0; s >>= 1) { if (i < s) t[i] += t[i + s]; SYNC(fixed); } \
    LOCAL; if (i == 0) out[get_group_id(0)] = t[0];
PAIR(reduce, global int *out, global const int *in)

#define body_reduce_start(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[get_global_id(0)]; SYNC(fixed); \
    for (int s = 128; s > 0; s >>= 1) { if (i < s) t[i] += t[i + s]; LOCAL; } \
    if (i == 0) out[get_group_id(0)] = t[0];
PAIR(reduce_start, global int *out, global const int *in)

#define body_scan(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[i]; LOCAL; \
    for (int d = 1; d < 256; d *= 2) { int v = i >= d ? t[i - d] : 0; SYNC(fixed); t[i] += v; LOCAL; } \
    out[get_global_id(0)] = t[i];
PAIR(scan, global int *out, global const int *in)

#define body_scan_end(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[i]; LOCAL; \
    for (int d = 1; d < 256; d *= 2) { int v = i >= d ? t[i - d] : 0; LOCAL; t[i] += v; SYNC(fixed); } \
    out[get_global_id(0)] = t[i];
PAIR(scan_end, global int *out, global const int *in)

#define body_broadcast(fixed) \
    local int t; int i = get_local_id(0); \
    if (i == 0) t = in[get_group_id(0)]; SYNC(fixed); out[get_global_id(0)] = t + i;
PAIR(broadcast, global int *out, global const int *in)

#define body_broadcast_loop(fixed) \
    local int t; int i = get_local_id(0), sum = 0; \
    for (int k = 0; k < 4; k++) { if (i == k) t = in[k]; LOCAL; sum += t; SYNC(fixed); } \
    out[get_global_id(0)] = sum;
PAIR(broadcast_loop, global int *out, global const int *in)

#define body_transpose(fixed) \
    local int t[16][17]; int x = get_local_id(0) & 15, y = get_local_id(0) >> 4; \
    t[y][x] = in[get_global_id(0)]; SYNC(fixed); out[get_global_id(0)] = t[x][y];
PAIR(transpose, global int *out, global const int *in)

#define body_tile_reuse(fixed) \
    local int t[256]; int i = get_local_id(0), sum = 0; \
    for (int k = 0; k < 3; k++) { t[i] = in[256 * k + i]; LOCAL; sum += t[i ^ 128]; SYNC(fixed); } \
    out[get_global_id(0)] = sum;
PAIR(tile_reuse, global int *out, global const int *in)

#define body_histogram_zero(fixed) \
    local int t[64]; int i = get_local_id(0); \
    if (i < 64) t[i] = 0; SYNC(fixed); atomic_add(&t[in[get_global_id(0)] & 63], 1); LOCAL; \
    if (i < 64) out[64 * get_group_id(0) + i] = t[i];
PAIR(histogram_zero, global int *out, global const int *in)

#define body_histogram_read(fixed) \
    local int t[64]; int i = get_local_id(0); \
    if (i < 64) t[i] = 0; LOCAL; atomic_add(&t[in[get_global_id(0)] & 63], 1); SYNC(fixed); \
    if (i < 64) out[64 * get_group_id(0) + i] = t[i];
PAIR(histogram_read, global int *out, global const int *in)

#define body_histogram_plain(fixed) \
    local int t[64]; int i = get_local_id(0); \
    if (i < 64) t[i] = 0; LOCAL; \
    int b = in[get_global_id(0)] & 63; if (fixed) atomic_add(&t[b], 1); else t[b]++; LOCAL; \
    if (i < 64) out[64 * get_group_id(0) + i] = t[i];
PAIR(histogram_plain, global int *out, global const int *in)

#define body_double_buffer(fixed) \
    local int t[2][256]; int i = get_local_id(0), v = in[i]; \
    for (int k = 0; k < 4; k++) { int p = fixed ? k & 1 : 0; t[p][i] = v; LOCAL; v += t[p][i ^ 64]; } \
    out[get_global_id(0)] = v;
PAIR(double_buffer, global int *out, global const int *in)

#define body_bitonic(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[i] = in[get_global_id(0)]; LOCAL; \
    for (int k = 2; k <= 256; k *= 2) for (int j = k / 2; j > 0; j /= 2) { \
        int o = i ^ j, a = t[i], b = t[o]; SYNC(fixed); \
        int up = (i & k) == 0, low = i < o; t[i] = (up == low) ? min(a, b) : max(a, b); LOCAL; } \
    out[get_global_id(0)] = t[i];
PAIR(bitonic, global int *out, global const int *in)

#define body_stencil(fixed) \
    local float t[258]; int i = get_local_id(0); \
    t[i + 1] = in[i]; if (i == 0) { t[0] = 0; t[257] = 0; } SYNC(fixed); \
    out[get_global_id(0)] = (int)(t[i] + t[i + 1] + t[i + 2]);
PAIR(stencil, global int *out, global const int *in)

#define body_bytes(fixed) \
    local uchar t[256]; int i = get_local_id(0); \
    t[i] = in[i]; SYNC(fixed); out[get_global_id(0)] = ((local int *)t)[(i + 16) & 63];
PAIR(bytes, global int *out, global const int *in)

#define body_overlap(fixed) \
    local short t[258]; int i = get_local_id(0); \
    t[i + (fixed ? 0 : i & 1)] = in[i]; LOCAL; out[get_global_id(0)] = t[i];
PAIR(overlap, global int *out, global const int *in)

#define body_one_slot(fixed) \
    local int t[256]; int i = get_local_id(0); \
    t[fixed ? i : i >> 1] = in[i]; LOCAL; out[get_global_id(0)] = t[i >> 1];
PAIR(one_slot, global int *out, global const int *in)

#define body_flag(fixed) \
    local int found; int i = get_local_id(0); \
    if (i == 0) found = 0; LOCAL; \
    if (in[i] & 1) { if (fixed) atomic_or(&found, 1); else found = i; } LOCAL; \
    out[get_global_id(0)] = found;
PAIR(flag, global int *out, global const int *in)

// --- memory: work-items of a group ----------------------------------------------------------------------------------

#define GLOBAL(fixed) if (fixed) barrier(CLK_GLOBAL_MEM_FENCE)

#define body_shift(fixed) \
    int i = get_global_id(0); int v = in[i]; out[i] = v; GLOBAL(fixed); \
    int l = get_local_id(0); out[i + 1024] = out[(i & ~255) + ((l + 100) & 255)];
PAIR(shift, global int *out, global const int *in)

#define body_in_place(fixed) \
    int l = get_local_id(0), g = get_global_id(0) & ~255; \
    int v = out[g + (l + 64 & 255)] + in[g + l]; GLOBAL(fixed); out[g + l] = v;
PAIR(in_place, global int *out, global const int *in)

#define body_scratchpad(fixed) \
    int l = get_local_id(0), g = get_group_id(0); \
    out[1024 + 256 * g + l] = in[l]; GLOBAL(fixed); \
    if (l == 0) { int sum = 0; for (int k = 0; k < 256; k++) sum += out[1024 + 256 * g + k]; out[g] = sum; }
PAIR(scratchpad, global int *out, global const int *in)

// --- memory: groups ---------------------------------------------------------------------------------------------------

#define body_one_sum(fixed) \
    int v = in[get_global_id(0)]; if (fixed) atomic_add(out, v); else out[0] += v;
PAIR(one_sum, global int *out, global const int *in)

#define body_last_writer(fixed) \
    if (get_local_id(0) == 0) out[fixed ? get_group_id(0) : 0] = in[get_group_id(0)];
PAIR(last_writer, global int *out, global const int *in)

#define body_next_group(fixed) \
    int i = get_global_id(0); out[i] = in[i]; \
    out[2048 + i] = fixed ? in[(i + 256) & 1023] : out[(i + 256) & 1023];
PAIR(next_group, global int *out, global const int *in)

#define body_border(fixed) \
    int i = get_global_id(0), n = fixed ? 4 : 5; for (int k = 0; k < n; k++) out[4 * i + k] = in[i] + k;
PAIR(border, global int *out, global const int *in)

#define body_atomic_read(fixed) \
    atomic_add(&out[1], in[get_global_id(0)]); \
    if (get_local_id(0) == 0) out[2 + get_group_id(0)] = fixed ? atomic_add(&out[1], 0) : out[1];
PAIR(atomic_read, global int *out, global const int *in)

#define body_counter_reset(fixed) \
    if (get_local_id(0) == 0) { if (fixed) atomic_sub(&out[1], 5); else out[1] = 0; } \
    atomic_inc(&out[1]);
PAIR(counter_reset, global int *out, global const int *in)

#define body_compact(fixed) \
    int v = in[get_global_id(0)]; \
    if (v & 1) { int at = fixed ? atomic_inc(&out[0]) : out[0]++; out[1 + (at & 1023)] = v; }
PAIR(compact, global int *out, global const int *in)

#define body_last_group(fixed) \
    int i = get_local_id(0), g = get_group_id(0); local int last; \
    if (i == 0) { \
        out[16 + g] = in[g]; \
        if (fixed) { mem_fence(CLK_GLOBAL_MEM_FENCE); last = atomic_inc(&out[0]); } else last = g; } \
    LOCAL; \
    if (last == (int)get_num_groups(0) - 1) { mem_fence(CLK_GLOBAL_MEM_FENCE); \
        if (i < 4) out[32 + i] = out[16 + i]; }
PAIR(last_group, global int *out, global const int *in)

#define body_queue(fixed) \
    local int n, q[256]; int i = get_local_id(0); \
    if (i == 0) n = 0; LOCAL; \
    if (in[i] & 1) q[atomic_inc(&n)] = i; SYNC(fixed); \
    if (i < n) out[get_global_id(0)] = q[i];
PAIR(queue, global int *out, global const int *in)
