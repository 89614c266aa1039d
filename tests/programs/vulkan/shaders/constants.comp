#version 450
// Constants that the pipeline gives, and the size of a group among them.
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int number = -5;
layout(constant_id = 3) const float factor = 0.5;
layout(constant_id = 4) const bool flag = false;
layout(constant_id = 5) const uint count = 3;
layout(binding = 0) buffer Out { uint results[]; };
shared uint sums[count];
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < count) sums[i] = i * 100;
    barrier();
    uint all = 0;
    for (uint k = 0; k < count; ++k) all += sums[k];
    float f = float(i) * factor + float(number);
    results[i] = flag ? floatBitsToUint(f) + all : gl_WorkGroupSize.x * 1000 + gl_WorkGroupSize.y + all;
}
