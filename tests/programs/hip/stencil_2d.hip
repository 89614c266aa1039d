// Heat in a plane: five points, tiles with a rim in LDS, many steps that swap two arrays with pitched rows.
// flags: -ffp-contract=off
#include "check.h"

constexpr int TILE = 16;

__global__ void step(const char* from, char* to, size_t pitch, int width, int height) {
    __shared__ float tile[TILE + 2][TILE + 2];
    int x = int(blockIdx.x * TILE + threadIdx.x), y = int(blockIdx.y * TILE + threadIdx.y);
    auto at = [&](int column, int row) {
        column = min(max(column, 0), width - 1), row = min(max(row, 0), height - 1);
        return reinterpret_cast<const float*>(from + size_t(row) * pitch)[column];
    };
    int i = int(threadIdx.x) + 1, j = int(threadIdx.y) + 1;
    tile[j][i] = at(x, y);
    if (i == 1) tile[j][0] = at(x - 1, y);
    if (i == TILE) tile[j][TILE + 1] = at(x + 1, y);
    if (j == 1) tile[0][i] = at(x, y - 1);
    if (j == TILE) tile[TILE + 1][i] = at(x, y + 1);
    __syncthreads();
    if (x >= width || y >= height) return;
    float sum = tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i];
    reinterpret_cast<float*>(to + size_t(y) * pitch)[x] = tile[j][i] * 0.5f + sum * 0.125f;
}

int main() {
    const int width = 100, height = 75, steps = 20;
    std::vector<float> now(width * height), next(now.size());
    for (int i = 0; i < width * height; i++) now[i] = float(i * 37 % 101);
    char* on_device[2];
    size_t pitch;
    for (char*& to : on_device) HIP(hipMallocPitch((void**)&to, &pitch, width * sizeof(float), height));
    CHECK(pitch >= width * sizeof(float));
    HIP(hipMemcpy2D(on_device[0], pitch, now.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
    for (int k = 0; k < steps; k++) {
        const dim3 grid(groups(width, TILE), groups(height, TILE));
        step<<<grid, dim3(TILE, TILE)>>>(on_device[k % 2], on_device[1 - k % 2], pitch, width, height);
        auto at = [&](int x, int y) {
            return now[std::min(std::max(y, 0), height - 1) * width + std::min(std::max(x, 0), width - 1)];
        };
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                float sum = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
                next[y * width + x] = at(x, y) * 0.5f + sum * 0.125f;
            }
        now = next;
    }
    HIP(hipMemcpy2D(next.data(), width * 4, on_device[steps % 2], pitch, width * 4, height, hipMemcpyDeviceToHost));
    CHECK(next == now);
    for (char* array : on_device) HIP(hipFree(array));
    return OK();
}
