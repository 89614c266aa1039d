// LDS whose size the launch gives: several arrays in it, sizes up to 64 KiB, beside static LDS; more is refused.
#include "check.h"

__global__ void reverse(const unsigned* from, unsigned* to, unsigned n) {
    extern __shared__ unsigned part[];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) part[i] = from[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) to[i] = part[n - 1 - i];
}
__global__ void two_arrays(double* to, unsigned n) {
    extern __shared__ double doubles[];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(doubles + n);
    __shared__ int fixed[32];
    doubles[threadIdx.x] = threadIdx.x * 0.5;
    bytes[threadIdx.x] = (unsigned char)(threadIdx.x * 3);
    if (threadIdx.x < 32) fixed[threadIdx.x] = int(threadIdx.x) * 1000;
    __syncthreads();
    unsigned other = (threadIdx.x + 77) % n;
    to[threadIdx.x] = doubles[other] + bytes[other] + fixed[other % 32];
}

int main() {
    for (unsigned n : {1u, 63u, 64u, 1000u, 4096u, 12'000u, 16'384u}) {
        std::vector<unsigned> from(n);
        for (unsigned i = 0; i < n; i++) from[i] = i * 2654435761u;
        Array<unsigned> x(from), y(n);
        reverse<<<1, 256, n * sizeof(unsigned)>>>(x, y, n);
        HIP(hipGetLastError());
        auto to = y.read();
        for (unsigned i = 0; i < n; i++) CHECK_EQ(to[i], from[n - 1 - i]);
    }
    const unsigned n = 200;
    Array<double> to(n);
    two_arrays<<<1, n, n * 9>>>(to, n);
    auto got = to.read();
    for (unsigned i = 0; i < n; i++) {
        unsigned other = (i + 77) % n;
        CHECK_EQ(got[i], other * 0.5 + (unsigned char)(other * 3) + other % 32 * 1000);
    }
    reverse<<<1, 256, 65'540>>>(nullptr, nullptr, 0);
    hipError_t refused = hipGetLastError();
    printf("65540 bytes of LDS: %s\n", hipGetErrorName(refused));
    CHECK(refused != hipSuccess);
    return OK();
}
