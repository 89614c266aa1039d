// Kernels that read and write images. corpus/tools/kernel_images.py says what they compute.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

#define X ((int)get_global_id(0))
#define Y ((int)get_global_id(1))
#define Z ((int)get_global_id(2))

__constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant sampler_t BORDER = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__constant sampler_t SMOOTH = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
__constant sampler_t TILES = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

// Formats: what is read is written.
kernel void copy_float(write_only image2d_t to, read_only image2d_t from) {
    write_imagef(to, (int2)(X, Y), read_imagef(from, EDGE, (int2)(X, Y)));
}

kernel void copy_uint(write_only image2d_t to, read_only image2d_t from) {
    write_imageui(to, (int2)(X, Y), read_imageui(from, EDGE, (int2)(X, Y)));
}

kernel void copy_int(write_only image2d_t to, read_only image2d_t from) {
    write_imagei(to, (int2)(X, Y), read_imagei(from, EDGE, (int2)(X, Y)));
}

// On chips without 16-bit arithmetic clang 15 does not come to an end with half.
kernel void add_half(write_only image2d_t to, read_only image2d_t from) {
#if defined(__gfx600__) || defined(__gfx701__)
    write_imagef(to, (int2)(X, Y), read_imagef(from, EDGE, (int2)(X, Y)) + (float4)(1.0f, 2.0f, 3.0f, 4.0f));
#else
    write_imageh(to, (int2)(X, Y), read_imageh(from, EDGE, (int2)(X, Y)) + (half4)(1.0h, 2.0h, 3.0h, 4.0h));
#endif
}

kernel void unpack(global float4 *out, read_only image2d_t from) {
    out[Y * get_image_width(from) + X] = read_imagef(from, (int2)(X, Y));
}

kernel void pack(write_only image2d_t to, global const float4 *in) {
    write_imagef(to, (int2)(X, Y), in[Y * get_image_width(to) + X]);
}

// Neighbourhoods.
kernel void box_blur(write_only image2d_t to, read_only image2d_t from) {
    uint sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += read_imageui(from, EDGE, (int2)(X + dx, Y + dy)).x;
    write_imageui(to, (int2)(X, Y), (uint4)(sum / 9, 0, 0, 0));
}

kernel void gauss(write_only image2d_t to, read_only image2d_t from) {
    const float w[3] = {1.0f, 2.0f, 1.0f};
    float4 sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += w[dx] * w[dy] * read_imagef(from, BORDER, (int2)(X + dx - 1, Y + dy - 1));
    write_imagef(to, (int2)(X, Y), sum * 0.0625f);
}

kernel void sobel(write_only image2d_t to, read_only image2d_t from) {
    float p[3][3];
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            p[dy][dx] = read_imagef(from, EDGE, (int2)(X + dx - 1, Y + dy - 1)).x;
    float gx = p[0][2] + 2.0f * p[1][2] + p[2][2] - p[0][0] - 2.0f * p[1][0] - p[2][0];
    float gy = p[2][0] + 2.0f * p[2][1] + p[2][2] - p[0][0] - 2.0f * p[0][1] - p[0][2];
    write_imagef(to, (int2)(X, Y), (float4)(gx, gy, fabs(gx) + fabs(gy), 1.0f));
}

kernel void median(write_only image2d_t to, read_only image2d_t from) {
    uint v[9];
    for (int i = 0; i < 9; i++)
        v[i] = read_imageui(from, EDGE, (int2)(X + i % 3 - 1, Y + i / 3 - 1)).x;
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 9; k++) {
            uint low = min(v[i], v[k]), high = max(v[i], v[k]);
            v[i] = low;
            v[k] = high;
        }
    write_imageui(to, (int2)(X, Y), (uint4)(v[4], 0, 0, 0));
}

kernel void life(write_only image2d_t to, read_only image2d_t from) {
    int w = get_image_width(from), h = get_image_height(from), alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            alive += dx | dy ? read_imageui(from, (int2)((X + dx + w) % w, (Y + dy + h) % h)).x : 0;
    uint self = read_imageui(from, (int2)(X, Y)).x;
    write_imageui(to, (int2)(X, Y), (uint4)(alive == 3 || (self && alive == 2), 0, 0, 0));
}

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void dilate(write_only image2d_t to, read_only image2d_t from) {
    local uint tile[10][10];
    int lx = get_local_id(0), ly = get_local_id(1);
    int left = get_group_id(0) * 8 - 1, top = get_group_id(1) * 8 - 1;
    for (int i = ly * 8 + lx; i < 100; i += 64)
        tile[i / 10][i % 10] = read_imageui(from, EDGE, (int2)(left + i % 10, top + i / 10)).x;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint most = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            most = max(most, tile[ly + dy][lx + dx]);
    if (X < get_image_width(to) && Y < get_image_height(to))
        write_imageui(to, (int2)(X, Y), (uint4)(most, 0, 0, 0));
}

