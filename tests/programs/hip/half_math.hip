// Half precision, alone and in pairs: conversions of all 65536 values, arithmetic against exact results.
// flags: -ffp-contract=off
#include "check.h"

#include <hip/hip_fp16.h>

__global__ void widen(float* to) {
    unsigned i = thread_index();
    __half_raw raw;
    raw.x = (unsigned short)i;
    to[i] = __half2float(__half(raw));
}
__global__ void narrow(const float* from, unsigned short* to) {
    unsigned i = thread_index();
    to[i] = __half_raw(__float2half_rn(from[i])).x;
}
__global__ void arithmetic(const _Float16* a, const _Float16* b, _Float16* sum, _Float16* product, _Float16* fused) {
    unsigned i = thread_index();
    sum[i] = a[i] + b[i];
    product[i] = a[i] * b[i];
    fused[i] = __builtin_fmaf16(a[i], b[i], a[i]);
}
__global__ void pairs(const __half2* a, const __half2* b, __half2* to) {
    unsigned i = thread_index();
    to[i] = __hadd2(__hmul2(a[i], b[i]), __hsub2(a[i], b[i]));
}

// A float that has the value of a half.
static float value(uint32_t half) {
    int exponent = int(half >> 10 & 31), fraction = int(half & 1023);
    float size = exponent == 31   ? (fraction ? NAN : INFINITY)
                 : exponent == 0  ? std::ldexp(float(fraction), -24)
                                  : std::ldexp(float(fraction + 1024), exponent - 25);
    return half & 0x8000 ? -size : size;
}
// The nearest half of a double, ties to even, as a float.
static float nearest(double x) {
    if (x == 0 || std::isnan(x) || std::isinf(x)) return float(x);
    int exponent = std::max(std::ilogb(x), -14);
    double unit = std::ldexp(1.0, exponent - 10);
    double rounded = std::nearbyint(x / unit) * unit;
    return std::fabs(rounded) >= 65536 ? std::copysign(INFINITY, float(x)) : float(rounded);
}
static bool same(float got, float expected) { return got == expected || (std::isnan(got) && std::isnan(expected)); }

int main() {
    const unsigned n = 65536;
    Array<float> wide(n);
    widen<<<n / 256, 256>>>(wide);
    auto widened = wide.read();
    for (unsigned i = 0; i < n; i++) CHECK(same(widened[i], value(i)));

    Random random;
    std::vector<float> floats(n);
    for (unsigned i = 0; i < n; i++) floats[i] = std::ldexp(random.unit() - 0.5f, int(random.below(60)) - 35);
    for (unsigned i = 0; i < 2048; i++) floats[i] = std::ldexp(float(2 * i + 1), -25);  // ties
    Array<float> from(floats);
    Array<unsigned short> bits(n);
    narrow<<<n / 256, 256>>>(from, bits);
    auto narrowed = bits.read();
    for (unsigned i = 0; i < n; i++) CHECK_EQ(value(narrowed[i]), nearest(floats[i]));

    std::vector<unsigned short> a(n), b(n);
    for (unsigned i = 0; i < n; i++) a[i] = (unsigned short)i, b[i] = (unsigned short)random.next();
    Array<unsigned short> x(a), y(b), sum(n), product(n), fused(n), pair(n);
    auto halves = [](unsigned short* bits) { return reinterpret_cast<_Float16*>(bits); };
    arithmetic<<<n / 64, 64>>>(halves(x), halves(y), halves(sum), halves(product), halves(fused));
    pairs<<<n / 128, 64>>>((__half2*)x.data, (__half2*)y.data, (__half2*)pair.data);
    auto s = sum.read(), p = product.read(), f = fused.read(), q = pair.read();
    for (unsigned i = 0; i < n; i++) {
        double u = value(a[i]), v = value(b[i]);
        CHECK(same(value(s[i]), nearest(u + v)));
        CHECK(same(value(p[i]), nearest(u * v)));
        CHECK(same(value(f[i]), nearest(u * v + u)));
        CHECK(same(value(q[i]), nearest(double(nearest(u * v)) + double(nearest(u - v)))));
    }
    return OK();
}
