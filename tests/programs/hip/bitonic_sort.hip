// A bitonic sorting network over global memory, one launch for each of its steps; the last steps in LDS.
#include "check.h"

#include <algorithm>

constexpr unsigned LOCAL = 512;

__device__ void order(long long& a, long long& b, bool ascending) {
    if ((a > b) == ascending) {
        long long c = a;
        a = b, b = c;
    }
}
__global__ void step(long long* data, unsigned distance, unsigned run) {
    unsigned i = thread_index(), low = i / distance * 2 * distance + i % distance;
    order(data[low], data[low + distance], (low & run) == 0);
}
__global__ void local_steps(long long* data, unsigned distance, unsigned run) {
    __shared__ long long part[LOCAL];
    unsigned base = blockIdx.x * LOCAL, half = LOCAL / 2;
    part[threadIdx.x] = data[base + threadIdx.x];
    part[threadIdx.x + half] = data[base + threadIdx.x + half];
    for (; distance > 0; distance /= 2) {
        __syncthreads();
        unsigned low = threadIdx.x / distance * 2 * distance + threadIdx.x % distance;
        order(part[low], part[low + distance], ((base + low) & run) == 0);
    }
    __syncthreads();
    data[base + threadIdx.x] = part[threadIdx.x];
    data[base + threadIdx.x + half] = part[threadIdx.x + half];
}

int main() {
    const unsigned n = 1 << 14;
    Random random;
    std::vector<long long> data(n);
    for (auto& value : data) value = int64_t(random.next64()) >> random.below(50);
    Array<long long> on_device(data);
    unsigned launches = 0;
    for (unsigned run = 2; run <= n; run *= 2) {
        unsigned distance = run / 2;
        for (; distance >= LOCAL; distance /= 2, launches++) step<<<n / 512, 256>>>(on_device, distance, run);
        local_steps<<<n / LOCAL, LOCAL / 2>>>(on_device, distance, run);
        launches++;
    }
    std::sort(data.begin(), data.end());
    CHECK(on_device.read() == data);
    printf("%u launches\n", launches);
    return OK();
}
