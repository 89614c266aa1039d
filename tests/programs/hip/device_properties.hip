// What the device says of itself, and what can be resident on a compute unit: consistent, and as the chip is.
#include "check.h"

__global__ void small(int* to) { to[thread_index()] = 1; }
__global__ __launch_bounds__(256) void large(int* to) {
    __shared__ int part[8000];
    part[threadIdx.x * 31] = 1;
    __syncthreads();
    to[thread_index()] = part[threadIdx.x];
}

int main() {
    int count = 0, device = -1, value = 0;
    HIP(hipGetDeviceCount(&count));
    CHECK_EQ(count, 1);
    HIP(hipGetDevice(&device));
    CHECK_EQ(device, 0);
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, 0));
    CHECK_EQ(p.warpSize, 64);
    CHECK_EQ(p.maxThreadsPerBlock, 1024);
    CHECK_EQ(p.sharedMemPerBlock, size_t(65536));
    CHECK_EQ(p.clockInstructionRate > 0, true);
    CHECK(p.multiProcessorCount >= 1 && p.multiProcessorCount <= 64);
    CHECK(p.totalGlobalMem >= size_t(1) << 30);
    CHECK(strncmp(p.gcnArchName, "gfx", 3) == 0);
    HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    CHECK_EQ(value, p.multiProcessorCount);
    HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    CHECK_EQ(value, 64);
    size_t unused, total;
    HIP(hipMemGetInfo(&unused, &total));
    CHECK(unused <= total && total == p.totalGlobalMem);
    {
        Array<char> block(64 << 20);
        size_t less;
        HIP(hipMemGetInfo(&less, &total));
        CHECK(less + (64 << 20) <= unused);
    }
    int blocks = 0, size = 0, grid = 0;
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 256, 0));
    CHECK(blocks >= 8 && blocks <= 10);
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large, 256, 0));
    CHECK(blocks >= 1 && blocks <= 2);
    HIP(hipOccupancyMaxPotentialBlockSize(&grid, &size, small, 0, 0));
    CHECK(grid > 0 && size >= 64 && size <= 1024);
    hipFuncAttributes attributes;
    HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(large)));
    CHECK_EQ(attributes.sharedSizeBytes, size_t(32000));
    CHECK_EQ(attributes.maxThreadsPerBlock, 256);
    int version = 0;
    HIP(hipRuntimeGetVersion(&version));
    HIP(hipDriverGetVersion(&version));
    char bus[32];
    HIP(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
    HIP(hipDeviceGetByPCIBusId(&device, bus));
    CHECK_EQ(device, 0);
    return OK();
}
