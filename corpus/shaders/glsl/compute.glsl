//// copy S=1,64,256
layout(local_size_x = S) in;
BUF(0) A { uint a[]; }; BUF(1) B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x]; }

//// saxpy T=float,vec2,vec4,double
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer A { T x[]; }; BUF(1) B { T y[]; };
PUSH P { float k; uint n; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < (n & 0xffu)) y[i] = T(k) * x[i] + y[i]; else y[i] = T(k) - x[i]; }

//// reduce F=a+b,a*b,max(a,b),min(a,b)
layout(local_size_x = 64) in;
BUF(0) A { float x[]; }; BUF(1) B { float y[]; };
shared float s[64];
float op(float a, float b) { return F; }
void main() {
    uint i = gl_LocalInvocationIndex;
    s[i] = x[gl_GlobalInvocationID.x];
    barrier();
    for (uint k = 32u; k > 0u; k >>= 1) { if (i < k) s[i] = op(s[i], s[i + k]); barrier(); }
    if (i == 0u) y[gl_WorkGroupID.x] = s[0];
}

//// scan S=64,128
layout(local_size_x = S) in;
BUF(0) A { uint x[]; };
shared uint s[2][S];
void main() {
    uint i = gl_LocalInvocationIndex, p = 0u;
    s[0][i] = x[gl_GlobalInvocationID.x];
    barrier();
    for (uint d = 1u; d < uint(S); d *= 2u) { s[1u - p][i] = s[p][i] + (i >= d ? s[p][i - d] : 0u); p = 1u - p; barrier(); }
    x[gl_GlobalInvocationID.x] = s[p][i];
}

//// transpose T=8,16
layout(local_size_x = T, local_size_y = T) in;
BUF(0) A { float x[]; }; BUF(1) B { float y[]; };
shared float s[T][T + 1];
void main() {
    uvec2 l = gl_LocalInvocationID.xy, g = gl_WorkGroupID.xy * uint(T);
    s[l.y][l.x] = x[(g.y + l.y) * 64u + g.x + l.x];
    barrier();
    y[(g.x + l.y) * 64u + g.y + l.x] = s[l.x][l.y];
}

//// matmul T=8,16
layout(local_size_x = T, local_size_y = T) in;
BUF(0) A { float a[]; }; BUF(1) B { float b[]; }; BUF(2) C { float c[]; };
shared float sa[T][T]; shared float sb[T][T];
void main() {
    uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy;
    float s = 0.0;
    for (uint k = 0u; k < 32u; k += uint(T)) {
        sa[l.y][l.x] = a[g.y * 32u + k + l.x]; sb[l.y][l.x] = b[(k + l.y) * 32u + g.x];
        barrier();
        for (uint i = 0u; i < uint(T); i++) s += sa[l.y][i] * sb[i][l.x];
        barrier();
    }
    c[g.y * 32u + g.x] = s;
}

//// histogram
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; }; BUF(1) B { uint h[256]; };
shared uint s[256];
void main() {
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += 64u) s[i] = 0u;
    barrier();
    uint v = x[gl_GlobalInvocationID.x];
    atomicAdd(s[v & 255u], 1u); atomicAdd(s[(v >> 8) & 255u], 1u);
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += 64u) atomicAdd(h[i], s[i]);
}

//// atomics T=uint,int
layout(local_size_x = 64) in;
BUF(0) A { T x[]; }; BUF(1) B { T r[]; };
void main() {
    uint i = gl_LocalInvocationIndex; T v = T(i * 3u);
    r[i] = atomicAdd(x[0], v) + atomicMin(x[1], v) + atomicMax(x[2], v) + atomicAnd(x[3], v) + atomicOr(x[4], v) + atomicXor(x[5], v) + atomicExchange(x[6], v) + atomicCompSwap(x[7], T(3), v);
}

//// atomics-plain O=atomicAdd,atomicMin,atomicMax,atomicAnd,atomicOr,atomicXor
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { O(x[gl_GlobalInvocationID.x & 15u], gl_GlobalInvocationID.y + 7u); }

//// atomics64
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
BUF(0) A { uint64_t x[]; };
void main() { x[8u + gl_LocalInvocationIndex] = atomicAdd(x[0], 5ul) ^ atomicMax(x[1], uint64_t(gl_LocalInvocationIndex)) ^ atomicCompSwap(x[2], 0ul, 9ul); }

