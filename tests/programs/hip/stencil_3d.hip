// A stencil in space with three-dimensional grids and groups, doubles, radius two along each axis.
// flags: -ffp-contract=off
#include "check.h"

struct Box {
    int x, y, z;
};
__host__ __device__ inline double at(const double* data, Box box, int x, int y, int z) {
    x = (x + box.x) % box.x, y = (y + box.y) % box.y, z = (z + box.z) % box.z;
    return data[(z * box.y + y) * box.x + x];
}
__host__ __device__ inline double stencil(const double* data, Box box, int x, int y, int z) {
    double sum = at(data, box, x, y, z) * -3.0;
    for (int r = 1; r <= 2; r++) {
        double near = at(data, box, x - r, y, z) + at(data, box, x + r, y, z);
        near += at(data, box, x, y - r, z) + at(data, box, x, y + r, z);
        near += at(data, box, x, y, z - r) + at(data, box, x, y, z + r);
        sum += near * (r == 1 ? 0.5 : 0.0625);
    }
    return sum;
}
__global__ void step(const double* from, double* to, Box box) {
    int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y * blockDim.y + threadIdx.y);
    int z = int(blockIdx.z * blockDim.z + threadIdx.z);
    if (x < box.x && y < box.y && z < box.z) to[(z * box.y + y) * box.x + x] = stencil(from, box, x, y, z);
}

int main() {
    const Box box = {21, 18, 13};
    const int n = box.x * box.y * box.z;
    std::vector<double> now(n), next(n);
    for (int i = 0; i < n; i++) now[i] = i * 7919 % 1000 / 64.0;
    Array<double> a(now), b(n);
    for (int k = 0; k < 4; k++) {
        const dim3 grid(groups(box.x, 8), groups(box.y, 4), groups(box.z, 4));
        step<<<grid, dim3(8, 4, 4)>>>(k % 2 ? b : a, k % 2 ? a : b, box);
        for (int i = 0; i < n; i++) next[i] = stencil(now.data(), box, i % box.x, i / box.x % box.y, i / box.x / box.y);
        now = next;
    }
    CHECK(a.read() == now);
    return OK();
}
