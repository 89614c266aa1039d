//// flat-colour
OUT(0, vec4, c)
void main() { c = vec4(0.25, 0.5, 0.75, 1.0); }

//// uniform-colour
UBO(0) U { vec4 k; };
OUT(0, vec4, c)
void main() { c = k; }

//// push-colour
PUSH P { vec4 k; float g; };
OUT(0, vec4, c)
void main() { c = pow(k, vec4(g)); }

//// varying N=1,2,3,4
IN(0, vec4, a) IN(1, vec4, b) IN(2, vec4, d) IN(3, vec4, e)
OUT(0, vec4, c)
void main() {
    vec4 v[4] = vec4[](a, b, d, e);
    c = vec4(0);
    for (int i = 0; i < N; i++) c = c * 0.5 + v[i];
}

//// interpolation Q=smooth,noperspective,centroid,sample,flat
layout(location = 0) Q in vec3 n;
OUT(0, vec4, c)
void main() { c = vec4(normalize(n), dot(n, n)); }

//// interpolate-at F=interpolateAtCentroid(v),interpolateAtSample(v,gl_SampleID),interpolateAtOffset(v,vec2(0.25))
IN(0, vec2, v) OUT(0, vec4, c)
void main() { c = vec4(F, v); }

//// lambert
IN(0, vec3, n) IN(1, vec3, p) OUT(0, vec4, c)
UBO(0) U { vec3 light; vec4 ambient; vec4 diffuse; };
void main() {
    vec3 l = normalize(light - p);
    c = ambient + diffuse * max(dot(normalize(n), l), 0.0);
}

//// phong E=4,16,64
IN(0, vec3, n) IN(1, vec3, p) OUT(0, vec4, c)
UBO(0) U { vec3 light; vec3 eye; vec4 ambient; vec4 diffuse; vec4 specular; };
void main() {
    vec3 m = normalize(n), l = normalize(light - p), v = normalize(eye - p);
    float d = max(dot(m, l), 0.0);
    float s = d > 0.0 ? pow(max(dot(reflect(-l, m), v), 0.0), float(E)) : 0.0;
    c = ambient + diffuse * d + specular * s;
}

//// blinn-lights N=2,4,8
IN(0, vec3, n) IN(1, vec3, p) IN(2, vec2, uv) OUT(0, vec4, c)
struct Light { vec4 position; vec4 colour; float range; float power; };
UBO(0) U { Light lights[N]; vec3 eye; };
TEX(1, sampler2D, albedo)
void main() {
    vec3 m = normalize(n), v = normalize(eye - p), sum = vec3(0);
    for (int i = 0; i < N; i++) {
        vec3 d = lights[i].position.xyz - p;
        float r = length(d);
        if (r > lights[i].range * 8.0) continue;
        vec3 h = normalize(d / r + v);
        sum += lights[i].colour.rgb * (max(dot(m, d / r), 0.0) + pow(max(dot(m, h), 0.0), lights[i].power)) / (1.0 + r * r);
    }
    c = vec4(sum, 1.0) * texture(albedo, uv);
}

//// ggx
IN(0, vec3, n) IN(1, vec3, p) IN(2, vec2, uv) OUT(0, vec4, c)
UBO(0) U { vec3 light; vec3 eye; vec3 base; float metal; float rough; };
TEX(1, sampler2D, orm) TEX(2, samplerCube, sky)
void main() {
    vec3 m = normalize(n), l = normalize(light), v = normalize(eye - p), h = normalize(l + v);
    vec3 t = texture(orm, uv).xyz;
    float a = t.y * rough; a *= a;
    float nh = max(dot(m, h), 0.0), nl = max(dot(m, l), 0.0), nv = max(dot(m, v), 0.01);
    float d = nh * nh * (a * a - 1.0) + 1.0;
    d = a * a / (3.14159265 * d * d);
    float k = a * 0.5, g = nl * nv / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    vec3 f0 = mix(vec3(0.04), base, t.z * metal);
    vec3 f = f0 + (1.0 - f0) * pow(1.0 - max(dot(h, v), 0.0), 5.0);
    c = vec4((d * g) * f / max(4.0 * nl * nv, 0.001) + textureLod(sky, reflect(-v, m), rough * 4.0).rgb * f * t.x, 1.0);
}

//// normal-map
IN(0, vec3, n) IN(1, vec4, tangent) IN(2, vec2, uv) IN(3, vec3, l) OUT(0, vec4, c)
TEX(0, sampler2D, bump)
void main() {
    vec3 b = cross(n, tangent.xyz) * tangent.w;
    vec3 m = mat3(tangent.xyz, b, n) * (texture(bump, uv).xyz * 2.0 - 1.0);
    c = vec4(vec3(max(dot(normalize(m), normalize(l)), 0.0)), 1.0);
}

