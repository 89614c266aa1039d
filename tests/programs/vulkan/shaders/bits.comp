#version 450
// Fields, counts and carries.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 pairs[]; };
layout(binding = 1) writeonly buffer Out { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= pairs.length()) return;
    uint a = pairs[i].x, b = pairs[i].y, carry, borrow;
    int offset = int(b & 15u), count = int(b >> 8 & 15u);
    uint sum = uaddCarry(a, b, carry), difference = usubBorrow(a, b, borrow);
    uint o = i * 12;
    words[o] = bitfieldExtract(a, offset, count);
    words[o + 1] = uint(bitfieldExtract(int(a), offset, count));
    words[o + 2] = bitfieldInsert(a, b, offset, count);
    words[o + 3] = bitfieldReverse(a);
    words[o + 4] = uint(bitCount(a));
    words[o + 5] = uint(findLSB(a));
    words[o + 6] = uint(findMSB(a));
    words[o + 7] = uint(findMSB(int(a)));
    words[o + 8] = sum;
    words[o + 9] = carry;
    words[o + 10] = difference;
    words[o + 11] = borrow;
}