//// shared-atomics
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
shared uint s[8]; shared int t[2];
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < 8u) s[i] = i; if (i < 2u) t[i] = 0;
    barrier();
    uint r = atomicAdd(s[0], i) + atomicMin(s[1], i) + atomicMax(s[2], i) + atomicAnd(s[3], i | 3u) + atomicOr(s[4], i) + atomicXor(s[5], i) + atomicExchange(s[6], i) + atomicCompSwap(s[7], 7u, i);
    atomicMin(t[0], -int(i)); atomicMax(t[1], int(i));
    barrier();
    x[gl_GlobalInvocationID.x] = r + s[i & 7u] + uint(t[i & 1u]);
}

//// blur N=3,7
layout(local_size_x = 8, local_size_y = 8) in;
TEX(0, sampler2D, s) IMG(1, rgba8, writeonly image2D, o)
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy); vec4 c = vec4(0);
    for (int y = -(N / 2); y <= N / 2; y++) for (int x = -(N / 2); x <= N / 2; x++) c += texelFetch(s, p + ivec2(x, y), 0);
    imageStore(o, p, c / float(N * N));
}

//// blur-shared
layout(local_size_x = 64) in;
IMG(0, rgba16f, readonly image2D, a) IMG(1, rgba16f, writeonly image2D, b)
shared vec4 row[72];
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy); int l = int(gl_LocalInvocationIndex);
    row[l + 4] = imageLoad(a, p);
    if (l < 4) { row[l] = imageLoad(a, p - ivec2(4, 0)); row[l + 68] = imageLoad(a, p + ivec2(64, 0)); }
    barrier();
    vec4 c = vec4(0);
    for (int i = 0; i < 9; i++) c += row[l + i];
    imageStore(b, p, c / 9.0);
}

//// downsample F=rgba8,rgba16f,r32f
layout(local_size_x = 8, local_size_y = 8) in;
TEX(0, sampler2D, s) IMG(1, F, writeonly image2D, o)
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); imageStore(o, p, textureLod(s, (vec2(p) + 0.5) / 32.0, 0.0)); }

//// image-copy D=image1D/x,image2D/xy,image3D/xyz,image2DArray/xyz,imageCube/xyz
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
IMG(0, rgba32f, D0, a) IMG(1, rgba32f, D0, b)
void main() { ivec3 p = ivec3(gl_GlobalInvocationID); imageStore(b, p.D1, imageLoad(a, p.D1) * 2.0); }

//// image-integer F=rgba32ui,rgba8ui,r32ui,rg16ui
layout(local_size_x = 8, local_size_y = 8) in;
IMG(0, F, uimage2D, a)
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); uvec4 v = imageLoad(a, p); imageStore(a, p, v * 3u + uvec4(p, 1, 2)); }

//// image-atomics
layout(local_size_x = 8, local_size_y = 8) in;
IMG(0, r32ui, uimage2D, a) IMG(1, r32i, iimage3D, b) IMG(2, r32ui, uimageBuffer, d)
void main() {
    ivec3 p = ivec3(gl_GlobalInvocationID);
    uint r = imageAtomicAdd(a, p.xy >> 2, 1u) + imageAtomicCompSwap(a, p.xy, 3u, 4u);
    int q = imageAtomicMin(b, p, -3) + imageAtomicExchange(b, p + 1, int(r));
    imageAtomicOr(d, p.x, uint(q));
}

//// texture-sum
layout(local_size_x = 8, local_size_y = 8) in;
TEX(0, sampler2D, a) TEX(1, sampler3D, b) TEX(2, samplerCube, d) TEX(3, sampler2DArray, e) BUF(4) B { vec4 o[]; };
void main() {
    vec3 p = vec3(gl_GlobalInvocationID) / 16.0;
    o[gl_GlobalInvocationID.y * 64u + gl_GlobalInvocationID.x] = textureLod(a, p.xy, 0.0) + textureLod(b, p, 1.0) * textureLod(d, p + 0.1, 0.0) - textureLod(e, p, 0.0);
}

//// nbody N=16,64
layout(local_size_x = 64) in;
struct B { vec4 p; vec4 v; };
BUF(0) A { B b[]; };
shared vec4 s[64];
void main() {
    uint i = gl_GlobalInvocationID.x; vec4 p = b[i].p; vec3 f = vec3(0);
    s[gl_LocalInvocationIndex] = p;
    barrier();
    for (int k = 0; k < N; k++) { vec3 d = s[k].xyz - p.xyz; float q = dot(d, d) + 0.01; f += d * s[k].w * inversesqrt(q * q * q); }
    b[i].v.xyz += f * 0.01; b[i].p.xyz += b[i].v.xyz * 0.01;
}