//// parallax S=4,8
IN(0, vec3, v) IN(1, vec2, uv) OUT(0, vec4, c)
TEX(0, sampler2D, height) TEX(1, sampler2D, colour)
void main() {
    vec2 step2 = v.xy / max(v.z, 0.1) * 0.05 / float(S), t = uv;
    float layer = 0.0, h = textureLod(height, t, 0.0).x;
    for (int i = 0; i < S && layer < h; i++) {
        t -= step2;
        h = textureLod(height, t, 0.0).x;
        layer += 1.0 / float(S);
    }
    c = texture(colour, t);
}

//// texture D=sampler1D/x,sampler2D/xy,sampler3D/xyz,samplerCube/xyz,sampler1DArray/xy,sampler2DArray/xyz,samplerCubeArray/xyzw
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = texture(s, p.D1); }

//// texture-bias D=sampler2D/xy,sampler3D/xyz,samplerCube/xyz,sampler2DArray/xyz
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = texture(s, p.D1, p.w); }

//// texture-lod D=sampler1D/x,sampler2D/xy,sampler3D/xyz,samplerCube/xyz,sampler2DArray/xyz,samplerCubeArray/xyzw
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = textureLod(s, p.D1, p.w) + textureLod(s, p.D1, 0.0); }

//// texture-grad D=sampler1D/x/x,sampler2D/xy/xy,sampler3D/xyz/xyz,samplerCube/xyz/xyz,sampler2DArray/xyz/xy
IN(0, vec4, p) IN(1, vec4, a) IN(2, vec4, b) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = textureGrad(s, p.D1, a.D2, b.D2); }

//// texture-offset O=ivec2(1,-1),ivec2(-8,7)
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() { c = textureOffset(s, p, O) - textureLodOffset(s, p, 1.0, O); }

//// texture-proj D=sampler1D/xy,sampler2D/xyz,sampler3D/xyzw
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = textureProj(s, p.D1); }

//// shadow D=sampler1DShadow/xyz,sampler2DShadow/xyz,samplerCubeShadow/xyzw,sampler2DArrayShadow/xyzw
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = vec4(texture(s, p.D1)); }

//// shadow-lod
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, sampler2DShadow, s)
void main() { c = vec4(textureLod(s, p.xyz, p.w), textureProj(s, p), textureGrad(s, p.xyz, p.xy, p.zw), textureOffset(s, p.xyz, ivec2(2, 3))); }

//// shadow-pcf R=1,2
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, sampler2DShadow, s)
UBO(1) U { float texel; };
void main() {
    float sum = 0.0;
    for (int y = -R; y <= R; y++)
        for (int x = -R; x <= R; x++) sum += texture(s, vec3(p.xy + vec2(x, y) * texel, p.z));
    c = vec4(sum / float((2 * R + 1) * (2 * R + 1)));
}

//// gather C=0,1,2,3
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() { c = textureGather(s, p, C); }

//// gather-more
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, sampler2DArray, s) TEX(1, samplerCube, q) TEX(2, sampler2DShadow, h) TEX(3, isampler2D, i) TEX(4, usampler2D, u)
void main() {
    c = textureGather(s, p.xyz) + textureGather(q, p.xyz, 2) + textureGather(h, p.xy, p.z);
    c += vec4(textureGather(i, p.xy)) + vec4(textureGather(u, p.xy, 1)) + textureGatherOffset(s, p.xyz, ivec2(-3, 5));
}

//// gather-offsets
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() { c = textureGatherOffsets(s, p, ivec2[4](ivec2(0, 1), ivec2(2, 0), ivec2(-1, -2), ivec2(3, 3))); }

//// fetch D=sampler1D/x/0,sampler2D/xy/1,sampler3D/xyz/0,sampler2DArray/xyz/2
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, D0, s)
void main() { c = texelFetch(s, ivec4(p * 16.0).D1, D2); }

//// fetch-more
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, samplerBuffer, b) TEX(1, isamplerBuffer, i) TEX(2, sampler2DMS, m) TEX(3, sampler2DRect, r)
void main() {
    ivec2 q = ivec2(p.xy * 8.0);
    c = texelFetch(b, q.x) + vec4(texelFetch(i, q.y)) + texelFetch(m, q, 2) + texelFetch(r, q);
}

//// texture-query
IN(0, vec4, p) OUT(0, vec4, c)
TEX(0, sampler2D, s) TEX(1, sampler3D, t) TEX(2, sampler2DArray, a) TEX(3, samplerCube, q) TEX(4, samplerBuffer, b)
void main() {
    c = vec4(textureSize(s, 1), textureQueryLod(s, p.xy)) + vec4(textureSize(t, 0), textureQueryLevels(t));
    c += vec4(textureSize(a, 0), textureSize(q, 2).x) + float(textureSize(b));
}

//// integer-texture T=isampler2D/ivec4,usampler2D/uvec4
IN(0, vec2, p) OUT(0, T1, c)
TEX(0, T0, s)
void main() { c = texture(s, p) + texelFetch(s, ivec2(p * 4.0), 0) * 3; }

