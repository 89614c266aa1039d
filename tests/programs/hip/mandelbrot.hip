// Counts of steps of the Mandelbrot set, in float and double: loops that lanes leave at different times.
// flags: -ffp-contract=off
#include "check.h"

template <class T>
__host__ __device__ unsigned short steps(unsigned column, unsigned row, unsigned width, unsigned height) {
    T x0 = T(column) / T(width) * T(3) - T(2.25), y0 = T(row) / T(height) * T(2.5) - T(1.25), x = 0, y = 0;
    unsigned short count = 0;
    while (count < 300 && x * x + y * y <= T(4)) {
        T next = x * x - y * y + x0;
        y = T(2) * x * y + y0;
        x = next;
        count++;
    }
    return count;
}
template <class T>
__global__ void draw(unsigned short* to, unsigned width, unsigned height) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) to[row * width + column] = steps<T>(column, row, width, height);
}
template <class T>
static void test(unsigned width, unsigned height) {
    Array<unsigned short> to(width * height);
    draw<T><<<dim3(groups(width, 16), groups(height, 8)), dim3(16, 8)>>>(to, width, height);
    auto got = to.read();
    unsigned long long sum = 0;
    for (unsigned row = 0; row < height; row++)
        for (unsigned column = 0; column < width; column++) {
            unsigned short expected = steps<T>(column, row, width, height);
            CHECK_EQ(got[row * width + column], expected);
            sum += expected;
        }
    printf("%llu steps\n", sum);
}

int main() {
    test<float>(201, 150);
    test<double>(80, 61);
    return OK();
}
