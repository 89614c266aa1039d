#version 450
// CRC-32 of 64 bytes, by a table in a uniform buffer.
layout(local_size_x = 64) in;
layout(binding = 0) uniform Table { uvec4 table[64]; };
layout(binding = 1) readonly buffer In { uint data[]; };
layout(binding = 2) writeonly buffer Out { uint sums[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, crc = ~0u;
    for (uint k = 0; k < 64; ++k) {
        uint byte = data[16 * i + k / 4] >> 8 * (k & 3) & 0xff, at = (crc ^ byte) & 0xff;
        crc = table[at / 4][at & 3] ^ crc >> 8;
    }
    sums[i] = ~crc;
}
