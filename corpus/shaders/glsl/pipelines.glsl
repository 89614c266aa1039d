//// tess-triangles Q=equal_spacing,fractional_odd_spacing
@vert
IN(0, vec4, p) OUT(0, vec4, o)
void main() { o = p * 2.0; }
@tesc
layout(vertices = 3) out;
layout(location = 0) in vec4 p[]; layout(location = 0) out vec4 o[];
UBO(0) U { float level; };
void main() {
    o[gl_InvocationID] = p[gl_InvocationID] + p[(gl_InvocationID + 1) % 3];
    gl_TessLevelOuter[0] = level; gl_TessLevelOuter[1] = level + p[0].x; gl_TessLevelOuter[2] = 2.0; gl_TessLevelInner[0] = level * 0.5;
}
@tese
layout(triangles, Q, ccw) in;
layout(location = 0) in vec4 p[]; OUT(0, vec4, o)
UBO(1) U { mat4 m; };
void main() { vec4 q = p[0] * gl_TessCoord.x + p[1] * gl_TessCoord.y + p[2] * gl_TessCoord.z; gl_Position = m * q; o = q; }
@frag
IN(0, vec4, o) OUT(0, vec4, c)
void main() { c = o; }

//// tess-quads
@vert
IN(0, vec3, p) IN(1, vec2, uv) OUT(0, vec3, op) OUT(1, vec2, ouv)
void main() { op = p; ouv = uv; gl_Position = vec4(p, 1); }
@tesc
layout(vertices = 4) out;
layout(location = 0) in vec3 p[]; layout(location = 1) in vec2 uv[];
layout(location = 0) out vec3 op[]; layout(location = 1) out vec2 ouv[]; layout(location = 2) patch out vec4 mid;
void main() {
    op[gl_InvocationID] = p[gl_InvocationID]; ouv[gl_InvocationID] = uv[gl_InvocationID] * 2.0;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    barrier();
    if (gl_InvocationID == 0) {
        mid = vec4(op[0] + op[1] + op[2] + op[3], 4);
        for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = distance(p[i], p[(i + 1) & 3]) * 8.0;
        gl_TessLevelInner[0] = 4.0; gl_TessLevelInner[1] = 3.0;
    }
}
@tese
layout(quads, equal_spacing, cw) in;
layout(location = 0) in vec3 p[]; layout(location = 1) in vec2 uv[]; layout(location = 2) patch in vec4 mid;
OUT(0, vec2, o)
TEX(0, sampler2D, height)
void main() {
    vec2 t = gl_TessCoord.xy;
    vec3 q = mix(mix(p[0], p[1], t.x), mix(p[3], p[2], t.x), t.y);
    o = mix(mix(uv[0], uv[1], t.x), mix(uv[3], uv[2], t.x), t.y);
    q.y += textureLod(height, o, 0.0).x;
    gl_Position = vec4(q + mid.xyz / mid.w, 1) + gl_in[gl_PrimitiveID & 3].gl_Position;
}
@frag
IN(0, vec2, uv) OUT(0, vec4, c)
TEX(1, sampler2D, s)
void main() { c = texture(s, uv); }

//// tess-lines
@vert
IN(0, vec4, p)
void main() { gl_Position = p; }
@tesc
layout(vertices = 4) out;
void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; gl_TessLevelOuter[0] = 1.0; gl_TessLevelOuter[1] = 16.0; }
@tese
layout(isolines) in;
void main() {
    float t = gl_TessCoord.x, s = 1.0 - t;
    gl_Position = s * s * s * gl_in[0].gl_Position + 3.0 * s * s * t * gl_in[1].gl_Position + 3.0 * s * t * t * gl_in[2].gl_Position + t * t * t * gl_in[3].gl_Position;
}
@frag
OUT(0, vec4, c)
void main() { c = vec4(1); }

//// geom-pass G=triangles/triangle_strip/3,lines/line_strip/2,points/points/1
@vert
IN(0, vec4, p) IN(1, vec4, k) OUT(0, vec4, o)
void main() { gl_Position = p; o = k; }
@geom
layout(G0) in;
layout(G1, max_vertices = G2) out;
layout(location = 0) in vec4 k[]; OUT(0, vec4, o)
void main() { for (int i = 0; i < G2; i++) { gl_Position = gl_in[i].gl_Position; o = k[i] * 2.0; EmitVertex(); } EndPrimitive(); }
@frag
IN(0, vec4, o) OUT(0, vec4, c)
void main() { c = o; }