//// separate-sampler
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, texture2D, t) TEX(1, sampler, a) TEX(2, sampler, b) TEX(3, texture2DArray, ta)
void main() { c = texture(sampler2D(t, a), p) * texture(sampler2D(t, b), p.yx) + texture(sampler2DArray(ta, a), vec3(p, 1)); }

//// texture-array-dynamic
IN(0, vec2, p) FLAT(1, int, i) OUT(0, vec4, c)
layout(set = 0, binding = 0) uniform sampler2D s[8];
void main() { c = textureLod(s[i & 7], p, 0.0); }

//// texture-array-uniform
IN(0, vec2, p) OUT(0, vec4, c)
layout(set = 0, binding = 0) uniform sampler2D s[4];
UBO(1) U { int i; };
void main() { c = texture(s[i & 3], p); }

//// blur N=3,5,9
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
PUSH P { vec2 d; };
void main() {
    c = vec4(0);
    float total = 0.0;
    for (int i = -(N / 2); i <= N / 2; i++) {
        float w = exp(-float(i * i) / float(N));
        c += texture(s, p + d * float(i)) * w;
        total += w;
    }
    c /= total;
}

//// bloom
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s) TEX(1, sampler2D, t)
UBO(2) U { float threshold; float strength; };
void main() {
    vec3 a = texture(s, p).rgb, b = texture(t, p).rgb;
    float l = dot(b, vec3(0.2126, 0.7152, 0.0722));
    c = vec4(a + b * smoothstep(threshold, threshold + 0.5, l) * strength, 1);
}

//// sobel
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() {
    float g[9];
    for (int i = 0; i < 9; i++) g[i] = dot(textureOffset(s, p, ivec2(0)).rgb, vec3(0.299, 0.587, 0.114)) + texture(s, p + vec2(i % 3 - 1, i / 3 - 1) / 64.0).g;
    float x = g[2] + 2.0 * g[5] + g[8] - g[0] - 2.0 * g[3] - g[6], y = g[6] + 2.0 * g[7] + g[8] - g[0] - 2.0 * g[1] - g[2];
    c = vec4(sqrt(x * x + y * y), atan(y, x), 0, 1);
}

//// fxaa
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
UBO(1) U { vec2 texel; };
float luma(vec3 x) { return dot(x, vec3(0.299, 0.587, 0.114)); }
void main() {
    float m = luma(texture(s, p).rgb), nw = luma(texture(s, p - texel).rgb), se = luma(texture(s, p + texel).rgb);
    float ne = luma(texture(s, p + vec2(texel.x, -texel.y)).rgb), sw = luma(texture(s, p + vec2(-texel.x, texel.y)).rgb);
    float lo = min(m, min(min(nw, ne), min(sw, se))), hi = max(m, max(max(nw, ne), max(sw, se)));
    if (hi - lo < 0.03125) { c = texture(s, p); return; }
    vec2 d = vec2(sw + se - nw - ne, nw + sw - ne - se);
    d = clamp(d / (min(abs(d.x), abs(d.y)) + 0.01), -8.0, 8.0) * texel;
    vec3 a = 0.5 * (texture(s, p - d / 6.0).rgb + texture(s, p + d / 6.0).rgb);
    vec3 b = a * 0.5 + 0.25 * (texture(s, p - d * 0.5).rgb + texture(s, p + d * 0.5).rgb);
    c = vec4(luma(b) < lo || luma(b) > hi ? a : b, 1);
}

//// tonemap F=reinhard,aces,filmic
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
UBO(1) U { float exposure; };
vec3 reinhard(vec3 x) { return x / (1.0 + x); }
vec3 aces(vec3 x) { return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0); }
vec3 filmic(vec3 x) { x = max(vec3(0), x - 0.004); return x * (6.2 * x + 0.5) / (x * (6.2 * x + 1.7) + 0.06); }
void main() { c = vec4(pow(F(texture(s, p).rgb * exposure), vec3(1.0 / 2.2)), 1); }

//// srgb
IN(0, vec4, a) OUT(0, vec4, c)
void main() { c = vec4(mix(a.rgb * 12.92, 1.055 * pow(a.rgb, vec3(1.0 / 2.4)) - 0.055, greaterThan(a.rgb, vec3(0.0031308))), a.a); }

