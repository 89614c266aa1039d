// Memory that streams allocate and free in order (hipMallocAsync), from the default pool and from one of our own.
#include "check.h"

__global__ void fill(unsigned* to, unsigned value, unsigned n) {
    unsigned i = thread_index();
    if (i < n) to[i] = value + i;
}
__global__ void sum(const unsigned* from, unsigned* to, unsigned n) {
    unsigned i = thread_index();
    if (i < n) atomicAdd(to, from[i]);
}

int main() {
    // ROCm 5.2 has pools only on demand.
    setenv("HIP_MEM_POOL_SUPPORT", "1", 1);
    int has = 0;
    HIP(hipDeviceGetAttribute(&has, hipDeviceAttributeMemoryPoolsSupported, 0));
    CHECK_EQ(has, 1);
    const unsigned n = 5000;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    Array<unsigned> total(1);
    total.fill(0);
    unsigned expected = 0;
    for (unsigned round = 0; round < 20; round++) {
        unsigned* data;
        HIP(hipMallocAsync((void**)&data, n * sizeof(unsigned), stream));
        fill<<<groups(n, 256), 256, 0, stream>>>(data, round, n);
        sum<<<groups(n, 256), 256, 0, stream>>>(data, total, n);
        HIP(hipFreeAsync(data, stream));
        for (unsigned i = 0; i < n; i++) expected += round + i;
    }
    HIP(hipStreamSynchronize(stream));
    CHECK_EQ(total.read()[0], expected);

    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    hipMemPool_t pool;
    HIP(hipMemPoolCreate(&pool, &properties));
    unsigned* data;
    HIP(hipMallocFromPoolAsync((void**)&data, n * sizeof(unsigned), pool, stream));
    fill<<<groups(n, 64), 64, 0, stream>>>(data, 9, n);
    std::vector<unsigned> got(n);
    HIP(hipMemcpyAsync(got.data(), data, n * sizeof(unsigned), hipMemcpyDeviceToHost, stream));
    HIP(hipFreeAsync(data, stream));
    HIP(hipStreamSynchronize(stream));
    for (unsigned i = 0; i < n; i++) CHECK_EQ(got[i], 9 + i);
    HIP(hipMemPoolTrimTo(pool, 0));
    HIP(hipMemPoolDestroy(pool));
    // The stream stays: to destroy it, HIP 5.2.3 goes through a list of its pools without end.
    return OK();
}