//// geom-billboard
@vert
IN(0, vec4, p) OUT(0, float, size)
void main() { gl_Position = p; size = p.w; }
@geom
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in float size[]; OUT(0, vec2, uv)
UBO(0) U { mat4 m; };
void main() {
    for (int i = 0; i < 4; i++) { uv = vec2(i & 1, i >> 1); gl_Position = m * (gl_in[0].gl_Position + vec4((uv - 0.5) * size[0], 0, 0)); EmitVertex(); }
}
@frag
IN(0, vec2, uv) OUT(0, vec4, c)
TEX(1, sampler2D, s)
void main() { c = texture(s, uv); }

//// geom-normals
@vert
IN(0, vec4, p) IN(1, vec3, n) OUT(0, vec3, o)
void main() { gl_Position = p; o = n; }
@geom
layout(triangles) in;
layout(line_strip, max_vertices = 6) out;
layout(location = 0) in vec3 n[]; layout(location = 0) out vec4 k;
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position; k = vec4(1, 0, 0, 1); EmitVertex();
        gl_Position = gl_in[i].gl_Position + vec4(n[i], 0); k = vec4(0, 1, 0, 1); EmitVertex();
        EndPrimitive();
    }
}
@frag
IN(0, vec4, k) OUT(0, vec4, c)
void main() { c = k; }

//// geom-layers N=2,6
@vert
IN(0, vec4, p)
void main() { gl_Position = p; }
@geom
layout(triangles) in;
layout(triangle_strip, max_vertices = 18) out;
UBO(0) U { mat4 face[6]; };
void main() { for (int f = 0; f < N; f++) { for (int i = 0; i < 3; i++) { gl_Layer = f; gl_Position = face[f] * gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); } }
@frag
OUT(0, vec4, c)
void main() { c = vec4(gl_FragCoord.z); }

//// geom-invocations
@vert
IN(0, vec4, p)
void main() { gl_Position = p; }
@geom
layout(triangles, invocations = 4) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat out int id;
void main() { for (int i = 0; i < 3; i++) { gl_ViewportIndex = gl_InvocationID; id = gl_PrimitiveIDIn; gl_PrimitiveID = id; gl_Position = gl_in[i].gl_Position * float(gl_InvocationID + 1); EmitVertex(); } }
@frag
FLAT(0, int, id) OUT(0, ivec4, c)
void main() { c = ivec4(id, gl_PrimitiveID, 0, 1); }

//// geom-cull
@vert
IN(0, vec4, p)
void main() { gl_Position = p; }
@geom
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    vec3 a = gl_in[0].gl_Position.xyz, n = cross(gl_in[1].gl_Position.xyz - a, gl_in[2].gl_Position.xyz - a);
    if (n.z > 0.0) { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); }
}
@frag
OUT(0, vec4, c)
void main() { c = gl_FragCoord; }

//// geom-adjacency
@vert
IN(0, vec4, p)
void main() { gl_Position = p; }
@geom
layout(triangles_adjacency) in;
layout(line_strip, max_vertices = 6) out;
void main() { for (int i = 0; i < 6; i += 2) { vec4 a = gl_in[i].gl_Position, b = gl_in[(i + 1)].gl_Position; if (dot(a, b) < 2.0) { gl_Position = a; EmitVertex(); gl_Position = b; EmitVertex(); EndPrimitive(); } } }
@frag
OUT(0, vec4, c)
void main() { c = vec4(1); }

//// geom-streams
@vert
IN(0, vec4, p)
void main() { gl_Position = p; }
@geom
layout(points) in;
layout(points, max_vertices = 4) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 a;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 16) out vec4 b;
void main() { gl_Position = gl_in[0].gl_Position; a = gl_Position * 2.0; EmitStreamVertex(0); b = gl_Position.wzyx; EmitStreamVertex(1); EndStreamPrimitive(1); }
@frag
OUT(0, vec4, c)
void main() { c = vec4(1); }

//// all-stages
@vert
IN(0, vec4, p) OUT(0, vec4, o)
void main() { o = p; gl_Position = p; }
@tesc
layout(vertices = 3) out;
layout(location = 0) in vec4 p[]; layout(location = 0) out vec4 o[];
void main() { o[gl_InvocationID] = p[gl_InvocationID]; gl_TessLevelOuter[0] = 3.0; gl_TessLevelOuter[1] = 3.0; gl_TessLevelOuter[2] = 3.0; gl_TessLevelInner[0] = 2.0; }
@tese
layout(triangles) in;
layout(location = 0) in vec4 p[]; OUT(0, vec4, o)
void main() { o = p[0] * gl_TessCoord.x + p[1] * gl_TessCoord.y + p[2] * gl_TessCoord.z; gl_Position = o; }
@geom
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 k[]; OUT(0, vec4, o)
void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; o = k[i]; EmitVertex(); } EndPrimitive(); }
@frag
IN(0, vec4, o) OUT(0, vec4, c)
void main() { c = o; }
