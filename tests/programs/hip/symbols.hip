// Constant memory and global variables by symbol: copies to and from, parts of them, addresses and sizes.
#include "check.h"

__constant__ float coefficients[16] = {1, 2, 3, 4};
__constant__ struct {
    int x;
    double y;
    char text[8];
} settings = {1, 2.5, "abc"};
__device__ unsigned counters[64];
static __device__ long long hidden = -77;

__global__ void evaluate(const float* x, float* y, int degree) {
    unsigned i = thread_index();
    float value = 0;
    for (int k = degree; k >= 0; k--) value = fmaf(value, x[i], coefficients[k]);
    y[i] = value;
}
__global__ void use_settings(double* to) {
    to[0] = settings.x + settings.y;
    to[1] = settings.text[1];
    to[2] = double(hidden);
    hidden = 123456789012;
}
__global__ void count(unsigned n) {
    for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&counters[i * i % 64], 1);
}

int main() {
    std::vector<float> x(64);
    for (int i = 0; i < 64; i++) x[i] = float(i - 32) / 8;
    Array<float> on_x(x), on_y(64);
    float host[16] = {1, 2, 3, 4};
    for (int round = 0; round < 3; round++) {
        evaluate<<<1, 64>>>(on_x, on_y, 3);
        auto y = on_y.read();
        for (int i = 0; i < 64; i++)
            CHECK_EQ(y[i], fmaf(fmaf(fmaf(host[3], x[i], host[2]), x[i], host[1]), x[i], host[0]));
        host[1 + round] = -10.5f + float(round);
        HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), &host[1 + round], sizeof(float), (1 + round) * sizeof(float)));
    }
    Array<double> to(3);
    use_settings<<<1, 1>>>(to);
    auto got = to.read();
    CHECK_EQ(got[0], 3.5);
    CHECK_EQ(got[1], 'b');
    CHECK_EQ(got[2], -77.0);
    long long value = 0;
    HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(hidden), sizeof value));
    CHECK(value == 123456789012);

    void* address;
    size_t bytes;
    HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(counters)));
    HIP(hipGetSymbolSize(&bytes, HIP_SYMBOL(counters)));
    CHECK_EQ(bytes, sizeof counters);
    HIP(hipMemset(address, 0, bytes));
    count<<<3, 64>>>(10'000);
    unsigned counted[64], expected[64] = {};
    HIP(hipMemcpyFromSymbol(counted, HIP_SYMBOL(counters), sizeof counted));
    for (unsigned i = 0; i < 10'000; i++) expected[i * i % 64]++;
    CHECK(memcmp(counted, expected, sizeof counted) == 0);
    return OK();
}
