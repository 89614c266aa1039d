// Grids of many groups, in one and in three dimensions; each item shows that it ran, and the last knows its place.
#include "check.h"

__global__ void mark(unsigned char* seen, unsigned long long* sum) {
    unsigned long long group = (blockIdx.z * (unsigned long long)gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0) {
        seen[group]++;
        atomicAdd(sum, group);
    }
}
__global__ void last(unsigned* to, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == n - 1) *to = blockIdx.x * 10 + threadIdx.x;
}

int main() {
    for (dim3 grid : {dim3(70'001), dim3(3, 1, 20'000), dim3(1, 40'000), dim3(40, 30, 20)}) {
        unsigned long long n = (unsigned long long)grid.x * grid.y * grid.z;
        Array<unsigned char> seen(n);
        Array<unsigned long long> sum(1);
        seen.fill(0);
        sum.fill(0);
        mark<<<grid, 64>>>(seen, sum);
        for (unsigned char times : seen.read()) CHECK_EQ(times, 1);
        CHECK_EQ(sum.read()[0], n * (n - 1) / 2);
    }
    Array<unsigned> to(1);
    last<<<100'000, 3>>>(to, 300'000);
    CHECK_EQ(to.read()[0], 999'992u);
    return OK();
}
