#version 450
// Numbers packed into words.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 values[]; };
layout(binding = 1) buffer Out { uint words[]; };
layout(binding = 2) writeonly buffer Back { vec4 back[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= values.length()) return;
    vec4 v = values[i];
    uint a = packUnorm4x8(v), b = packSnorm4x8(v), c = packUnorm2x16(v.xy), d = packSnorm2x16(v.zw);
    uint e = packHalf2x16(v.xy);
    uvec2 f = unpackDouble2x32(packDouble2x32(uvec2(floatBitsToUint(v.x) & 0x3fffffff, floatBitsToUint(v.y) & 0x3fffffff)));
    uint o = i * 7;
    words[o] = a; words[o + 1] = b; words[o + 2] = c; words[o + 3] = d; words[o + 4] = e;
    words[o + 5] = f.x; words[o + 6] = f.y;
    back[3 * i] = unpackUnorm4x8(a);
    back[3 * i + 1] = unpackSnorm4x8(b);
    back[3 * i + 2] = vec4(unpackHalf2x16(e), unpackUnorm2x16(c));
}
