// Kernels of the size that people run, in OpenCL C: what gcnsim is timed on, and PoCL beside it.
//
// Small inputs are gone through several times ("passes"), so that files and memory stay small.

#define GROUP(x, y) __attribute__((reqd_work_group_size(x, y, 1)))

// C = A * B, n by n, tiles of 16 by 16 in LDS.
kernel GROUP(16, 16) void sgemm(global float *c, global const float *a, global const float *b, int n) {
    local float ta[16][16], tb[16][16];
    int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

// The same in binary64.
kernel GROUP(16, 16) void dgemm(global double *c, global const double *a, global const double *b, int n) {
    local double ta[16][16], tb[16][16];
    int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    double sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

// Gravity of n bodies (w is the mass) on each of them, by tiles in LDS.
kernel GROUP(256, 1) void nbody(global float4 *out, global const float4 *bodies, int n) {
    local float4 tile[256];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = bodies[i];
    float3 force = (float3)(0);
    for (int t = 0; t < n; t += 256) {
        tile[l] = bodies[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; k++) {
            float3 d = tile[k].xyz - me.xyz;
            float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            force += d * (tile[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = (float4)(force, 0);
}

// Iterations until a point leaves the circle. Products are rounded, so that every device counts the same.
kernel GROUP(64, 1) void mandelbrot(global uint *out, int width, uint limit, float left, float top, float step) {
#pragma OPENCL FP_CONTRACT OFF
    int px = get_global_id(0), py = get_global_id(1);
    float cx = left + px * step, cy = top + py * step, x = 0, y = 0;
    uint i = 0;
    for (; i < limit; i++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    out[py * width + px] = i;
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

// SHA-256 of 32 bytes, of that digest, and so on, as often as `rounds` says.
kernel GROUP(256, 1) void sha256(global uint *digests, uint rounds) {
    uint i = get_global_id(0), h[8];
    for (int k = 0; k < 8; k++) h[k] = digests[i * 8 + k];
    for (uint r = 0; r < rounds; r++) {
        uint w[16], start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];
        for (int k = 0; k < 8; k++) { w[k] = h[k]; w[k + 8] = 0; s[k] = start[k]; }
        w[8] = 0x80000000;
        w[15] = 256;
#pragma unroll
        for (int k = 0; k < 64; k++) {
            if (k >= 16) {
                uint a = w[(k + 1) & 15], b = w[(k + 14) & 15];
                w[k & 15] += (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[(k + 9) & 15] + (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
            }
            uint e = s[4], a = s[0];
            uint t1 = s[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + bitselect(s[6], s[5], e) + SHA_K[k] + w[k & 15];
            uint t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & s[1]) | (s[2] & (a | s[1])));
            s[7] = s[6]; s[6] = s[5]; s[5] = e; s[4] = s[3] + t1;
            s[3] = s[2]; s[2] = s[1]; s[1] = a; s[0] = t1 + t2;
        }
        for (int k = 0; k < 8; k++) h[k] = start[k] + s[k];
    }
    for (int k = 0; k < 8; k++) digests[i * 8 + k] = h[k];
}

uint xtime(uint x) { return (x << 1 ^ (x >> 7) * 0x1b) & 0xff; }

// AES-128 in counter mode, `count` blocks for each work-item; S-box and the table for a column in LDS.
kernel GROUP(256, 1) void aes(global uint4 *out, global const uint *keys, global const uchar *sbox, uint count) {
    local uint table[256];
    uint l = get_local_id(0), i = get_global_id(0), size = get_global_size(0), b = sbox[l], b2 = xtime(b);
    table[l] = b2 | b << 8 | b << 16 | (b2 ^ b) << 24;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 0; n < count; n++) {
        uint s[4] = {(n * size + i) ^ keys[0], keys[1], keys[2], keys[3]}, t[4];
        for (int round = 1; round < 10; round++) {
            for (int c = 0; c < 4; c++)
                t[c] = table[s[c] & 0xff] ^ rotate(table[s[(c + 1) & 3] >> 8 & 0xff], 8u) ^
                       rotate(table[s[(c + 2) & 3] >> 16 & 0xff], 16u) ^ rotate(table[s[(c + 3) & 3] >> 24], 24u) ^
                       keys[round * 4 + c];
            for (int c = 0; c < 4; c++) s[c] = t[c];
        }
        for (int c = 0; c < 4; c++)
            t[c] = (table[s[c] & 0xff] >> 8 & 0xff) ^ (table[s[(c + 1) & 3] >> 8 & 0xff] & 0xff00) ^
                   (table[s[(c + 2) & 3] >> 16 & 0xff] & 0xff00) << 8 ^
                   (table[s[(c + 3) & 3] >> 24] & 0xff00) << 16 ^ keys[40 + c];
        out[n * size + i] ^= (uint4)(t[0], t[1], t[2], t[3]);
    }
}

// Sorts each 512 words, in LDS.
kernel GROUP(256, 1) void bitonic(global uint *data) {
    local uint t[512];
    uint l = get_local_id(0), base = get_group_id(0) * 512;
    t[l] = data[base + l];
    t[l + 256] = data[base + l + 256];
    for (uint k = 2; k <= 512; k *= 2)
        for (uint j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint i = 2 * l - (l & (j - 1)), a = t[i], b = t[i + j];
            if ((a > b) == ((i & k) == 0)) { t[i] = b; t[i + j] = a; }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = t[l];
    data[base + l + 256] = t[l + 256];
}

// Counts bytes: bins of a group in LDS, added to the grid's at the end.
kernel GROUP(256, 1) void histogram(global uint *bins, global const uint *data, uint n, uint passes) {
    local uint mine[256];
    uint l = get_local_id(0);
    mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 0; p < passes; p++)
        for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
            uint word = data[i] + p;
            for (int k = 0; k < 32; k += 8) atomic_inc(&mine[word >> k & 0xff]);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], mine[l]);
}

// Sums of words: one for each group.
kernel GROUP(256, 1) void reduction(global uint *sums, global const uint *data, uint n, uint passes) {
    local uint part[256];
    uint l = get_local_id(0), sum = 0;
    for (uint p = 0; p < passes; p++)
        for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += data[i] ^ p;
    part[l] = sum;
    for (uint rest = 128; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < rest) part[l] += part[l + rest];
    }
    if (l == 0) sums[get_group_id(0)] = part[0];
}

// A finite impulse response filter.
kernel GROUP(256, 1) void fir(global float *out, global const float *in, constant float *taps, int count) {
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < count; k++) sum += in[i + k] * taps[k];
    out[i] = sum;
}

// Sparse matrix times vector, a row for each work-item: `count` values from `begin` on.
kernel GROUP(256, 1) void spmv(global float *y, global const uint *begin, global const uint *count,
                               global const uint *cols, global const float *values, global const float *x) {
    uint r = get_global_id(0), end = begin[r] + count[r];
    float sum = 0;
    for (uint k = begin[r]; k < end; k++) sum += values[k] * x[cols[k]];
    y[r] = sum;
}

float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228f * exp(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

// Calls and puts by Black and Scholes, summed over volatilities.
kernel GROUP(256, 1) void black_scholes(global float2 *out, global const float *price, global const float *strike,
                                        global const float *years, float rate, uint volatilities) {
    uint i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i], root = sqrt(t), now = x * exp(-rate * t), call = 0, put = 0;
    for (uint v = 1; v <= volatilities; v++) {
        float vol = 0.05f * v, d1 = (log(s / x) + (rate + 0.5f * vol * vol) * t) / (vol * root), d2 = d1 - vol * root;
        float n1 = normal(d1), n2 = normal(d2);
        call += s * n1 - now * n2;
        put += now * (1.0f - n2) - s * (1.0f - n1);
    }
    out[i] = (float2)(call, put);
}

uint stripe(uint acc, uint word) { return rotate(acc + word * 2246822519u, 13u) * 2654435761u; }

// XXH32 of `words` words (a multiple of four) for each work-item, with several seeds, of which each is the last hash.
kernel GROUP(256, 1) void xxhash(global uint *out, global const uint *data, uint words, uint passes) {
    global const uint *mine = data + get_global_id(0) * words;
    uint h = 0;
    for (uint p = 0; p < passes; p++) {
        uint a = h + 2654435761u + 2246822519u, b = h + 2246822519u, c = h, d = h - 2654435761u;
        for (uint k = 0; k < words; k += 4) {
            a = stripe(a, mine[k]);
            b = stripe(b, mine[k + 1]);
            c = stripe(c, mine[k + 2]);
            d = stripe(d, mine[k + 3]);
        }
        h = rotate(a, 1u) + rotate(b, 7u) + rotate(c, 12u) + rotate(d, 18u) + words * 4;
        h = (h ^ h >> 15) * 2246822519u;
        h = (h ^ h >> 13) * 3266489917u;
        h ^= h >> 16;
    }
    out[get_global_id(0)] = h;
}

// a = b + s * c, with s of each pass.
kernel GROUP(256, 1) void triad(global float *a, global const float *b, global const float *c, float s, uint n,
                                uint passes) {
    for (uint p = 0; p < passes; p++)
        for (uint i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = b[i] + (s + p) * c[i];
}
