#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
// Values of other invocations.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i], me = gl_SubgroupInvocationID, size = gl_SubgroupSize, o = 8 * i;
    results[o] = subgroupShuffle(value, size - 1 - me);
    results[o + 1] = subgroupShuffle(value, (value + me) % size);
    results[o + 2] = subgroupShuffleXor(value, 1);
    results[o + 3] = subgroupShuffleXor(value, size / 2);
    uint up = subgroupShuffleUp(value, 1), down = subgroupShuffleDown(value, 3);
    results[o + 4] = me >= 1 ? up : 0;
    results[o + 5] = me + 3 < size ? down : 0;
    vec2 pair = subgroupShuffle(vec2(float(value), float(me)), me ^ 2);
    results[o + 6] = uint(pair.x) + uint(pair.y) * 1000;
    results[o + 7] = subgroupShuffle(value, data[0] % size);
}
