// More kernels of the corpus, in OpenCL C. What each computes is in corpus/tools/kernel_algorithms.py, in Python.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void fft64(global float2 *data) {
    local float2 t[64];
    uint i = get_local_id(0), r = 0;
    for (uint b = 0; b < 6; b++) r |= (i >> b & 1) << (5 - b);
    t[r] = data[get_global_id(0)];
    for (uint len = 1; len < 64; len *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < 32) {
            uint k = i & (len - 1), at = (i - k) * 2 + k;
            float angle = -M_PI_F * k / len;
            float2 w = (float2)(cos(angle), sin(angle)), a = t[at], b = t[at + len];
            float2 c = (float2)(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
            t[at] = a + c;
            t[at + len] = a - c;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = t[i];
}

constant uint SHA_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint ror(uint x, uint n) { return rotate(x, 32 - n); }

kernel void sha256(global uint *out, global const uint *blocks) {
    uint w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint h[8], i = get_global_id(0);
    for (int k = 0; k < 8; k++) h[k] = s[k];
    for (int k = 0; k < 16; k++) w[k] = blocks[i * 16 + k];
    for (int k = 16; k < 64; k++) {
        uint a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[k - 7] + (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
    }
    for (int k = 0; k < 64; k++) {
        uint e = s[4], a = s[0];
        uint t1 = s[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + SHA_K[k] + w[k];
        uint t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6]; s[6] = s[5]; s[5] = e; s[4] = s[3] + t1;
        s[3] = s[2]; s[2] = s[1]; s[1] = a; s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++) out[i * 8 + k] = h[k] + s[k];
}

uchar xtime(uchar x) { return x << 1 ^ (x >> 7) * 0x1b; }

kernel void aes128(global uchar *blocks, global const uchar *keys, global const uchar *sbox) {
    local uchar table[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) table[i] = sbox[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    global uchar *block = blocks + get_global_id(0) * 16;
    uchar s[16], t[16];
    for (int k = 0; k < 16; k++) s[k] = block[k] ^ keys[k];
    for (int round = 1; round <= 10; round++) {
        for (int k = 0; k < 16; k++) t[k] = table[s[(k + 4 * (k & 3)) & 15]];
        for (int c = 0; c < 16; c += 4) {
            uchar all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];
            for (int r = 0; r < 4; r++) {
                uchar mixed = t[c + r] ^ all ^ xtime(t[c + r] ^ t[c + ((r + 1) & 3)]);
                s[c + r] = (round < 10 ? mixed : t[c + r]) ^ keys[round * 16 + c + r];
            }
        }
    }
    for (int k = 0; k < 16; k++) block[k] = s[k];
}

kernel void nbody(global float4 *out, global const float4 *bodies, int n) {
    local float4 tile[32];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = bodies[i], force = (float4)(0);
    for (int t = 0; t < n; t += 32) {
        tile[l] = bodies[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++) {
            float4 d = tile[k] - me;
            float r = 1.0f / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            force.xyz += d.xyz * (tile[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = force;
}

kernel void convolve(global float *out, global const float *in, constant float *weights, int width, int height) {
    local float tile[10][10];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    for (int j = ly; j < 10; j += 8)
        for (int i = lx; i < 10; i += 8) {
            int sx = clamp((int)get_group_id(0) * 8 + i - 1, 0, width - 1);
            int sy = clamp((int)get_group_id(1) * 8 + j - 1, 0, height - 1);
            tile[j][i] = in[sy * width + sx];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) sum += tile[ly + j][lx + i] * weights[j * 3 + i];
    out[y * width + x] = sum;
}

kernel void string_search(global uint *count, global uchar *is_match, global const char *text, uint len,
                          constant char *pattern, uint pattern_len) {
    uint i = get_global_id(0);
    if (i >= len) return;
    uint k = 0;
    while (k < pattern_len && i + k < len && text[i + k] == pattern[k]) k++;
    is_match[i] = k == pattern_len;
    if (k == pattern_len) atomic_inc(count);
}

kernel void radix_sort(global uchar *data) {
    local uchar a[128], b[128];
    local uint counts[16];
    uint i = get_local_id(0);
    a[i] = data[get_global_id(0)];
    for (uint shift = 0; shift < 8; shift += 4) {
        if (i < 16) counts[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint digit = a[i] >> shift & 15, place = 0;
        atomic_inc(&counts[digit]);
        for (uint k = 0; k < i; k++) place += (a[k] >> shift & 15) == digit;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 0; d < digit; d++) place += counts[d];
        b[place] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = b[i];
    }
    data[get_global_id(0)] = a[i];
}

kernel void transpose(global ushort *out, global const ushort *in, uint width, uint height) {
    local ushort tile[8][9];
    uint lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 8, gy = get_group_id(1) * 8;
    if (gx + lx < width && gy + ly < height) tile[ly][lx] = in[(gy + ly) * width + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gy + lx < height && gx + ly < width) out[(gx + ly) * height + gy + lx] = tile[lx][ly];
}

kernel void exclusive_scan(global int *data, global int *sums) {
    local int t[128];
    uint i = get_local_id(0), base = get_group_id(0) * 128;
    t[2 * i] = data[base + 2 * i];
    t[2 * i + 1] = data[base + 2 * i + 1];
    uint offset = 1;
    for (uint d = 64; d > 0; d /= 2, offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < d) t[offset * (2 * i + 2) - 1] += t[offset * (2 * i + 1) - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        sums[get_group_id(0)] = t[127];
        t[127] = 0;
    }
    for (uint d = 1; d < 128; d *= 2) {
        offset /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < d) {
            uint p = offset * (2 * i + 1) - 1, q = offset * (2 * i + 2) - 1;
            int left = t[p];
            t[p] = t[q];
            t[q] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + 2 * i] = t[2 * i];
    data[base + 2 * i + 1] = t[2 * i + 1];
}

kernel void half_axpy(global half *y, global const half *x, half a) {
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

kernel void half_vectors(global half4 *out, global const half4 *a, global const float4 *b) {
    int i = get_global_id(0);
    out[i] = max(a[i], convert_half4(b[i])) - a[i].wzyx;
}

kernel void gcd64(global ulong *out, global const ulong *a, global const ulong *b) {
    int i = get_global_id(0);
    ulong u = a[i], v = b[i];
    while (v != 0) {
        ulong r = u % v;
        u = v;
        v = r;
    }
    out[i] = u;
}

kernel void long_math(global long *out, global const long *a, global const long *b) {
    int i = get_global_id(0);
    out[i] = a[i] / b[i] ^ a[i] % b[i] << 3 ^ mul_hi(a[i], b[i]) ^ (a[i] >> (b[i] & 63));
}

kernel void bits(global uint *out, global const uint *a, global const uint *b) {
    int i = get_global_id(0);
    uint x = a[i], y = b[i];
    out[4 * i] = popcount(x) | clz(y) << 8 | (uint)clz((ushort)x) << 16;
    out[4 * i + 1] = rotate(x, y) ^ mul_hi(x, y);
    out[4 * i + 2] = bitselect(x, y, 0x0ff0f00fu) + mul24(x & 0xffffff, y & 0xffffff);
    out[4 * i + 3] = add_sat(x, y) ^ sub_sat(x, y) ^ hadd(x, y) ^ as_uint(abs((int)x));
}

kernel void saturate(global uchar4 *out, global const uchar4 *a, global const char4 *b) {
    int i = get_global_id(0);
    uchar4 p = add_sat(a[i], a[i].wzyx), q = abs_diff(a[i], a[i].yxwz);
    char4 r = add_sat(b[i], b[i].zwxy);
    out[i] = max(p, q) - min(p, q) + as_uchar4(r);
}

kernel void fir(global short *out, global const short *in, constant short *taps, int count) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < count; k++) sum += in[i + k] * taps[k];
    out[i] = convert_short_sat(sum >> 8);
}

kernel void double_roots(global double *out, global const double *a, global const double *b) {
    int i = get_global_id(0);
    out[2 * i] = sqrt(a[i]);
    out[2 * i + 1] = a[i] / b[i];
}

kernel void transcendental(global float *out, global const float *a) {
    int i = get_global_id(0);
    float x = a[i];
    out[5 * i] = exp(x * 0.25f);
    out[5 * i + 1] = log(fabs(x) + 0.5f);
    out[5 * i + 2] = sin(x) * cos(x * 0.5f);
    out[5 * i + 3] = pow(fabs(x) + 1.0f, 1.5f);
    out[5 * i + 4] = atan2(x, 2.0f);
}

kernel void dgemm(global double *c, global const double *a, global const double *b, int n) {
    int col = get_global_id(0), row = get_global_id(1);
    double sum = c[row * n + col] * 0.5;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

kernel void life(global uchar *out, global const uchar *in) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) n += in[(y + dy + h) % h * w + (x + dx + w) % w];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}

kernel void levenshtein(global uint *out, global const char *words, int len) {
    uchar row[17];
    int i = get_global_id(0);
    global const char *a = words + i * 2 * len, *b = a + len;
    for (int k = 0; k <= len; k++) row[k] = k;
    for (int j = 0; j < len; j++) {
        int diagonal = row[0];
        row[0] = j + 1;
        for (int k = 0; k < len; k++) {
            int cost = min(min(row[k], row[k + 1]) + 1, diagonal + (a[k] != b[j]));
            diagonal = row[k + 1];
            row[k + 1] = cost;
        }
    }
    out[i] = row[len];
}

struct node { global struct node *next; uint value; };

kernel void list_sum(global uint *out, global struct node *nodes) {
    uint sum = 0;
    for (global struct node *at = &nodes[get_global_id(0)]; at; at = at->next) sum = sum * 3 + at->value;
    out[get_global_id(0)] = sum;
}

kernel void xorshift(global ulong *out, ulong seed) {
    ulong x = seed + get_global_id(0);
    for (int k = 0; k < 20; k++) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
    }
    out[get_global_id(0)] = x * 0x2545f4914f6cdd1dul;
}

kernel void insertion_sort(global int *data) {
    int t[16];
    global int *mine = data + get_global_id(0) * 16;
    for (int k = 0; k < 16; k++) {
        int value = mine[k], at = k;
        for (; at > 0 && t[at - 1] > value; at--) t[at] = t[at - 1];
        t[at] = value;
    }
    for (int k = 0; k < 16; k++) mine[k] = t[k];
}

kernel void atomics(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    atomic_add(&out[0], v);
    atomic_min(&out[1], v);
    atomic_max(&out[2], v);
    atomic_and(&out[3], v);
    atomic_or(&out[4], v);
    atomic_xor(&out[5], v);
    atomic_sub(&out[6], v);
}

kernel void float_sum(global uint *sum, global const float *in) {
    float v = in[get_global_id(0)];
    uint old = *sum, seen;
    while ((seen = atomic_cmpxchg(sum, old, as_uint(as_float(old) + v))) != old) old = seen;
}

kernel void atomics64(global ulong *out, global const ulong *in) {
    ulong v = in[get_global_id(0)];
    atom_add(&out[0], v);
    atom_max(&out[1], v);
    atom_xor(&out[2], v);
}

kernel void floyd(global uint *distance) {
    local uint d[16][16];
    uint x = get_local_id(0), y = get_local_id(1);
    d[y][x] = distance[y * 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++) {
        uint way = d[y][k] + d[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
        d[y][x] = min(d[y][x], way);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    distance[y * 16 + x] = d[y][x];
}

struct particle { float x, y, z; int id; float vx, vy, vz; short cell; uchar kind; };

kernel void particles(global struct particle *all, float dt) {
    global struct particle *p = &all[get_global_id(0)];
    p->x += p->vx * dt;
    p->y += p->vy * dt;
    p->z += p->vz * dt;
    if (p->x < 0) p->vx = -p->vx, p->kind |= 0x80;
    p->cell = (short)(floor(p->x) + 10 * floor(p->y));
    p->id = -p->id;
}

kernel void vectors(global float4 *out, global const float4 *a, global const float4 *b) {
    int i = get_global_id(0);
    float4 c = cross(a[i], b[i]);
    out[i] = (float4)(normalize(c.xyz), dot(a[i], b[i]));
}

__attribute__((noinline)) void fill_table(private uint *t, uint seed) {
    for (uint k = 0; k < 24; k++) t[k] = seed = seed * 1664525u + 1013904223u;
}

__attribute__((noinline)) uint fold_table(private const uint *t, uint start) {
    uint sum = 0;
    for (uint k = 0; k < 24; k++) sum = rotate(sum, 5u) ^ t[(start + k * 7) % 24];
    return sum;
}

__attribute__((noinline)) uint table_hash(uint seed) {
    uint t[24];
    fill_table(t, seed);
    return fold_table(t, seed % 24) + t[seed & 15];
}

kernel void call_chain(global uint *out, uint seed) {
    uint i = get_global_id(0), v = table_hash(seed + i);
    if (i & 1) v ^= table_hash(v);
    out[i] = v;
}

kernel void two_locals(global ulong *out, global const uint *in, local uint *a, local ulong *b) {
    uint i = get_local_id(0), n = get_local_size(0);
    a[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[n - 1 - i] = (ulong)a[i] << 20 | a[(i + 1) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = b[i] + a[n - 1 - i];
}

kernel void stencil3(global int *out, global const int *in) {
    int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    int z = get_global_id(2) - get_global_offset(2);
    int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
    int at = (z * h + y) * w + x, sum = -6 * in[at];
    if (x > 0) sum += in[at - 1];
    if (x < w - 1) sum += in[at + 1];
    if (y > 0) sum += in[at - w];
    if (y < h - 1) sum += in[at + w];
    if (z > 0) sum += in[at - w * h];
    if (z < d - 1) sum += in[at + w * h];
    out[at] = sum + (int)get_global_offset(1) * 1000;
}

kernel void median(global uchar *out, global const uchar *in) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    uchar t[9];
    for (int k = 0; k < 9; k++)
        t[k] = in[clamp(y + k / 3 - 1, 0, h - 1) * w + clamp(x + k % 3 - 1, 0, w - 1)];
    for (int a = 0; a < 5; a++)
        for (int b = a + 1; b < 9; b++)
            if (t[b] < t[a]) {
                uchar swap = t[a];
                t[a] = t[b];
                t[b] = swap;
            }
    out[y * w + x] = t[4];
}

constant char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

kernel void base64(global char *out, global const uchar *in) {
    int i = get_global_id(0);
    uint v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int k = 0; k < 4; k++) out[4 * i + k] = BASE64[v >> (18 - 6 * k) & 63];
}

kernel void adler32(global uint *out, global const uchar *data, uint len) {
    uint i = get_global_id(0), a = 1, b = 0;
    for (uint k = 0; k < len; k++) {
        a = (a + data[i * len + k]) % 65521;
        b = (b + a) % 65521;
    }
    out[i] = b << 16 | a;
}

kernel void bfs(global uint *level, global const uint *rows, global const uint *cols, uint n) {
    local uint changed;
    uint i = get_local_id(0);
    for (uint depth = 0;; depth++) {
        if (i == 0) changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (i < n && level[i] == depth)
            for (uint k = rows[i]; k < rows[i + 1]; k++)
                if (level[cols[k]] == ~0u) {
                    level[cols[k]] = depth + 1;
                    changed = 1;
                }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (!changed) break;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void group_dot(global float *out, global const float *a, global const float *b, int n) {
    local float part[96];
    int i = get_local_id(0), row = get_group_id(0);
    float sum = 0;
    for (int k = i; k < n; k += 96) sum += a[row * n + k] * b[k];
    part[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 3) {
        float total = 0;
        for (int k = 0; k < 32; k++) total += part[i * 32 + k];
        part[i * 32] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) out[row] = part[0] + part[32] + part[64];
}
