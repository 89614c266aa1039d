// Products of matrices by tiles in LDS: float, double and int, sizes that are no multiples of a tile.
#include "check.h"

constexpr int TILE = 16;

template <class T>
__global__ void multiply(const T* a, const T* b, T* c, int rows, int inner, int columns) {
    __shared__ T as[TILE][TILE + 1], bs[TILE][TILE + 1];
    int row = int(blockIdx.y * TILE + threadIdx.y), column = int(blockIdx.x * TILE + threadIdx.x);
    int x = int(threadIdx.x), y = int(threadIdx.y);
    T sum = 0;
    for (int at = 0; at < inner; at += TILE) {
        as[y][x] = row < rows && at + x < inner ? a[row * inner + at + x] : T(0);
        bs[y][x] = column < columns && at + y < inner ? b[(at + y) * columns + column] : T(0);
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

template <class T>
static void test(int rows, int inner, int columns) {
    std::vector<T> a(size_t(rows * inner)), b(size_t(inner * columns));
    for (int i = 0; i < rows * inner; i++) a[i] = T(i % 17 - 8);
    for (int i = 0; i < inner * columns; i++) b[i] = T(i % 13 - 6);
    Array<T> x(a), y(b), z(size_t(rows * columns));
    dim3 grid(groups(columns, TILE), groups(rows, TILE));
    multiply<T><<<grid, dim3(TILE, TILE)>>>(x, y, z, rows, inner, columns);
    auto c = z.read();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            T sum = 0;
            for (int k = 0; k < inner; k++) sum += a[i * inner + k] * b[k * columns + j];
            CHECK_EQ(c[i * columns + j], sum);
        }
}

int main() {
    test<float>(64, 64, 64);
    test<float>(70, 33, 101);
    test<double>(50, 47, 30);
    test<int>(31, 100, 17);
    return OK();
}
