//// position
IN(0, vec4, p)
void main() { gl_Position = p; }

//// transform
IN(0, vec4, p) IN(1, vec3, n) IN(2, vec2, uv) OUT(0, vec3, on) OUT(1, vec2, ouv)
UBO(0) U { mat4 mvp; mat3 nm; };
void main() { gl_Position = mvp * p; on = nm * n; ouv = uv; }

//// transform-push
IN(0, vec3, p) OUT(0, vec4, c)
PUSH P { mat4 m; vec4 k; };
void main() { gl_Position = m * vec4(p, 1); c = k * p.xyzz; }

//// full-screen
OUT(0, vec2, uv)
void main() { uv = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2); gl_Position = vec4(uv * 2.0 - 1.0, 0, 1); }

//// instanced
IN(0, vec4, p) IN(1, vec4, offset) IN(2, vec4, colour) OUT(0, vec4, c)
UBO(0) U { mat4 vp[4]; };
void main() { gl_Position = vp[gl_InstanceIndex & 3] * (p + offset); c = colour * float(gl_InstanceIndex); }

//// skinning N=1,2,4
IN(0, vec4, p) IN(1, vec3, n) IN(2, uvec4, joints) IN(3, vec4, weights) OUT(0, vec3, on)
layout(std430, set = 0, binding = 0) readonly buffer B { mat4 bones[]; };
UBO(1) U { mat4 vp; };
void main() {
    mat4 m = mat4(0);
    for (int i = 0; i < N; i++) m += bones[joints[i] & 63u] * weights[i];
    gl_Position = vp * (m * p);
    on = mat3(m) * n;
}

//// morph
IN(0, vec3, a) IN(1, vec3, b) IN(2, vec3, d) OUT(0, vec3, n)
UBO(0) U { mat4 m; vec3 w; };
void main() { vec3 p = a * w.x + b * w.y + d * w.z; gl_Position = m * vec4(p, 1); n = normalize(p); }

//// wave
IN(0, vec2, p) OUT(0, vec3, n)
UBO(0) U { mat4 m; vec4 waves[4]; float time; };
void main() {
    float h = 0.0; vec2 g = vec2(0);
    for (int i = 0; i < 4; i++) { float f = dot(waves[i].xy, p) + time * waves[i].z; h += waves[i].w * sin(f); g += waves[i].xy * waves[i].w * cos(f); }
    gl_Position = m * vec4(p.x, h, p.y, 1);
    n = normalize(vec3(-g.x, 1, -g.y));
}

//// billboard
IN(0, vec3, centre) IN(1, vec2, corner) OUT(0, vec2, uv)
UBO(0) U { mat4 view; mat4 proj; float size; };
void main() { vec4 v = view * vec4(centre, 1); v.xy += corner * size; gl_Position = proj * v; uv = corner * 0.5 + 0.5; }

//// point-size
IN(0, vec4, p) OUT(0, vec4, c)
void main() { gl_Position = p; gl_PointSize = 4.0 / p.w; c = p; }

//// clip N=1,4,8
IN(0, vec4, p)
out float gl_ClipDistance[N];
UBO(0) U { vec4 planes[N]; };
void main() { gl_Position = p; for (int i = 0; i < N; i++) gl_ClipDistance[i] = dot(planes[i], p); }

//// cull
IN(0, vec4, p)
out float gl_ClipDistance[2];
out float gl_CullDistance[3];
void main() { gl_Position = p; gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = p.y; gl_CullDistance[0] = p.z; gl_CullDistance[1] = p.w; gl_CullDistance[2] = p.x + p.y; }

//// layer
#extension GL_ARB_shader_viewport_layer_array : require
IN(0, vec4, p) OUT(0, vec4, c)
void main() { gl_Position = p; gl_Layer = gl_InstanceIndex; gl_ViewportIndex = gl_InstanceIndex & 1; c = p.wzyx; }

//// draw-id
#extension GL_ARB_shader_draw_parameters : require
IN(0, vec4, p) OUT(0, vec4, c)
void main() { gl_Position = p + float(gl_DrawIDARB); c = vec4(gl_BaseVertexARB, gl_BaseInstanceARB, gl_VertexIndex, gl_InstanceIndex); }

//// many-attributes N=4,8,12
layout(location = 0) in vec4 a[N];
layout(location = 0) out vec4 c[N];
void main() { gl_Position = a[0]; for (int i = 0; i < N; i++) c[i] = a[N - 1 - i] * 2.0; }

