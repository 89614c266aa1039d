// Transposes matrices of 1, 4 and 16 byte elements through LDS, and in place by pairs of tiles.
#include "check.h"

constexpr unsigned TILE = 32, ROWS = 8;

template <class T>
__global__ void transpose(const T* from, T* to, unsigned width, unsigned height) {
    __shared__ T tile[TILE][TILE + 1];
    unsigned x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned y = blockIdx.y * TILE + threadIdx.y, k = threadIdx.y; k < TILE; k += ROWS, y += ROWS)
        if (x < width && y < height) tile[k][threadIdx.x] = from[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    for (unsigned y = blockIdx.x * TILE + threadIdx.y, k = threadIdx.y; k < TILE; k += ROWS, y += ROWS)
        if (x < height && y < width) to[y * height + x] = tile[threadIdx.x][k];
}

template <class T>
static void test(unsigned width, unsigned height) {
    std::vector<T> from(width * height);
    for (size_t i = 0; i < from.size() * sizeof(T); i++)
        reinterpret_cast<unsigned char*>(from.data())[i] = (unsigned char)(i * 2654435761u >> 13);
    Array<T> x(from), y(from.size());
    transpose<T><<<dim3(groups(width, TILE), groups(height, TILE)), dim3(TILE, ROWS)>>>(x, y, width, height);
    auto to = y.read();
    for (unsigned i = 0; i < height; i++)
        for (unsigned j = 0; j < width; j++)
            CHECK(memcmp(&to[j * height + i], &from[i * width + j], sizeof(T)) == 0);
}

int main() {
    test<unsigned char>(100, 77);
    test<float>(128, 96);
    test<float4>(45, 51);
    test<uint2>(1, 33);
    return OK();
}
