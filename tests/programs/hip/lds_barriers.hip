// Groups of several waves that hand on data through LDS behind barriers, up to 1024 items in three dimensions.
#include "check.h"

// A ring: in each round an item takes over what its neighbour has, and adds its own.
__global__ __launch_bounds__(1024) void ring(unsigned* to, unsigned rounds) {
    __shared__ unsigned now[1024], next[1024];
    unsigned n = blockDim.x * blockDim.y * blockDim.z;
    unsigned i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    now[i] = i + group;
    for (unsigned round = 0; round < rounds; round++) {
        __syncthreads();
        next[i] = now[(i + 65) % n] + i;
        __syncthreads();
        now[i] = next[i];
    }
    __syncthreads();
    to[group * n + i] = now[n - 1 - i];
}

int main() {
    const dim3 shapes[] = {dim3(1024), dim3(64, 4, 2), dim3(7, 11, 3), dim3(1, 1, 100), dim3(65), dim3(16, 64)};
    for (dim3 shape : shapes) {
        const unsigned n = shape.x * shape.y * shape.z, rounds = 10;
        const dim3 grid(2, 1, 2);
        Array<unsigned> to(4 * n);
        ring<<<grid, shape>>>(to, rounds);
        auto got = to.read();
        for (unsigned group = 0; group < 4; group++) {
            std::vector<unsigned> now(n), next(n);
            for (unsigned i = 0; i < n; i++) now[i] = i + group;
            for (unsigned round = 0; round < rounds; round++) {
                for (unsigned i = 0; i < n; i++) next[i] = now[(i + 65) % n] + i;
                now = next;
            }
            for (unsigned i = 0; i < n; i++) CHECK_EQ(got[group * n + i], now[n - 1 - i]);
        }
    }
    return OK();
}