//// attribute-types
IN(0, vec4, p) IN(1, ivec4, i) IN(2, uvec2, u) IN(3, float, f) IN(4, vec2, v) IN(5, uint, w)
FLAT_OUT(0, ivec4, oi) FLAT_OUT(1, uvec2, ou) OUT(2, vec3, o)
void main() { gl_Position = p; oi = i + 1; ou = u ^ w; o = vec3(f, v); }

//// matrix-attribute
IN(0, vec4, p) IN(1, mat4, m) OUT(0, mat3, o)
void main() { gl_Position = m * p; o = mat3(m) * 2.0; }

//// texture-displacement
IN(0, vec3, p) IN(1, vec3, n) IN(2, vec2, uv) OUT(0, vec3, on)
TEX(0, sampler2D, height)
UBO(1) U { mat4 m; float scale; };
void main() {
    float h = textureLod(height, uv, 0.0).x;
    gl_Position = m * vec4(p + n * h * scale, 1);
    on = normalize(n + vec3(textureLod(height, uv + 0.01, 0.0).x - h));
}

//// texel-fetch
OUT(0, vec4, c)
TEX(0, samplerBuffer, v) TEX(1, usamplerBuffer, ix)
void main() { int i = int(texelFetch(ix, gl_VertexIndex).x & 255u); gl_Position = texelFetch(v, i * 2); c = texelFetch(v, i * 2 + 1); }

//// pulling
struct V { vec4 p; uint n; uint c; vec2 uv; };
layout(std430, set = 0, binding = 0) readonly buffer B { V v[]; };
OUT(0, vec4, c) OUT(1, vec3, n) OUT(2, vec2, uv)
void main() { V x = v[gl_VertexIndex]; gl_Position = x.p; c = unpackUnorm4x8(x.c); n = unpackSnorm4x8(x.n).xyz; uv = x.uv; }

//// lighting N=1,3
IN(0, vec4, p) IN(1, vec3, n) OUT(0, vec4, c)
struct L { vec4 p; vec4 k; };
UBO(0) U { mat4 mv; mat4 pr; mat3 nm; L l[N]; float shine; };
void main() {
    vec4 v = mv * p; vec3 m = normalize(nm * n); c = vec4(0.1);
    for (int i = 0; i < N; i++) {
        vec3 d = normalize(l[i].p.xyz - v.xyz);
        float k = dot(m, d);
        if (k > 0.0) c += l[i].k * (k + pow(max(dot(reflect(-d, m), normalize(-v.xyz)), 0.0), shine));
    }
    gl_Position = pr * v;
}

//// ssbo-write
IN(0, vec4, p)
BUF(0) B { vec4 o[]; };
void main() { gl_Position = p; o[gl_VertexIndex & 63] = p * 2.0; }

//// quaternion
IN(0, vec3, p) IN(1, vec4, q) IN(2, vec3, t) OUT(0, vec3, o)
UBO(0) U { mat4 vp; };
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() { o = rotate(normalize(q), p); gl_Position = vp * vec4(o + t, 1); }

//// env-map
IN(0, vec4, p) IN(1, vec3, n) OUT(0, vec3, r)
UBO(0) U { mat4 mv; mat4 mvp; };
void main() { gl_Position = mvp * p; r = reflect(normalize((mv * p).xyz), normalize(mat3(mv) * n)); }

//// double
IN(0, vec4, p)
UBO(0) U { dmat4 m; };
void main() { gl_Position = vec4(m * dvec4(p)); }

//// invariant
invariant gl_Position;
IN(0, vec4, p) OUT(0, vec4, c)
UBO(0) U { mat4 a; mat4 b; };
void main() { gl_Position = a * (b * p); c = vec4(gl_Position.xyz / gl_Position.w, 1); }

//// switch
IN(0, vec4, p) OUT(0, vec4, c)
UBO(0) U { int mode; vec4 k; };
void main() {
    gl_Position = p;
    switch (mode & 3) { case 0: c = k; break; case 1: c = p; break; case 2: c = p * k; break; default: c = vec4(1); }
}

//// streamout
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out vec4 a;
layout(location = 1, xfb_buffer = 0, xfb_offset = 16) out vec4 b;
IN(0, vec4, p)
void main() { gl_Position = p; a = p * 2.0; b = p.wzyx; }
