// Small kernels: one group of 64, at most 300 wave instructions. build.py compiles each to an object of its own.

#ifdef SAXPY
kernel void small(global float *y, global const float *x, float a) {
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
#endif

#ifdef HASH
kernel void small(global uint *out, global const uint *in, uint seed) {
    uint i = get_global_id(0), h = in[i] + seed;
    for (int round = 0; round < 4; round++) {
        h = (h ^ h >> 16) * 0x85ebca6b;
        h = (h ^ h >> 13) * 0xc2b2ae35;
    }
    out[i] = h;
}
#endif

#ifdef REDUCE
kernel void small(global uint *out, global const uint *in, uint seed) {
    local uint part[64];
    uint i = get_local_id(0);
    part[i] = in[i] * seed;
    for (uint rest = 32; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < rest) part[i] += part[i + rest];
    }
    if (i == 0) out[0] = part[0];
}
#endif

#ifdef POLYNOMIAL
kernel void small(global float4 *out, global const float4 *in, float scale) {
    uint i = get_global_id(0);
    float4 x = in[i] * scale, sum = 1;
    for (int k = 4; k > 0; k--) sum = sum * x / (float)k + 1;
    out[i] = sum;
}
#endif

#ifdef BRANCHES
kernel void small(global uint *out, global const uint *in, uint limit) {
    uint i = get_global_id(0), n = in[i] + i, steps = 0;
    while (n > 1 && steps < limit) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[i] = steps;
}
#endif

#ifdef COLOURS
kernel void small(global uchar4 *out, global const uchar4 *in, float gain) {
    uint i = get_global_id(0);
    for (uint k = i; k < 256; k += 64) {
        float4 c = convert_float4(in[k]) * gain;
        float luma = dot(c.xyz, (float3)(0.299f, 0.587f, 0.114f));
        out[k] = convert_uchar4_sat(mix(c, (float4)(luma, luma, luma, c.w), 0.5f));
    }
}
#endif
