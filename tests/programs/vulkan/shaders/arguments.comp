#version 450
// Writes the arguments of an indirect dispatch.
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer Out { uint words[]; };
layout(push_constant) uniform Push { uvec3 groups; uint at; };
void main() {
    words[at] = groups.x;
    words[at + 1] = groups.y;
    words[at + 2] = groups.z;
}
