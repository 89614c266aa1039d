// Kernels of the corpus, in OpenCL C. What each computes is in build_kernels.py, in Python.

kernel void saxpy(global float *y, global const float *x, float a, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}

kernel void sgemm(global float *c, global const float *a, global const float *b, int n) {
    local float ta[8][8], tb[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

kernel void reduce(global uint *out, global const uint *in, local uint *part) {
    int i = get_local_id(0), n = get_local_size(0);
    part[i] = in[get_global_id(0)];
    for (int rest = n / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < rest) part[i] += part[i + rest];
    }
    if (i == 0) out[get_group_id(0)] = part[0];
}

kernel void histogram(global uint *bins, global const uchar *data, uint n) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[data[i] & 63]);
}

kernel void scan_group(global uint *data) {
    local uint a[128];
    int i = get_local_id(0);
    a[i] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 128; step *= 2) {
        uint add = i >= step ? a[i - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    data[get_global_id(0)] = a[i];
}

kernel void collatz(global uint *steps, uint start) {
    uint n = start + get_global_id(0), count = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        count++;
    }
    steps[get_global_id(0)] = count;
}

kernel void mandelbrot(global uchar *out, int width, int limit) {
    int px = get_global_id(0), py = get_global_id(1);
    float cx = px * 0.0625f - 2.0f, cy = py * 0.0625f - 1.0f, x = 0, y = 0;
    int i = 0;
    while (i < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        i++;
    }
    out[py * width + px] = i;
}

kernel void private_array(global uint *out, global const uint *in) {
    uint t[32];
    int i = get_global_id(0);
    for (int k = 0; k < 32; k++) t[k] = in[i] * (k + 1);
    uint sum = 0;
    for (int k = 0; k < 32; k++) sum += t[(in[i] + k * 7) & 31] ^ k;
    out[i] = sum;
}

__attribute__((noinline)) uint mix(uint a, uint b) {
    a ^= b * 0x9e3779b9u;
    return (a << 7 | a >> 25) + b;
}

kernel void calls(global uint *out, uint rounds) {
    uint v = get_global_id(0);
    for (uint r = 0; r < rounds; r++) v = mix(v, r);
    out[get_global_id(0)] = v;
}

struct point { uchar tag; int x; double w; };

kernel void struct_by_value(global double *out, struct point p, float4 v, uchar c) {
    int i = get_global_id(0);
    out[i] = p.w * i + p.x + p.tag + v.x + v.y + v.z + v.w + c;
}

kernel void grid3(global uint *out) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint w = get_global_size(0), h = get_global_size(1);
    uint lx = x - get_global_offset(0), ly = y - get_global_offset(1), lz = z - get_global_offset(2);
    out[(lz * h + ly) * w + lx] = x | y << 8 | z << 16 | (uint)get_local_size(0) << 24;
}

kernel void narrow(global short *out, global const char *a, global const ushort *b) {
    int i = get_global_id(0);
    out[i] = (short)(a[i] * 3 + b[i]);
}

kernel void dgemv(global double *y, global const double *m, global const double *x, int n) {
    int row = get_global_id(0);
    double sum = 0;
    for (int k = 0; k < n; k++) sum += m[row * n + k] * x[k];
    y[row] = sum;
}

kernel void divide(global float *q, global const float *a, global const float *b) {
    int i = get_global_id(0);
    q[i] = a[i] / b[i];
}

kernel void mul64(global ulong *out, global const ulong *a, global const ulong *b) {
    int i = get_global_id(0);
    out[i] = a[i] * b[i] + (a[i] >> (b[i] & 63)) + a[i] / (b[i] | 1);
}

kernel void bitonic(global uint *data) {
    local uint t[256];
    uint i = get_local_id(0);
    t[i] = data[i];
    for (uint k = 2; k <= 256; k *= 2)
        for (uint j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint other = i ^ j;
            if (other > i) {
                uint a = t[i], b = t[other];
                if ((a > b) == ((i & k) == 0)) { t[i] = b; t[other] = a; }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = t[i];
}

kernel void sparse(global float *y, global const uint *rows, global const uint *cols, global const float *values,
                   global const float *x) {
    int r = get_global_id(0);
    float sum = 0;
    for (uint k = rows[r]; k < rows[r + 1]; k++) sum += values[k] * x[cols[k]];
    y[r] = sum;
}

kernel void search(global int *found, global const int *sorted, global const int *keys, int n) {
    int key = keys[get_global_id(0)], low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1; else high = middle;
    }
    found[get_global_id(0)] = low < n && sorted[low] == key ? low : -1;
}

kernel void switch_table(global uint *out) {
    uint i = get_global_id(0), v = i * 2654435761u;
    switch (i % 9) {
        case 0: v ^= 0x11; break;
        case 1: v += 0x2222; break;
        case 2: v *= 3; break;
        case 3: v = ~v; break;
        case 4: v >>= 3; break;
        case 5: v <<= 5; break;
        case 6: v -= i; break;
        case 7: v |= 0x80000000u; break;
        default: v = 0;
    }
    out[i] = v;
}

kernel void crc32(global uint *out, global const uchar *data, uint len) {
    uint i = get_global_id(0), crc = ~0u;
    for (uint k = 0; k < len; k++) {
        crc ^= data[i * len + k];
        for (int b = 0; b < 8; b++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    out[i] = ~crc;
}