//// particles
layout(local_size_x = 64) in;
struct P { vec4 p; vec4 v; uint seed; float life; };
BUF(0) A { P x[]; }; BUF(1) C { uint alive; uint list[]; };
UBO(2) U { vec4 wind; float dt; };
uint rnd(inout uint s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
void main() {
    uint i = gl_GlobalInvocationID.x; P q = x[i];
    q.life -= dt;
    if (q.life < 0.0) { uint s = q.seed | 1u; q.p = vec4(uvec4(rnd(s), rnd(s), rnd(s), 0u) & 0xffffu) / 65536.0; q.life = 2.0; q.seed = s; }
    else { q.v += wind * dt; q.p += q.v * dt; list[atomicAdd(alive, 1u) & 1023u] = i; }
    x[i] = q;
}

//// cull
layout(local_size_x = 64) in;
struct D { uint n; uint i; uint f; int v; uint b; };
layout(std430, set = 0, binding = 0) readonly buffer A { vec4 spheres[]; }; BUF(1) C { uint count; D d[]; };
UBO(2) U { vec4 planes[6]; uint n; };
void main() {
    uint i = gl_GlobalInvocationID.x; if (i >= n) return;
    vec4 s = spheres[i]; bool in_ = true;
    for (int k = 0; k < 6; k++) in_ = in_ && dot(planes[k].xyz, s.xyz) + planes[k].w > -s.w;
    if (in_) d[atomicAdd(count, 1u) & 255u] = D(36u, 1u, i * 36u, 0, i);
}

//// sort
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
shared uint s[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    s[i] = x[gl_GlobalInvocationID.x];
    barrier();
    for (uint k = 2u; k <= 64u; k <<= 1) for (uint j = k >> 1; j > 0u; j >>= 1) {
        uint l = i ^ j;
        if (l > i) { uint a = s[i], b = s[l]; if ((a > b) == ((i & k) == 0u)) { s[i] = b; s[l] = a; } }
        barrier();
    }
    x[gl_GlobalInvocationID.x] = s[i];
}

//// fft
layout(local_size_x = 32) in;
BUF(0) A { vec2 x[]; };
shared vec2 s[64];
void main() {
    uint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 64u;
    s[i] = x[g + (bitfieldReverse(i) >> 26)]; s[i + 32u] = x[g + (bitfieldReverse(i + 32u) >> 26)];
    barrier();
    for (uint h = 1u; h < 64u; h <<= 1) {
        uint k = i & (h - 1u), a = ((i - k) << 1) + k;
        float t = -3.14159265 * float(k) / float(h); vec2 w = vec2(cos(t), sin(t)), u = s[a], v = s[a + h];
        v = vec2(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
        s[a] = u + v; s[a + h] = u - v;
        barrier();
    }
    x[g + i] = s[i]; x[g + i + 32u] = s[i + 32u];
}

//// life
layout(local_size_x = 16, local_size_y = 16) in;
IMG(0, r8ui, readonly uimage2D, a) IMG(1, r8ui, writeonly uimage2D, b)
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy); uint n = 0u;
    for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) if (x != 0 || y != 0) n += imageLoad(a, p + ivec2(x, y)).x & 1u;
    imageStore(b, p, uvec4(n == 3u || (n == 2u && (imageLoad(a, p).x & 1u) == 1u) ? 1u : 0u));
}

//// crc
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { uint c = ~x[gl_GlobalInvocationID.x]; for (int i = 0; i < 32; i++) c = (c >> 1) ^ ((c & 1u) != 0u ? 0xedb88320u : 0u); x[gl_GlobalInvocationID.x] = ~c; }

//// sha-round
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
uint rotr(uint v, int n) { return (v >> n) | (v << (32 - n)); }
void main() {
    uint w[16], i0 = gl_GlobalInvocationID.x * 16u, a = 0x6a09e667u, e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu;
    for (int i = 0; i < 16; i++) w[i] = x[i0 + uint(i)];
    for (int i = 0; i < 48; i++) {
        uint t = w[i & 15] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g));
        w[i & 15] += rotr(w[(i + 1) & 15], 7) + rotr(w[(i + 14) & 15], 17);
        g = f; f = e; e = a + t; a = t + (rotr(a, 2) ^ rotr(a, 13));
    }
    x[i0] = a; x[i0 + 1u] = e; x[i0 + 2u] = f; x[i0 + 3u] = g;
}

