#version 450
// Forces between bodies, in tiles of shared memory.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 bodies[]; };
layout(binding = 1) writeonly buffer Out { vec4 forces[]; };
shared vec4 tile[64];
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 me = bodies[i].xyz, force = vec3(0);
    for (uint first = 0; first < bodies.length(); first += 64) {
        tile[gl_LocalInvocationIndex] = bodies[first + gl_LocalInvocationIndex];
        barrier();
        for (uint k = 0; k < 64; ++k) {
            vec3 way = tile[k].xyz - me;
            float distance2 = dot(way, way) + 0.01, scale = inversesqrt(distance2);
            force += way * (tile[k].w * scale * scale * scale);
        }
        barrier();
    }
    forces[i] = vec4(force, length(force));
}