//// hsv
IN(0, vec4, a) OUT(0, vec4, c)
void main() {
    vec4 k = vec4(0.0, -1.0 / 3.0, 2.0 / 3.0, -1.0), p = mix(vec4(a.bg, k.wz), vec4(a.gb, k.xy), step(a.b, a.g));
    vec4 q = mix(vec4(p.xyw, a.r), vec4(a.r, p.yzx), step(p.x, a.r));
    float d = q.x - min(q.w, q.y);
    vec3 h = vec3(abs(q.z + (q.w - q.y) / (6.0 * d + 1e-10)), d / (q.x + 1e-10), q.x);
    h.x = fract(h.x + 0.25);
    c = vec4(h.z * mix(vec3(1), clamp(abs(fract(h.xxx + vec3(1, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0, 0.0, 1.0), h.y), a.a);
}

//// value-noise O=1,4
IN(0, vec2, p) OUT(0, vec4, c)
float h(vec2 x) { return fract(sin(dot(x, vec2(127.1, 311.7))) * 43758.5453); }
float n(vec2 x) {
    vec2 i = floor(x), f = fract(x);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(h(i), h(i + vec2(1, 0)), f.x), mix(h(i + vec2(0, 1)), h(i + vec2(1, 1)), f.x), f.y);
}
void main() {
    float s = 0.0, a = 0.5;
    vec2 q = p * 4.0;
    for (int i = 0; i < O; i++) { s += a * n(q); q = mat2(1.6, 1.2, -1.2, 1.6) * q; a *= 0.5; }
    c = vec4(s);
}

//// integer-noise
IN(0, vec2, p) OUT(0, vec4, c)
uint pcg(uint v) { uint s = v * 747796405u + 2891336453u, w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u; return (w >> 22u) ^ w; }
void main() {
    uvec2 i = uvec2(ivec2(floor(p * 8.0)));
    uint x = pcg(i.x + pcg(i.y));
    c = unpackUnorm4x8(x);
}

//// voronoi
IN(0, vec2, p) OUT(0, vec4, c)
vec2 h(vec2 x) { return fract(sin(vec2(dot(x, vec2(127.1, 311.7)), dot(x, vec2(269.5, 183.3)))) * 43758.5453); }
void main() {
    vec2 i = floor(p * 4.0), f = fract(p * 4.0);
    float m = 8.0;
    for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) {
        vec2 r = vec2(x, y) + h(i + vec2(x, y)) - f;
        m = min(m, dot(r, r));
    }
    c = vec4(sqrt(m));
}

//// simplex
IN(0, vec2, v) OUT(0, vec4, c)
vec3 permute(vec3 x) { return mod((x * 34.0 + 1.0) * x, 289.0); }
void main() {
    const vec4 k = vec4(0.211324865, 0.366025404, -0.577350269, 0.024390244);
    vec2 i = floor(v + dot(v, k.yy)), a = v - i + dot(i, k.xx), s = a.x > a.y ? vec2(1, 0) : vec2(0, 1);
    vec4 b = a.xyxy + k.xxzz;
    b.xy -= s;
    i = mod(i, 289.0);
    vec3 p = permute(permute(i.y + vec3(0, s.y, 1)) + i.x + vec3(0, s.x, 1));
    vec3 m = max(0.5 - vec3(dot(a, a), dot(b.xy, b.xy), dot(b.zw, b.zw)), 0.0);
    m = m * m; m = m * m;
    vec3 x = 2.0 * fract(p * k.www) - 1.0, h = abs(x) - 0.5, o = floor(x + 0.5), d = x - o;
    m *= 1.79284291400159 - 0.85373472095314 * (d * d + h * h);
    c = vec4(130.0 * dot(m, vec3(d.x * a.x + h.x * a.y, d.yz * b.xz + h.yz * b.yw)));
}

//// mandelbrot N=16,100
IN(0, vec2, p) OUT(0, vec4, c)
void main() {
    vec2 z = vec2(0);
    int i = 0;
    for (; i < N && dot(z, z) < 4.0; i++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + p - 1.0;
    c = vec4(float(i) / float(N));
}

//// ray-sphere
IN(0, vec3, d) OUT(0, vec4, c)
UBO(0) U { vec4 spheres[4]; vec3 eye; };
void main() {
    vec3 r = normalize(d);
    float best = 1e9;
    vec3 n = vec3(0);
    for (int i = 0; i < 4; i++) {
        vec3 o = eye - spheres[i].xyz;
        float b = dot(o, r), k = dot(o, o) - spheres[i].w * spheres[i].w, h = b * b - k;
        if (h >= 0.0) { float t = -b - sqrt(h); if (t > 0.0 && t < best) { best = t; n = normalize(o + r * t); } }
    }
    if (best == 1e9) discard;
    c = vec4(n * 0.5 + 0.5, best);
}

//// ray-march N=8,32
IN(0, vec2, p) OUT(0, vec4, c)
UBO(0) U { float time; };
float map(vec3 q) { vec2 t = vec2(length(q.xz) - 1.0, q.y); return min(length(t) - 0.25, q.y + 1.0 + 0.1 * sin(q.x * 4.0 + time)); }
void main() {
    vec3 o = vec3(0, 1, -3), r = normalize(vec3(p - 1.0, 1.5));
    float t = 0.0;
    for (int i = 0; i < N; i++) { float d = map(o + r * t); if (d < 0.001 || t > 20.0) break; t += d; }
    vec3 q = o + r * t;
    vec2 e = vec2(0.001, 0);
    vec3 n = normalize(vec3(map(q + e.xyy), map(q + e.yxy), map(q + e.yyx)) - map(q));
    c = vec4(n * exp(-t * 0.1), 1);
}

//// discard-alpha
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() { c = texture(s, p); if (c.a < 0.5) discard; }

//// discard-late
IN(0, vec4, a) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() {
    if (a.x > 1.0) discard;
    c = texture(s, a.xy);
    if (dot(c, a) > 4.0) discard;
    c *= dFdx(c.x);
}

//// demote
#extension GL_EXT_demote_to_helper_invocation : require
IN(0, vec4, a) OUT(0, vec4, c)
void main() { if (a.x > 1.0) demote; c = helperInvocationEXT() ? vec4(0) : fwidth(a); }

//// early-z
layout(early_fragment_tests) in;
IN(0, vec4, a) OUT(0, vec4, c)
BUF(0) B { uint n; };
void main() { atomicAdd(n, 1u); c = a; }

//// depth-out Q=depth_any,depth_greater,depth_less,depth_unchanged
layout(Q) out float gl_FragDepth;
IN(0, vec4, a) OUT(0, vec4, c)
void main() { gl_FragDepth = a.z * 0.5; c = a; }

//// depth-only
IN(0, vec4, a)
void main() { gl_FragDepth = a.w; }

//// stencil-out
#extension GL_ARB_shader_stencil_export : require
IN(0, vec4, a) OUT(0, vec4, c)
void main() { gl_FragStencilRefARB = int(a.x * 8.0); gl_FragDepth = a.y; c = a; }

//// sample-mask
IN(0, vec4, a) OUT(0, vec4, c)
void main() { gl_SampleMask[0] = gl_SampleMaskIn[0] & int(a.x * 15.0); c = a; }

//// sample-rate
IN(0, vec4, a) OUT(0, vec4, c)
void main() { c = a * float(gl_SampleID) + vec4(gl_SamplePosition, 0, 1); }

//// frag-coord
OUT(0, vec4, c)
void main() { c = gl_FragCoord / vec4(64, 64, 1, 1); }

//// checker
OUT(0, vec4, c)
UBO(0) U { vec4 k[2]; };
void main() { ivec2 q = ivec2(gl_FragCoord.xy) >> 2; c = k[(q.x ^ q.y) & 1]; }

//// facing
IN(0, vec3, n) OUT(0, vec4, c)
void main() { c = vec4(gl_FrontFacing ? n : -n, gl_PrimitiveID & 255); }

//// layer-viewport
#extension GL_ARB_shader_viewport_layer_array : enable
OUT(0, vec4, c)
void main() { c = vec4(gl_Layer, gl_ViewportIndex, 0, 1); }

//// point-coord
OUT(0, vec4, c)
void main() { vec2 d = gl_PointCoord - 0.5; c = vec4(1.0 - smoothstep(0.2, 0.25, dot(d, d))); }

//// clip-in
in float gl_ClipDistance[2];
OUT(0, vec4, c)
void main() { c = vec4(gl_ClipDistance[0], gl_ClipDistance[1], 0, 1); }

//// mrt N=2,4,8
IN(0, vec4, a) IN(1, vec4, b)
layout(location = 0) out vec4 c[N];
void main() { for (int i = 0; i < N; i++) c[i] = a * float(i) + b.wzyx; }

//// mrt-mixed
IN(0, vec4, a) OUT(0, vec4, c) OUT(1, uvec4, u) OUT(2, ivec4, i) OUT(3, float, f) OUT(5, vec2, v)
void main() { c = a; u = uvec4(a * 255.0); i = ivec4(a * -8.0); f = a.x; v = a.yz; }

//// gbuffer
IN(0, vec3, n) IN(1, vec2, uv) IN(2, vec3, vel) OUT(0, vec4, albedo) OUT(1, vec2, normal) OUT(2, uvec2, material) OUT(3, vec2, motion)
TEX(0, sampler2D, a) TEX(1, sampler2D, m)
vec2 octa(vec3 v) { v /= abs(v.x) + abs(v.y) + abs(v.z); return v.z >= 0.0 ? v.xy : (1.0 - abs(v.yx)) * sign(v.xy); }
void main() {
    albedo = texture(a, uv);
    normal = octa(normalize(n));
    vec4 q = texture(m, uv);
    material = uvec2(packUnorm4x8(q), packHalf2x16(q.zw));
    motion = vel.xy / vel.z;
}

//// dual-source
layout(location = 0, index = 0) out vec4 c;
layout(location = 0, index = 1) out vec4 d;
IN(0, vec4, a)
void main() { c = a; d = 1.0 - a; }

//// derivatives F=dFdx,dFdy,dFdxFine,dFdyFine,dFdxCoarse,dFdyCoarse,fwidth,fwidthFine,fwidthCoarse
IN(0, vec4, a) OUT(0, vec4, c)
void main() { c = F(a * a.wzyx); }

//// line-aa
IN(0, vec2, p) OUT(0, vec4, c)
void main() { float d = abs(p.y - p.x * p.x); c = vec4(1.0 - smoothstep(0.0, fwidth(d) * 1.5, d)); }

//// storage-image F=rgba8,rgba16f,rgba32f,r32f,rg16f,r11f_g11f_b10f
IN(0, vec2, p) OUT(0, vec4, c)
IMG(0, F, image2D, i)
void main() { ivec2 q = ivec2(p * 32.0); c = imageLoad(i, q); imageStore(i, q + 1, c * 0.5); }

//// image-atomic F=imageAtomicAdd,imageAtomicMin,imageAtomicMax,imageAtomicAnd,imageAtomicOr,imageAtomicXor,imageAtomicExchange
IN(0, vec2, p) OUT(0, uvec4, c)
IMG(0, r32ui, uimage2D, i)
void main() { c = uvec4(F(i, ivec2(p * 32.0), 5u)); }

//// image-kinds
IN(0, vec4, p) OUT(0, vec4, c)
IMG(0, rgba8, image1D, a) IMG(1, rgba8, image3D, b) IMG(2, rgba8, imageCube, d) IMG(3, rgba8, image2DArray, e) IMG(4, rgba32f, imageBuffer, f)
void main() {
    ivec3 q = ivec3(p.xyz * 7.0);
    c = imageLoad(a, q.x) + imageLoad(b, q) + imageLoad(d, q) + imageLoad(e, q) + imageLoad(f, q.y);
    imageStore(e, q, c); imageStore(b, q, c.wzyx); imageStore(a, q.z, c); imageStore(f, q.x, c);
    c += vec4(imageSize(b), imageSize(e).z);
}

//// ssbo-list
IN(0, vec4, p)
struct Node { vec4 colour; float depth; uint next; };
BUF(0) L { uint count; Node nodes[]; };
IMG(1, r32ui, uimage2D, heads)
void main() {
    uint i = atomicAdd(count, 1u) & 1023u;
    uint prev = imageAtomicExchange(heads, ivec2(gl_FragCoord.xy), i);
    nodes[i] = Node(p, gl_FragCoord.z, prev);
}

//// switch
IN(0, vec4, a) FLAT(1, int, k) OUT(0, vec4, c)
void main() {
    switch (k & 7) {
        case 0: c = a; break;
        case 1: c = a.wzyx * 2.0; break;
        case 2: c = sqrt(a);
        case 3: c = c + inversesqrt(a + 1.0); break;
        case 4: c = exp2(a); break;
        case 5: c = log2(a + 0.5); break;
        default: c = sin(a) * cos(a.yxwz);
    }
}

//// loop-uniform
IN(0, vec4, a) OUT(0, vec4, c)
UBO(0) U { uint n; vec4 k[16]; };
void main() { c = vec4(0); for (uint i = 0u; i < (n & 15u); i++) c = fma(c, a, k[i]); }

//// loop-divergent
IN(0, vec4, a) OUT(0, vec4, c)
void main() {
    float s = a.x;
    int i = 0;
    while (s < 20.0 && i < 50) { s = s * 1.3 + a.y + 0.1; if (s > 5.0 && a.z > 1.0) s += 2.0; if (s > 15.0) break; i++; }
    c = vec4(s, i, 0, 1);
}

//// nested-if
IN(0, vec4, a) IN(1, vec4, b) OUT(0, vec4, c)
TEX(0, sampler2D, s)
void main() {
    c = vec4(0);
    if (a.x > 0.5) { if (b.x < 1.0) c += textureLod(s, a.xy, 0.0); else c -= a; if (a.y > b.y) c *= 2.0; }
    else { if (b.z > a.z) { c.x = a.w; if (b.w > 1.0) c.y = 3.0; } else c = textureLod(s, b.xy, 1.0); }
    c += b;
}

//// indexed-array
IN(0, vec4, a) OUT(0, vec4, c)
const vec4 table[8] = vec4[](vec4(1, 2, 3, 4), vec4(0.5), vec4(2, 1, 0, 3), vec4(7), vec4(0, 0, 1, 1), vec4(3, 1, 4, 1), vec4(2, 7, 1, 8), vec4(6));
void main() { c = table[int(a.x * 4.0) & 7] * table[int(a.y * 4.0) & 7]; }

//// indexed-temporary
IN(0, vec4, a) FLAT(1, ivec2, k) OUT(0, vec4, c)
void main() {
    float t[16];
    for (int i = 0; i < 16; i++) t[i] = a[i & 3] * float(i);
    t[k.x & 15] = 9.0;
    c = vec4(t[k.y & 15], t[(k.x + 1) & 15], t[3], t[12]);
}

//// bits
FLAT(0, uvec4, a) OUT(0, uvec4, c)
void main() {
    c.x = bitfieldReverse(a.x) + uint(bitCount(a.y));
    c.y = bitfieldExtract(a.y, 3, 7) ^ uint(findMSB(a.z));
    c.z = bitfieldInsert(a.z, a.w, 5, 11) + uint(findLSB(a.x));
    uint carry; c.w = uaddCarry(a.x, a.y, carry) ^ carry;
    uint hi, lo; umulExtended(a.z, a.w, hi, lo); c.x ^= hi; c.y += lo;
}

//// int-division
FLAT(0, ivec4, a) FLAT(1, uvec4, b) OUT(0, ivec4, c)
void main() { c = ivec4(a.x / (a.y | 1), a.z % (a.w | 1), int(b.x / (b.y | 1u)), int(b.z % (b.w | 1u))) + a / 7 - ivec4(b / 10u); }

//// pack F=packHalf2x16(a.xy),packUnorm2x16(a.xy),packSnorm2x16(a.xy),packUnorm4x8(a),packSnorm4x8(a)
IN(0, vec4, a) OUT(0, uvec4, c)
void main() { c = uvec4(F); }

//// unpack
FLAT(0, uint, a) OUT(0, vec4, c)
void main() { c = vec4(unpackHalf2x16(a), unpackSnorm2x16(a)) + unpackUnorm4x8(a) - unpackSnorm4x8(a); }

//// functions F=sin,cos,tan,asin,acos,atan,sinh,cosh,tanh,exp,log,exp2,log2,sqrt,inversesqrt,floor,ceil,fract,trunc,round,roundEven,sign,abs,radians
IN(0, vec4, a) OUT(0, vec4, c)
void main() { c = F(a); }

//// functions2 F=pow(a,b),mod(a,b),min(a,b),max(a,b),step(a,b),atan(a,b),reflect(a,b),a/b,ldexp(a,ivec4(b)),mix(a,b,lessThan(a,b))
IN(0, vec4, a) IN(1, vec4, b) OUT(0, vec4, c)
void main() { c = F; }

//// functions3
IN(0, vec4, a) IN(1, vec4, b) OUT(0, vec4, c)
void main() {
    ivec4 e; vec4 m = frexp(a, e), w, f = modf(b * 3.0, w);
    c = m + vec4(e) + f * w + vec4(faceforward(a.xyz, b.xyz, a.zyx), distance(a, b)) + vec4(refract(a.xyz, b.xyz, 0.7), smoothstep(0.2, 0.8, a.x));
    c += vec4(isnan(a)) + vec4(isinf(b)) + clamp(a, b, b + 1.0);
}

//// matrices
IN(0, vec4, a) OUT(0, vec4, c)
UBO(0) U { mat4 m; mat3 n; mat2 o; };
void main() {
    c = inverse(m) * a + transpose(m) * a.wzyx + vec4(n * a.xyz, determinant(n)) + vec4(inverse(o) * a.xy, outerProduct(a.xy, a.zw)[1]);
}

//// f16
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
IN(0, vec4, a) OUT(0, vec4, c)
void main() {
    f16vec4 h = f16vec4(a), g = h * h + f16vec4(0.5);
    g = mix(g, max(h, g.wzyx), h.x);
    g = sqrt(g) + exp2(h) * float16_t(0.25) - floor(g) + fma(h, g, h);
    c = vec4(g);
}

//// i16
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
FLAT(0, ivec4, a) OUT(0, ivec4, c)
void main() { i16vec4 h = i16vec4(a), g = h * h + i16vec4(3); g = max(g >> 2s, h) - min(g, h.wzyx); g ^= h & i16vec4(255); c = ivec4(g); }

//// f64
IN(0, vec4, a) OUT(0, vec4, c)
void main() {
    dvec4 d = dvec4(a), e = d * d + dvec4(0.5lf);
    e = e / (d + 1.0lf) + sqrt(e) - floor(d * 3.0lf) + fma(d, e, d);
    c = vec4(e + max(d, e.wzyx) + abs(min(e, d)) + fract(e) + inversesqrt(e));
}

//// i64
#extension GL_ARB_gpu_shader_int64 : require
FLAT(0, uvec4, a) OUT(0, uvec4, c)
void main() {
    uint64_t x = packUint2x32(a.xy), y = packUint2x32(a.zw) | 1ul;
    x = x * y + (x >> (a.x & 63u)) - (y << 3); int64_t z = int64_t(x) / 3l; x ^= uint64_t(z) + (x > y ? x : y);
    c = uvec4(unpackUint2x32(x), unpackUint2x32(x / y));
}

//// subgroup-quad
#extension GL_KHR_shader_subgroup_quad : require
IN(0, vec4, a) OUT(0, vec4, c)
void main() { c = subgroupQuadBroadcast(a, 2) + subgroupQuadSwapHorizontal(a) * subgroupQuadSwapVertical(a) - subgroupQuadSwapDiagonal(a); }

//// subgroup-vote
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
IN(0, vec4, a) OUT(0, vec4, c)
void main() {
    c = a;
    if (subgroupAny(a.x > 1.5)) c *= 2.0;
    if (subgroupAll(a.y < 4.0)) c += 1.0;
    c.w += float(subgroupBallotBitCount(subgroupBallot(a.z > 1.0))) + subgroupBroadcastFirst(a.x);
}

//// ycbcr
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, y) TEX(1, sampler2D, uv)
void main() {
    vec3 t = vec3(texture(y, p).r - 0.0625, texture(uv, p).rg - 0.5);
    c = vec4(mat3(1.164, 1.164, 1.164, 0.0, -0.213, 2.112, 1.793, -0.533, 0.0) * t, 1);
}

//// fog
IN(0, vec4, a) IN(1, float, z) OUT(0, vec4, c)
UBO(0) U { vec4 colour; float density; };
void main() { float f = clamp(exp2(-density * density * z * z * 1.442695), 0.0, 1.0); c = mix(colour, a, f); }

//// dither
IN(0, vec4, a) OUT(0, vec4, c)
const float bayer[16] = float[](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);
void main() { ivec2 q = ivec2(gl_FragCoord.xy) & 3; c = floor(a * 15.0 + bayer[q.y * 4 + q.x] / 16.0) / 15.0; }

//// water
IN(0, vec3, p) IN(1, vec4, clip) OUT(0, vec4, c)
TEX(0, sampler2D, reflection) TEX(1, sampler2D, refraction) TEX(2, sampler2D, waves)
UBO(3) U { vec3 eye; float time; };
void main() {
    vec2 d = (texture(waves, p.xz + time * 0.1).xy + texture(waves, p.zx - time * 0.07).xy - 1.0) * 0.05;
    vec2 q = clip.xy / clip.w * 0.5 + 0.5;
    float f = pow(1.0 - max(normalize(eye - p).y, 0.0), 3.0);
    c = mix(texture(refraction, q + d), texture(reflection, vec2(q.x, 1.0 - q.y) + d), f);
}

//// ssao
IN(0, vec2, p) OUT(0, vec4, c)
TEX(0, sampler2D, depth) TEX(1, sampler2D, normals)
UBO(2) U { vec4 kernel[8]; mat4 proj; };
void main() {
    float z = textureLod(depth, p, 0.0).x, o = 0.0;
    vec3 n = normalize(textureLod(normals, p, 0.0).xyz), q = vec3(p * z, z);
    for (int i = 0; i < 8; i++) {
        vec3 s = q + kernel[i].xyz * sign(dot(kernel[i].xyz, n));
        vec4 t = proj * vec4(s, 1);
        float e = textureLod(depth, t.xy / t.w, 0.0).x;
        o += step(e, s.z) * smoothstep(0.0, 1.0, 1.0 / abs(z - e));
    }
    c = vec4(1.0 - o / 8.0);
}

//// deferred
OUT(0, vec4, c)
TEX(0, sampler2D, albedo) TEX(1, sampler2D, normal) TEX(2, sampler2D, depth)
struct Light { vec3 p; float r; vec3 k; float s; };
layout(std430, set = 0, binding = 3) readonly buffer L { uint n; Light l[]; };
UBO(4) U { mat4 inv; };
void main() {
    ivec2 q = ivec2(gl_FragCoord.xy);
    vec4 w = inv * vec4(gl_FragCoord.xy / 64.0, texelFetch(depth, q, 0).x, 1);
    vec3 p = w.xyz / w.w, m = texelFetch(normal, q, 0).xyz, s = vec3(0);
    for (uint i = 0u; i < (n & 7u); i++) { vec3 d = l[i].p - p; s += l[i].k * max(dot(m, normalize(d)), 0.0) * max(1.0 - length(d) / l[i].r, 0.0); }
    c = vec4(s * texelFetch(albedo, q, 0).rgb, 1);
}

//// skinning-debug
FLAT(0, uvec4, joints) IN(1, vec4, weights) OUT(0, vec4, c)
TEX(0, samplerBuffer, palette)
void main() { c = vec4(0); for (int i = 0; i < 4; i++) c += texelFetch(palette, int(joints[i] & 63u)) * weights[i]; }

//// unused-inputs
IN(0, vec4, a) IN(1, vec4, b) IN(7, vec4, z) OUT(0, vec4, c)
void main() { c = vec4(a.y, b.w, z.x, 1); }

//// component-pack
layout(location = 0, component = 0) in vec2 a;
layout(location = 0, component = 2) in vec2 b;
layout(location = 1, component = 1) in float d;
OUT(0, vec4, c)
void main() { c = vec4(a + b, b * d); }

//// clock
#extension GL_ARB_shader_clock : require
IN(0, vec4, a) OUT(0, vec4, c)
void main() { c = a * float(clock2x32ARB().x & 1u) + a; }
