#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
// Numbers of one kind as those of another.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint bits[]; };
layout(binding = 1) writeonly buffer Out { uint words[]; };
layout(binding = 2) writeonly buffer Out64 { uint64_t wide[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= bits.length()) return;
    uint a = bits[i];
    // Numbers that both kinds have.
    float f = float(int(a) >> 8);
    uint o = i * 6;
    words[o] = floatBitsToUint(float(a & 0xffffff));
    words[o + 1] = floatBitsToUint(f);
    words[o + 2] = uint(int(f * 0.5));
    words[o + 3] = uint(abs(f) * 0.25);
    words[o + 4] = uint(int(double(int(a)) * 0.5LF));
    words[o + 5] = floatBitsToUint(float(double(f) * 0.25LF));
    o = i * 4;
    wide[o] = doubleBitsToUint64(double(a) * 65536.0LF);
    wide[o + 1] = uint64_t(double(a) * 4096.0LF);
    wide[o + 2] = uint64_t(int64_t(double(int(a)) * -1024.0LF));
    wide[o + 3] = doubleBitsToUint64(double(uint64_t(a) << 20));
}
