// Structures with padding, bit-fields and parts of dwords that nothing has written: NAME_bad uses them, NAME_good only
// moves, masks, shifts and merges them. A group has 64 work-items. At -O1 and above arrays in private memory become
// LDS.

#define LOCAL barrier(CLK_LOCAL_MEM_FENCE)
#define PAIR(name, ...) \
    kernel void name##_bad(__VA_ARGS__) { body_##name(0) } \
    kernel void name##_good(__VA_ARGS__) { body_##name(1) }

struct gap { uchar a; short b; };
struct tail { int a; uchar b; };
// What C makes of an assignment to a bit-field.
#define FIELD(word, at, bits, value) word = word & ~(((1u << bits) - 1) << at) | ((value) & (1u << bits) - 1) << at

// --- LDS -------------------------------------------------------------------------------------------------------------

#define body_local_gap(good) \
    local struct gap t[64], u[64]; int i = get_local_id(0); \
    t[i].a = in[i]; t[i].b = in[i] * 3; LOCAL; u[i] = t[i ^ 1]; LOCAL; \
    out[i] = good ? u[63 - i].a + u[63 - i].b : ((local uchar *)u)[4 * i + 1] + u[i].b;
PAIR(local_gap, global int *out, global const int *in)

#define body_local_mask(good) \
    local uint t[64]; local uchar *bytes = (local uchar *)t; int i = get_local_id(0); \
    bytes[4 * i] = in[i]; bytes[4 * i + 2] = in[i] >> 1; LOCAL; \
    out[i] = t[63 - i] & (good ? 0x7f007f : 0xff01ff);
PAIR(local_mask, global int *out, global const int *in)

#define body_local_shift(good) \
    local ushort t[128]; int i = get_local_id(0); \
    t[2 * i + good] = in[i]; LOCAL; out[i] = ((local uint *)t)[63 - i] >> 16;
PAIR(local_shift, global int *out, global const int *in)

#define body_local_merge(good) \
    local uint t[64]; local ushort *halves = (local ushort *)t; int i = get_local_id(0); \
    halves[2 * i + 1] = in[i]; LOCAL; uint v = t[63 - i]; \
    out[i] = (v & 0xffff0000) | (good ? in[i] & 0xffff : v >> 8 & 0xffff);
PAIR(local_merge, global int *out, global const int *in)

#define body_local_fields(good) \
    local volatile uint t[64]; int i = get_local_id(0); \
    FIELD(t[i], 0, 3, in[i]); FIELD(t[i], 10, 11, in[i] >> 3); LOCAL; uint v = t[63 - i]; \
    out[i] = (v & 7) + (good ? v >> 10 & 0x7ff : v >> 3 & 0x7f);
PAIR(local_fields, global int *out, global const int *in)

#define body_local_branch(good) \
    local uint t[64]; local uchar *bytes = (local uchar *)t; int i = get_local_id(0); \
    bytes[4 * i + 3] = in[i]; LOCAL; uint v = t[63 - i]; \
    if (good ? v >> 24 & 1 : v >> 20 & 1) out[i] = in[i]; else out[i] = v >> 28;
PAIR(local_branch, global int *out, global const int *in)

#define body_local_carry(good) \
    local uint t[64]; local ushort *halves = (local ushort *)t; int i = get_local_id(0); \
    halves[2 * i + !good] = in[i]; LOCAL; uint v = t[63 - i] + in[i]; \
    out[i] = (v * 5) << 16;
PAIR(local_carry, global int *out, global const int *in)

#define body_local_select(good) \
    local uint t[64]; local ushort *halves = (local ushort *)t; int i = get_local_id(0); \
    halves[2 * i + (i & 1)] = in[i]; LOCAL; uint v = t[63 - i]; \
    v = i & 1 ? v << 8 : v << 7; out[i] = (i ^ !good) & 1 ? v & 0xffff00 : v >> 24;
PAIR(local_select, global int *out, global const int *in)

// --- private memory --------------------------------------------------------------------------------------------------

#define body_array_gap(good) \
    struct gap t[4]; int i = get_local_id(0); \
    for (int k = 0; k < (good ? 4 : 3); k++) { t[k].a = in[k]; t[k].b = in[k + i & 63]; } \
    gaps[i] = t[in[i] & 3]; out[i] = t[in[i + 1 & 63] & 3].b;
PAIR(array_gap, global int *out, global const int *in, global struct gap *gaps)

#define body_array_tail(good) \
    struct tail t[4]; int i = get_local_id(0); \
    for (int k = 0; k < (good ? 4 : 3); k++) { t[k].a = in[k]; t[k].b = in[k + i & 63]; } \
    tails[i] = t[in[i] & 3]; out[i] = t[in[i + 1 & 63] & 3].b;
PAIR(array_tail, global int *out, global const int *in, global struct tail *tails)

#define body_sorted(good) \
    struct tail t[4]; int i = get_local_id(0); \
    for (int k = 0; k < (good ? 4 : 3); k++) { t[k].a = in[i] * (7 - k) & 15; t[k].b = in[k + i & 63]; } \
    for (int j = 0; j < 3; j++) for (int k = 0; k < 3; k++) \
        if (t[k].a > t[k + 1].a) { struct tail v = t[k]; t[k] = t[k + 1]; t[k + 1] = v; } \
    tails[i] = t[in[i] & 3]; out[i] = t[in[i] & 3].a;
PAIR(sorted, global int *out, global const int *in, global struct tail *tails)

#define body_private_fields(good) \
    volatile uint v; int i = get_local_id(0); \
    FIELD(v, 0, 3, in[i]); FIELD(v, 10, 11, in[i] >> 3); if (good) FIELD(v, 3, 7, 5); \
    out[i] = (v & 7) + (v >> 3 & 0x7f) + (v >> 10 & 0x7ff);
PAIR(private_fields, global int *out, global const int *in)

#define body_half(good) \
    volatile ushort2 v; int i = get_local_id(0); \
    v.y = in[i]; if (good) v.x = 7; pairs[i] = v; out[i] = v.y;
PAIR(half, global int *out, global const int *in, global ushort2 *pairs)

// --- private values that are no structures ---------------------------------------------------------------------------

#define WHOLE(good, type, ...) volatile type s; int i = get_local_id(0); if (good) s = in[i]; out[i] = __VA_ARGS__;

#define body_whole_or(good) WHOLE(good, uint, s | 1)
PAIR(whole_or, global int *out, global const int *in)

#define body_whole_bits(good) WHOLE(good, uint, s >> 5 & 127)
PAIR(whole_bits, global int *out, global const int *in)

#define body_whole_shift(good) WHOLE(good, uint, s << 8 | in[i] & 255)
PAIR(whole_shift, global int *out, global const int *in)

#define body_whole_high(good) WHOLE(good, ulong, (uint)(s >> 4))
PAIR(whole_high, global int *out, global const int *in)

#define body_whole_flags(good) WHOLE(good, uint, in[i] & 1 ? s | 1 : s & ~1u)
PAIR(whole_flags, global int *out, global const int *in)

#define body_whole_bytes(good) \
    volatile uchar b[4]; int i = get_local_id(0); \
    b[0] = in[i]; if (good) b[1] = 3; out[i] = b[0] | b[1] << 8;
PAIR(whole_bytes, global int *out, global const int *in)
