#version 450
// A set, by loops of floats that are not fused.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Out { uint counts[]; };
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    float cx = float(at.x) * 0.046875 - 2.0, cy = float(at.y) * 0.046875 - 1.5;
    float x = 0.0, y = 0.0;
    uint n = 0;
    for (; n < 100; ++n) {
        precise float xx = x * x, yy = y * y, sum = xx + yy, xy = x * y, twice = xy + xy;
        precise float newx = xx - yy + cx, newy = twice + cy;
        if (sum > 4.0) break;
        x = newx;
        y = newy;
    }
    counts[at.y * 64 + at.x] = n;
}
