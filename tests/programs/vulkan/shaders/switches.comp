#version 450
// A machine of a few instructions: branches that go other ways in each invocation.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint code[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, a = i, b = 1, pc = i % 8;
    for (uint step = 0; step < 200; ++step) {
        uint op = code[pc % code.length()];
        ++pc;
        switch (op & 7) {
        case 0: a += op >> 3; break;
        case 1: a ^= b << 3; // and on
        case 2: b = b * 5 + a; break;
        case 3: if ((a & 1) != 0) continue; a = a >> 1; break;
        case 4: if (b > a) { uint t = a; a = b; b = t; } break;
        case 5: pc += a & 3; break;
        case 6: for (uint k = 0; k < (a & 7); ++k) { b += k * a; if (b % 11 == 0) break; } break;
        default: if (a % 97 == 5) { results[i] = 0xdead0000 | step; return; } a = a * 3 + 1; break;
        }
    }
    results[i] = a ^ b;
}