//// collatz
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { uint v = (x[gl_GlobalInvocationID.x] & 63u) | 1u, n = 0u; while (v != 1u && n < 200u) { v = (v & 1u) == 0u ? v >> 1 : 3u * v + 1u; n++; } x[gl_GlobalInvocationID.x] = n; }

//// spill
layout(local_size_x = 64) in;
BUF(0) A { vec4 x[]; };
UBO(1) U { int k; };
void main() {
    vec4 t[40]; uint g = gl_GlobalInvocationID.x;
    for (int i = 0; i < 40; i++) t[i] = x[g * 40u + uint(i)] * float(i);
    t[k & 31] += t[(k * 7) & 31];
    vec4 s = vec4(0);
    for (int i = 0; i < 40; i++) s = s * 0.5 + t[(i * 11 + k) & 31];
    x[g] = s;
}

//// types8
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
BUF(0) A { uint8_t x[]; }; BUF(1) B { int8_t y[]; };
void main() { uint i = gl_GlobalInvocationID.x; x[i] = uint8_t(uint(x[i]) * 3u); y[i] = int8_t(int(y[i]) - int(x[i + 256u])); }

//// types16
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
BUF(0) A { float16_t x[]; }; BUF(1) B { i16vec2 y[]; }; BUF(2) C { f16vec4 z[]; };
void main() { uint i = gl_GlobalInvocationID.x; x[i] = x[i] * 2.0hf + x[i + 256u]; y[i] = y[i] * 3s + i16vec2(1s, 2s); z[i] = fma(z[i], z[i + 256u], f16vec4(x[i])); }

//// dot-products
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
BUF(0) A { u8vec4 x[]; }; BUF(1) B { int y[]; };
void main() { uint i = gl_GlobalInvocationID.x; ivec4 a = ivec4(x[i]), b = ivec4(x[i + 256u]); y[i] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

//// doubles
layout(local_size_x = 64) in;
BUF(0) A { double x[]; };
void main() { uint i = gl_GlobalInvocationID.x; double a = x[i], s = 1.0lf, t = 1.0lf; for (int k = 1; k < 8; k++) { t *= a / double(k); s += t; } x[i] = s + sqrt(abs(a)) + trunc(a) + double(float(a)); }

//// int64
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
BUF(0) A { uint64_t x[]; };
void main() { uint i = gl_GlobalInvocationID.x; uint64_t s = x[i] | 1ul; for (int k = 0; k < 4; k++) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; s = s * 6364136223846793005ul + 1442695040888963407ul; } x[i] = s % 1000ul; }

//// subgroup-arith O=Add,Mul,Min,Max,And,Or,Xor
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { uint i = gl_GlobalInvocationID.x, v = x[i]; x[i] = subgroup$O(v) + subgroupInclusive$O(v) * 3u + subgroupExclusive$O(v); }

//// subgroup-float O=Add,Mul,Min,Max
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
BUF(0) A { float x[]; };
void main() { uint i = gl_GlobalInvocationID.x; float v = x[i]; x[i] = subgroup$O(v) + subgroupExclusive$O(v); }

//// subgroup-cluster K=2,4,8,16,32
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { uint i = gl_GlobalInvocationID.x; x[i] = subgroupClusteredAdd(x[i], K) ^ subgroupClusteredMax(x[i], K); }

//// subgroup-shuffle
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { uint i = gl_GlobalInvocationID.x, v = x[i]; x[i] = subgroupShuffle(v, (i * 5u) & 63u) + subgroupShuffleXor(v, 7u) + subgroupShuffleUp(v, 3u) + subgroupShuffleDown(v, 1u); }

//// subgroup-ballot
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, v = x[i]; uvec4 b = subgroupBallot((v & 1u) == 0u);
    uint r = subgroupBallotBitCount(b) + subgroupBallotInclusiveBitCount(b) * 2u + subgroupBallotExclusiveBitCount(b) + subgroupBallotFindLSB(b) + subgroupBallotFindMSB(b);
    if (subgroupElect()) r += 100u;
    x[i] = r + subgroupBroadcast(v, 9) + subgroupBroadcastFirst(v) + (subgroupInverseBallot(b) ? 7u : 0u) + gl_SubgroupInvocationID + (gl_SubgroupEqMask.x ^ gl_SubgroupLtMask.y);
}

