#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : enable
#extension GL_ARB_gpu_shader_int64 : require
// Time goes on.
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint results[]; };
void main() {
    uint64_t begin = clockARB();
    uint x = results[0];
    for (uint k = 0; k < 1000; ++k) x = x * 5 + k;
    results[0] = x;
    memoryBarrierBuffer();
    results[1] = clockARB() > begin ? 1 : 2;
}
