// Cooperative groups: tiles and blocks; a barrier of the whole grid where the device has cooperative launches.
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace groups_of = cooperative_groups;

__global__ void tiles(const int* from, int* to) {
    auto block = groups_of::this_thread_block();
    auto tile = groups_of::tiled_partition<16>(block);
    int sum = from[thread_index()];
    for (int step = 8; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    __shared__ int sums[16];
    if (tile.thread_rank() == 0) sums[block.thread_rank() / 16] = sum;
    block.sync();
    to[thread_index()] = sums[(block.thread_rank() / 16 + 1) % 16] + int(block.size());
}
__global__ void whole_grid(int* data, int* to, int rounds) {
    auto grid = groups_of::this_grid();
    unsigned i = unsigned(grid.thread_rank()), n = unsigned(grid.size());
    for (int round = 0; round < rounds; round++) {
        to[i] = data[(i + 65) % n] + 1;
        grid.sync();
        data[i] = to[i];
        grid.sync();
    }
}

int main() {
    const int n = 1024;
    std::vector<int> from(n);
    for (int i = 0; i < n; i++) from[i] = i * i % 1000;
    Array<int> a(from), b(n);
    tiles<<<n / 256, 256>>>(a, b);
    auto got = b.read();
    for (int i = 0; i < n; i++) {
        int tile = i / 256 * 256 + (i % 256 / 16 + 1) % 16 * 16, sum = 256;
        for (int k = 0; k < 16; k++) sum += from[tile + k];
        CHECK_EQ(got[i], sum);
    }
    int cooperative = 0;
    HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
    int *data = a, *to = b, rounds = 5;
    void* arguments[] = {&data, &to, &rounds};
    void* kernel = reinterpret_cast<void*>(whole_grid);
    if (!cooperative) {
        CHECK(hipLaunchCooperativeKernel(kernel, dim3(4), dim3(256), arguments, 0, nullptr) != hipSuccess);
        (void)hipGetLastError();
        fputs("the device has no cooperative launches\n", stderr);
        return OK();
    }
    HIP(hipLaunchCooperativeKernel(kernel, dim3(4), dim3(256), arguments, 0, nullptr));
    got = a.read();
    for (int i = 0; i < n; i++) CHECK_EQ(got[i], from[(i + 65 * rounds) % n] + rounds);
    return OK();
}
