#version 450
// Matrices of small whole numbers.
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer In { mat4 a[]; };
layout(binding = 1, std430) writeonly buffer Out { mat4 products[]; };
layout(binding = 2, std430) writeonly buffer More { vec4 more[]; };
layout(binding = 3, std430) writeonly buffer Row { layout(row_major) mat3x4 turned[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint n = a.length();
    mat4 p = a[i], q = a[(i + 1) % n];
    products[i] = p * transpose(q);
    more[3 * i] = p * vec4(1, 2, 3, 4);
    more[3 * i + 1] = vec4(4, 3, 2, 1) * q;
    mat3 m = mat3(p);
    more[3 * i + 2] = vec4(determinant(m), dot(p[0], q[1]), cross(p[1].xyz, q[2].xyz).xz);
    turned[i] = matrixCompMult(mat3x4(p), outerProduct(vec4(1, 2, 3, 4), vec3(1, 0, -1)));
}
