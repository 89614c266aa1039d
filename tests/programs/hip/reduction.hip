// One sum of an array: trees in LDS, and the last group that is done adds up what all groups found (threadfence).
#include "check.h"

template <class T, unsigned GROUP>
__device__ T tree(T value) {
    __shared__ T part[GROUP];
    part[threadIdx.x] = value;
    for (unsigned half = GROUP / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    T sum = part[0];
    __syncthreads();
    return sum;
}
template <class T, unsigned GROUP>
__global__ void sum(const T* from, volatile T* parts, unsigned* done, T* to, unsigned n) {
    __shared__ bool is_last;
    T mine = 0;
    for (unsigned i = blockIdx.x * GROUP + threadIdx.x; i < n; i += gridDim.x * GROUP) mine += from[i];
    T all = tree<T, GROUP>(mine);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = all;
        __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    mine = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += GROUP) mine += parts[i];
    all = tree<T, GROUP>(mine);
    if (threadIdx.x == 0) *to = all;
}

template <class T, unsigned GROUP>
static void test(unsigned n, unsigned blocks) {
    std::vector<T> from(n);
    T expected = 0;
    for (unsigned i = 0; i < n; i++) expected += from[i] = T(i * 7919 % 1009) - T(500);
    Array<T> x(from), parts(blocks), to(1);
    Array<unsigned> done(1);
    done.fill(0);
    for (int round = 0; round < 2; round++) {
        sum<T, GROUP><<<blocks, GROUP>>>(x, parts, done, to, n);
        CHECK_EQ(to.read()[0], expected);
    }
}

int main() {
    test<int, 256>(100'000, 37);
    test<unsigned long long, 64>(5'000, 5);
    test<float, 512>(60'000, 16);
    test<double, 128>(30'001, 300);
    return OK();
}