//// subgroup-vote
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
BUF(0) A { uint x[]; };
void main() { uint i = gl_GlobalInvocationID.x, v = x[i]; x[i] = (subgroupAll(v > 2u) ? 1u : 0u) + (subgroupAny(v > 6u) ? 2u : 0u) + (subgroupAllEqual(v) ? 4u : 0u); }

//// subgroup-quad
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
BUF(0) A { vec2 x[]; };
void main() { uint i = gl_GlobalInvocationID.x; vec2 v = x[i]; x[i] = subgroupQuadBroadcast(v, 1) + subgroupQuadSwapHorizontal(v) - subgroupQuadSwapVertical(v) * subgroupQuadSwapDiagonal(v); }

//// waterfall
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform sampler2D t[16];
layout(std430, set = 0, binding = 1) buffer B { uint i[]; } b[4];
void main() {
    uint g = gl_GlobalInvocationID.x, k = b[0].i[g];
    vec4 c = textureLod(t[nonuniformEXT(k & 15u)], vec2(g) * 0.1, 0.0);
    b[nonuniformEXT(k & 3u)].i[g + 64u] = packUnorm4x8(c);
}

//// buffer-reference
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer R { uint v[]; };
layout(set = 0, binding = 0) uniform U { R a; R b; };
void main() { uint i = gl_GlobalInvocationID.x; b.v[i] = a.v[i] + atomicAdd(b.v[0], 1u); }

//// ids
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
BUF(0) A { uvec4 x[]; };
void main() { x[gl_LocalInvocationIndex] = uvec4(gl_GlobalInvocationID, gl_WorkGroupID.x + 10u * gl_WorkGroupID.y + 100u * gl_WorkGroupID.z) + uvec4(gl_NumWorkGroups, 0u); }

//// image-size
layout(local_size_x = 1) in;
IMG(0, rgba8, image2D, a) IMG(1, rgba8, image3D, b) TEX(2, sampler2DArray, d) BUF(3) B { ivec4 o[]; }; BUF(4) C { uint z[]; };
void main() { o[0] = ivec4(imageSize(a), imageSize(b).zx); o[1] = ivec4(textureSize(d, 1), textureQueryLevels(d)); o[2] = ivec4(z.length()); }

//// sets
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer A { float a[]; }; layout(set = 1, binding = 3, std430) buffer B { float b[]; };
layout(set = 2, binding = 1) uniform sampler2D t; layout(set = 3, binding = 0) uniform U { vec4 k; };
void main() { uint i = gl_GlobalInvocationID.x; a[i] = b[i] * k.x + textureLod(t, k.yz, 0.0).x; }

//// texel-buffers
layout(local_size_x = 64) in;
TEX(0, samplerBuffer, a) TEX(1, usamplerBuffer, b) IMG(2, rgba16f, imageBuffer, d) IMG(3, r32ui, uimageBuffer, e)
void main() { int i = int(gl_GlobalInvocationID.x); imageStore(d, i, texelFetch(a, i) + imageLoad(d, i + 1)); imageStore(e, i, texelFetch(b, i) * 3u); }

//// prefix-image
layout(local_size_x = 64) in;
IMG(0, r32f, image2D, a)
shared float s[64];
void main() {
    int l = int(gl_LocalInvocationIndex); ivec2 p = ivec2(l, gl_WorkGroupID.y);
    s[l] = imageLoad(a, p).x;
    memoryBarrierShared(); barrier();
    float t = 0.0; for (int i = 0; i <= l; i++) t += s[i];
    imageStore(a, p, vec4(t));
}

//// luminance
layout(local_size_x = 16, local_size_y = 16) in;
TEX(0, sampler2D, a) BUF(1) B { uint bins[64]; };
shared uint s[64];
void main() {
    uint l = gl_LocalInvocationIndex; if (l < 64u) s[l] = 0u;
    barrier();
    float y = dot(texelFetch(a, ivec2(gl_GlobalInvocationID.xy), 0).rgb, vec3(0.2126, 0.7152, 0.0722));
    atomicAdd(s[clamp(int((log2(y + 0.001) + 10.0) * 4.0), 0, 63)], 1u);
    barrier();
    if (l < 64u) atomicAdd(bins[l], s[l]);
}

//// clock
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
layout(local_size_x = 64) in;
BUF(0) A { uvec4 x[]; };
void main() { uvec2 a = clock2x32ARB(), b = clockRealtime2x32EXT(); x[gl_GlobalInvocationID.x] = uvec4(a, b) & 1u; }
