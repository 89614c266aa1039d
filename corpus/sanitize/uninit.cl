// Kernels that use values that nothing has written, and the same without the mistake: NAME_bad and NAME_good. A group
// has 64 work-items.

#define LOCAL barrier(CLK_LOCAL_MEM_FENCE)
#define PAIR(name, ...) \
    kernel void name##_bad(__VA_ARGS__) { body_##name(0) } \
    kernel void name##_good(__VA_ARGS__) { body_##name(1) }

// --- LDS --------------------------------------------------------------------------------------------------------------

#define body_sum(good) \
    local int t[128]; int i = get_local_id(0); \
    t[i] = in[i]; if (good) t[i + 64] = 0; LOCAL; out[i] = t[i] + t[i + 64];
PAIR(sum, global int *out, global const int *in)

#define body_counter(good) \
    local int n; int i = get_local_id(0); \
    if (good) { if (i == 0) n = 0; LOCAL; } \
    if (in[i] & 1) atomic_inc(&n); LOCAL; if (i == 0) out[0] = n;
PAIR(counter, global int *out, global const int *in)

#define body_index(good) \
    local int t[64]; int i = get_local_id(0); \
    if (good || i & 1) t[i] = i; LOCAL; out[i] = in[t[i] & 63];
PAIR(index, global int *out, global const int *in)

#define body_edge(good) \
    local int t[66]; int i = get_local_id(0); \
    t[i + 1] = in[i]; if (good && i == 0) { t[0] = 0; t[65] = 0; } LOCAL; \
    out[i] = t[i] + t[i + 1] + t[i + 2];
PAIR(edge, global int *out, global const int *in)

#define body_branch(good) \
    local int t[64]; int i = get_local_id(0); \
    if (good) t[i] = 0; else if (i == 0) t[0] = 1; LOCAL; \
    if (t[63 - i] > 3) out[i] = in[i]; else out[i] = 0;
PAIR(branch, global int *out, global const int *in)

#define body_bytes(good) \
    local uchar t[64]; int i = get_local_id(0); \
    if (good || i % 4 != 3) t[i] = in[i]; LOCAL; out[i] = ((local int *)t)[i & 15];
PAIR(bytes, global int *out, global const int *in)

#define body_loop(good) \
    local int n[2]; int i = get_local_id(0); \
    if (i == 0) { n[0] = 3; if (good) n[1] = 2; } LOCAL; \
    int s = 0; for (int k = 0; k < n[in[1] & 1] && k < 9; k++) s += in[k]; out[i] = s;
PAIR(loop, global int *out, global const int *in)


#define body_half_group(good) \
    local int t[64]; int i = get_local_id(0); \
    if (i < (good ? 64 : 32)) t[i] = in[i]; LOCAL; out[i] = t[i] * 3;
PAIR(half_group, global int *out, global const int *in)

#define body_matrix(good) \
    local float t[8][9]; int x = get_local_id(0) & 7, y = get_local_id(0) >> 3; \
    t[y][x] = in[8 * y + x]; if (good && x == 0) t[y][8] = 0; LOCAL; out[get_local_id(0)] = (int)(t[x][y] + t[y][x + 1]);
PAIR(matrix, global int *out, global const int *in)

#define body_maximum(good) \
    local int m; int i = get_local_id(0); \
    if (good) { if (i == 0) m = 0; LOCAL; } \
    atomic_max(&m, in[i]); LOCAL; out[i] = m;
PAIR(maximum, global int *out, global const int *in)

#define body_copied(good) \
    local int a[64], b[64]; int i = get_local_id(0); \
    if (good) a[i] = in[i]; else if (in[i] > 1000000) a[i] = 1; \
    LOCAL; b[i] = a[i ^ 1]; LOCAL; out[i] = b[63 - i];
PAIR(copied, global int *out, global const int *in)

#define body_structure(good) \
    local struct { int a, b, c; } t[64]; int i = get_local_id(0); \
    t[i].a = in[i]; t[i].c = 2; if (good) t[i].b = 1; else if (i == 70) t[i].b = 3; \
    LOCAL; out[i] = t[i ^ 3].a + t[i ^ 3].b;
PAIR(structure, global int *out, global const int *in)

// --- private memory: arrays with computed indices stay in scratch ---------------------------------------------------

#define body_array(good) \
    volatile int t[16]; int i = get_local_id(0); \
    for (int k = 0; k < (good ? 16 : 8); k++) t[k] = in[k]; out[i] = t[in[i] & 15];
PAIR(array, global int *out, global const int *in)

#define body_table(good) \
    volatile int t[8]; int i = get_local_id(0); \
    t[in[i] & 7] = 5; if (good) for (int k = 0; k < 8; k++) t[k] = k; out[i] = t[in[i + 1 & 63] + 3 & 7];
PAIR(table, global int *out, global const int *in)

#define body_stack(good) \
    volatile int t[8]; int i = get_local_id(0), n = 0; \
    for (int k = 0; k < 4; k++) t[n++] = in[i + k & 63]; out[i] = t[good ? --n : n];
PAIR(stack, global int *out, global const int *in)

#define body_private_index(good) \
    volatile int t[4]; int i = get_local_id(0); \
    t[0] = i; if (good) t[1] = i; out[i] = in[t[in[0] & 1 | 1] & 63];
PAIR(private_index, global int *out, global const int *in)

#define body_private_branch(good) \
    volatile int t[4]; int i = get_local_id(0); \
    t[i & 1] = in[i]; if (good) t[2] = 0; if (t[2] > 5) out[i] = 1; else out[i] = 2;
PAIR(private_branch, global int *out, global const int *in)

#define body_conditional(good) \
    volatile int v; int i = get_local_id(0); \
    if (good || in[i] & 1) v = in[i]; out[i] = v;
PAIR(conditional, global int *out, global const int *in)

#define body_private_bytes(good) \
    volatile uchar t[8]; int i = get_local_id(0); \
    for (int k = 0; k < (good ? 8 : 7); k++) t[k] = in[k]; out[i] = t[in[i] & 7] + t[7];
PAIR(private_bytes, global int *out, global const int *in)

#define body_private_sum(good) \
    volatile int s; int i = get_local_id(0); \
    if (good) s = 0; for (int k = 0; k < 4; k++) s += in[k]; out[i] = s;
PAIR(private_sum, global int *out, global const int *in)

#define body_private_struct(good) \
    volatile struct { int a; float b; } v; int i = get_local_id(0); \
    v.a = in[i]; if (good) v.b = 2; out[i] = v.a + (int)v.b;
PAIR(private_struct, global int *out, global const int *in)