// Geometry.
kernel void resize(write_only image2d_t to, read_only image2d_t from, sampler_t s) {
    float2 at = ((float2)(X, Y) + 0.5f) / (float2)(get_image_width(to), get_image_height(to));
    write_imagef(to, (int2)(X, Y), read_imagef(from, s, at));
}

kernel void rotate(write_only image2d_t to, read_only image2d_t from, float c, float s) {
    float2 centre = 0.5f * (float2)(get_image_width(from), get_image_height(from));
    float2 d = (float2)(X, Y) + 0.5f - centre;
    float2 at = centre + (float2)(c * d.x - s * d.y, s * d.x + c * d.y);
    write_imagef(to, (int2)(X, Y), read_imagef(from, SMOOTH, at));
}

kernel void turn(write_only image2d_t to, read_only image2d_t from) {
    write_imageui(to, (int2)(get_image_height(from) - 1 - Y, X), read_imageui(from, (int2)(X, Y)));
}

kernel void displace(write_only image2d_t to, read_only image2d_t from, read_only image2d_t by) {
    int2 d = read_imagei(by, (int2)(X, Y)).xy;
    write_imagef(to, (int2)(X, Y), read_imagef(from, BORDER, (int2)(X, Y) + d));
}

kernel void look(global float4 *out, read_only image2d_t from, sampler_t s, global const float2 *at) {
    out[X] = read_imagef(from, s, at[X]);
}

kernel void look_uint(global uint4 *out, read_only image2d_t from, sampler_t s, global const int2 *at) {
    out[X] = read_imageui(from, s, at[X]);
}

kernel void tiles(global uint *out, read_only image2d_t from) {
    float2 at = ((float2)(X, Y) + 0.5f) * 0.125f;
    out[Y * get_global_size(0) + X] = read_imageui(from, TILES, at).x;
}

// Colours.
kernel void swizzle(write_only image2d_t to, read_only image2d_t from) {
    write_imagef(to, (int2)(X, Y), read_imagef(from, EDGE, (int2)(X, Y)).wzyx);
}

kernel void blend(write_only image2d_t to, read_only image2d_t over, read_only image2d_t under) {
    float4 a = read_imagef(over, (int2)(X, Y)), b = read_imagef(under, (int2)(X, Y));
    write_imagef(to, (int2)(X, Y), a * a.w + b * (1.0f - a.w));
}

kernel void luma(write_only image2d_t y, write_only image2d_t uv, read_only image2d_t from) {
    int4 c = convert_int4(read_imageui(from, (int2)(X, Y)));
    write_imageui(y, (int2)(X, Y), (uint4)((77 * c.x + 150 * c.y + 29 * c.z) >> 8, 0, 0, 0));
    int u = (-43 * c.x - 85 * c.y + 128 * c.z) / 256 + 128, v = (128 * c.x - 107 * c.y - 21 * c.z) / 256 + 128;
    write_imageui(uv, (int2)(X, Y), (uint4)(clamp(u, 0, 255), clamp(v, 0, 255), 0, 0));
}

kernel void colour_table(write_only image2d_t to, read_only image2d_t from, read_only image1d_t table) {
    int i = read_imageui(from, (int2)(X, Y)).x;
    write_imageui(to, (int2)(X, Y), read_imageui(table, EDGE, i));
}

// Sums.
kernel void histogram(global uint *bins, read_only image2d_t from) {
    atomic_inc(&bins[read_imageui(from, (int2)(X, Y)).x >> 4]);
}

