#version 450
// Structures by the rules of std140 and std430.
layout(local_size_x = 1) in;
struct Part { vec3 a; float b; uint c[3]; mat2x3 m; };
layout(binding = 0, std140) uniform U { float first; Part parts[2]; layout(row_major) mat3x2 rows; bvec2 flags; } u;
layout(binding = 1, std430) readonly buffer S { float first; Part parts[2]; layout(row_major) mat3x2 rows; uvec2 flags; } s;
layout(binding = 2) writeonly buffer Out { float results[]; };
uint at = 0;
void put(float f) { results[at++] = f; }
void put(Part p) {
    for (int k = 0; k < 3; ++k) put(p.a[k]);
    put(p.b);
    for (int k = 0; k < 3; ++k) put(float(p.c[k]));
    for (int c = 0; c < 2; ++c) for (int r = 0; r < 3; ++r) put(p.m[c][r]);
}
void main() {
    put(u.first); put(u.parts[0]); put(u.parts[1]);
    for (int c = 0; c < 3; ++c) for (int r = 0; r < 2; ++r) put(u.rows[c][r]);
    put(float(u.flags.x)); put(float(u.flags.y));
    put(s.first); put(s.parts[0]); put(s.parts[1]);
    for (int c = 0; c < 3; ++c) for (int r = 0; r < 2; ++r) put(s.rows[c][r]);
    put(float(s.flags.x)); put(float(s.flags.y));
}
