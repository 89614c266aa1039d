// Sums, extremes and products of floats and doubles by many items at once; sums of integers are exact.
#include "check.h"

template <class T, class Bits>
__device__ void multiply(T* at, T factor) {
    Bits* bits = reinterpret_cast<Bits*>(at);
    Bits seen = *bits, before;
    while (true) {
        T next;
        memcpy(&next, &seen, sizeof next);
        next *= factor;
        Bits swapped;
        memcpy(&swapped, &next, sizeof next);
        before = atomicCAS(bits, seen, swapped);
        if (before == seen) break;
        seen = before;
    }
}
struct Sums {
    float sum, least, greatest, product;
    double sum64, least64, greatest64, product64;
};
__global__ void run(Sums* sums, const float* values, unsigned n) {
    unsigned i = thread_index();
    if (i >= n) return;
    float v = values[i];
    atomicAdd(&sums->sum, v);
    atomicAdd(&sums->sum64, double(v) * 0x1p-30);
    atomicMin(&sums->least, v);
    atomicMax(&sums->greatest, v);
    atomicMin(&sums->least64, double(v) * 3);
    atomicMax(&sums->greatest64, double(v) * 3);
    multiply<float, unsigned>(&sums->product, i % 2 ? 2.0f : 0.5f);
    multiply<double, unsigned long long>(&sums->product64, i % 2 ? -4.0 : 0.25);
}
__global__ void in_lds(float* to, const float* values) {
    __shared__ float sum;
    __shared__ double wide;
    if (threadIdx.x == 0) sum = 0, wide = 0;
    __syncthreads();
    atomicAdd(&sum, values[thread_index()]);
    atomicAdd(&wide, double(values[thread_index()]));
    __syncthreads();
    if (threadIdx.x == 0) to[2 * blockIdx.x] = sum, to[2 * blockIdx.x + 1] = float(wide);
}

int main() {
    const unsigned n = 2560;
    std::vector<float> values(n);
    Sums e = {0, 1e30f, -1e30f, 1, 0, 1e30, -1e30, 1};
    Array<Sums> sums(std::vector<Sums>{e});
    for (unsigned i = 0; i < n; i++) {
        values[i] = float(int(i * 7919 % 2003) - 1000);
        e.sum += values[i], e.sum64 += values[i] * 0x1p-30;
        e.least = std::fmin(e.least, values[i]), e.greatest = std::fmax(e.greatest, values[i]);
        e.least64 = 3.0 * e.least, e.greatest64 = 3.0 * e.greatest;
    }
    Array<float> from(values), to(20);
    run<<<n / 64, 64>>>(sums, from, n);
    Sums got = sums.read()[0];
    CHECK_EQ(got.sum, e.sum);
    CHECK_EQ(got.sum64, e.sum64);
    CHECK_EQ(got.least, e.least);
    CHECK_EQ(got.greatest, e.greatest);
    CHECK_EQ(got.least64, e.least64);
    CHECK_EQ(got.greatest64, e.greatest64);
    CHECK_EQ(got.product, 1.0f);
    CHECK_EQ(got.product64, 1.0);
    in_lds<<<n / 256, 256>>>(to, from);
    auto parts = to.read();
    for (unsigned g = 0; g < n / 256; g++) {
        float sum = 0;
        for (unsigned i = 0; i < 256; i++) sum += values[256 * g + i];
        CHECK_EQ(parts[2 * g], sum);
        CHECK_EQ(parts[2 * g + 1], sum);
    }
    return OK();
}