kernel void histogram_local(global uint *bins, read_only image2d_t from) {
    local uint part[16];
    int i = get_local_id(1) * get_local_size(0) + get_local_id(0);
    if (i < 16)
        part[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (X < get_image_width(from) && Y < get_image_height(from))
        atomic_inc(&part[read_imageui(from, EDGE, (int2)(X, Y)).x >> 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 16)
        atomic_add(&bins[i], part[i]);
}

kernel void row_sums(write_only image2d_t to, read_only image2d_t from) {
    uint4 sum = 0;
    for (int x = 0; x < get_image_width(from); x++) {
        sum += read_imageui(from, (int2)(x, X));
        write_imageui(to, (int2)(x, X), sum);
    }
}

kernel void halve(write_only image2d_t to, read_only image2d_t from) {
    float4 sum = 0.0f;
    for (int i = 0; i < 4; i++)
        sum += read_imagef(from, EDGE, (int2)(2 * X + (i & 1), 2 * Y + (i >> 1)));
    write_imagef(to, (int2)(X, Y), sum * 0.25f);
}

// Other dimensions.
kernel void volume(global uint4 *out, read_only image3d_t from, sampler_t s, global const float4 *at) {
    out[X] = read_imageui(from, s, at[X]);
}

kernel void volume_smooth(global float *out, read_only image3d_t from, sampler_t s, global const float4 *at) {
    out[X] = read_imagef(from, s, at[X]).x;
}

kernel void volume_turn(write_only image3d_t to, read_only image3d_t from) {
    write_imagei(to, (int4)(Z, X, Y, 0), read_imagei(from, (int4)(X, Y, Z, 0)));
}

kernel void layers(write_only image2d_array_t to, read_only image2d_array_t from) {
    int last = get_image_array_size(from) - 1;
    uint4 v = read_imageui(from, EDGE, (int4)(X, Y, Z, 0));
    write_imageui(to, (int4)(X, Y, last - Z, 0), v + (uint)Z);
}

kernel void layer_sum(write_only image2d_t to, read_only image2d_array_t from) {
    float4 sum = 0.0f;
    for (int i = 0; i < (int)get_image_array_size(from); i++)
        sum += read_imagef(from, (int4)(X, Y, i, 0));
    write_imagef(to, (int2)(X, Y), sum);
}

kernel void layer_round(global uint *out, read_only image2d_array_t from, sampler_t s, global const float *layer) {
    out[X] = read_imageui(from, s, (float4)(1.5f, 0.5f, layer[X], 0.0f)).x;
}

kernel void row(write_only image1d_t to, read_only image1d_t from) {
    float4 left = read_imagef(from, BORDER, X - 1), right = read_imagef(from, BORDER, X + 1);
    write_imagef(to, X, left + right);
}

kernel void rows(write_only image1d_array_t to, read_only image1d_array_t from) {
    int n = get_image_array_size(from);
    write_imagei(to, (int2)(X, Y), read_imagei(from, (int2)(X, n - 1 - Y)));
}

kernel void row_buffer(write_only image1d_buffer_t to, read_only image1d_buffer_t from) {
    int n = get_image_width(from);
    float4 v = read_imagef(from, n - 1 - X);
    write_imagef(to, X, v);
    write_imagef(to, X + n, v);
}

kernel void row_buffer_uint(write_only image1d_buffer_t to, read_only image1d_buffer_t from) {
    write_imageui(to, X, read_imageui(from, X) + read_imageui(from, X + 1));
}

kernel void depth(global float *out, read_only image2d_depth_t from, sampler_t s) {
    out[Y * get_image_width(from) + X] = read_imagef(from, s, (int2)(X, Y));
}

kernel void sizes(global int *out, read_only image1d_t a, read_only image2d_t b, read_only image3d_t c,
                  read_only image1d_array_t d, read_only image2d_array_t e, read_only image1d_buffer_t f) {
    out[0] = get_image_width(a);
    out[1] = get_image_width(b);
    out[2] = get_image_height(b);
    out[3] = get_image_width(c);
    out[4] = get_image_height(c);
    out[5] = get_image_depth(c);
    out[6] = get_image_width(d);
    out[7] = get_image_array_size(d);
    out[8] = get_image_width(e);
    out[9] = get_image_height(e);
    out[10] = get_image_array_size(e);
    out[11] = get_image_width(f);
    out[12] = get_image_channel_data_type(a);
    out[13] = get_image_channel_data_type(b);
    out[14] = get_image_channel_data_type(c);
    out[15] = get_image_channel_data_type(d);
    out[16] = get_image_channel_data_type(e);
    out[17] = get_image_channel_data_type(f);
    out[18] = get_image_channel_order(a);
    out[19] = get_image_channel_order(b);
    out[20] = get_image_channel_order(c);
    out[21] = get_image_channel_order(d);
    out[22] = get_image_channel_order(e);
    out[23] = get_image_channel_order(f);
}

// What OpenCL does not have: descriptors in memory, and instructions by LLVM's names.
typedef struct {
    uint8 image;
    uint8 other;
    uint4 spare;
    uint4 sampler;
} Set;

#define T(i) (*(constant uint8 *)__builtin_astype(i, constant uint *))

uint add_2d(uint v, int x, int y, uint8 t, uint tfe, uint cache) __asm("llvm.amdgcn.image.atomic.add.2d.i32.i32");
uint umax_2d(uint v, int x, int y, uint8 t, uint tfe, uint cache) __asm("llvm.amdgcn.image.atomic.umax.2d.i32.i32");
uint cmpswap_2d(uint v, uint c, int x, int y, uint8 t, uint tfe, uint cache)
    __asm("llvm.amdgcn.image.atomic.cmpswap.2d.i32.i32");
__attribute__((pure)) float4 lod_2d(uint mask, float s, float t, float lod, uint8 image, uint4 sampler, bool unorm,
                                    uint tfe, uint cache) __asm("llvm.amdgcn.image.sample.l.2d.v4f32.f32");
__attribute__((pure)) float4 zero_cube(uint mask, float s, float t, float face, uint8 image, uint4 sampler, bool unorm,
                                       uint tfe, uint cache) __asm("llvm.amdgcn.image.sample.lz.cube.v4f32.f32");
__attribute__((pure)) float4 gather_2d(uint mask, float s, float t, uint8 image, uint4 sampler, bool unorm, uint tfe,
                                       uint cache) __asm("llvm.amdgcn.image.gather4.lz.2d.v4f32.f32");
__attribute__((pure)) float compare_2d(uint mask, float z, float s, float t, uint8 image, uint4 sampler, bool unorm,
                                       uint tfe, uint cache) __asm("llvm.amdgcn.image.sample.c.lz.2d.f32.f32");
__attribute__((pure)) float4 level_2d(uint mask, int x, int y, int level, uint8 image, uint tfe, uint cache)
    __asm("llvm.amdgcn.image.load.mip.2d.v4f32.i32");

kernel void image_atomics(read_write image2d_t counts, read_write image2d_t most, global const uint *in) {
    uint v = in[X];
    add_2d(v, v & 3, v >> 2 & 1, T(counts), 0, 0);
    umax_2d(v, v & 3, v >> 2 & 1, T(most), 0, 0);
}

kernel void image_swap(read_write image2d_t lock, global uint *winner) {
    uint old = cmpswap_2d(X + 1, 0, 1, 0, T(lock), 0, 0);
    if (old == 0)
        *winner = X + 1;
}

kernel void levels(global float4 *out, constant Set *set, global const float4 *at) {
    out[X] = lod_2d(15, at[X].x, at[X].y, at[X].z, set->image, set->sampler, false, 0, 0);
}

kernel void level_texels(global float4 *out, constant Set *set) {
    out[Y * get_global_size(0) + X] = level_2d(15, X, Y, 1, set->image, 0, 0);
}

kernel void cube(global float4 *out, constant Set *set, global const float4 *to) {
    float3 d = to[X].xyz;
    float s = __builtin_amdgcn_cubesc(d.x, d.y, d.z), t = __builtin_amdgcn_cubetc(d.x, d.y, d.z);
    float major = 1.0f / fabs(__builtin_amdgcn_cubema(d.x, d.y, d.z));
    float face = __builtin_amdgcn_cubeid(d.x, d.y, d.z);
    out[X] = zero_cube(15, s * major + 1.5f, t * major + 1.5f, face, set->image, set->sampler, false, 0, 0);
}

kernel void gather(global float4 *out, constant Set *set, global const float2 *at) {
    out[X] = gather_2d(2, at[X].x, at[X].y, set->image, set->sampler, false, 0, 0);
}

kernel void shadow(global float *out, constant Set *set, global const float4 *at) {
    out[X] = compare_2d(1, at[X].z, at[X].x, at[X].y, set->image, set->sampler, false, 0, 0);
}

kernel void two_images(write_only image2d_t to, constant Set *set) {
    float4 a = level_2d(15, X, Y, 0, set->image, 0, 0), b = level_2d(15, X, Y, 0, set->other, 0, 0);
    write_imagef(to, (int2)(X, Y), a - b);
}
