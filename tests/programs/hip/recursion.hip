// Functions that call themselves and each other, to depths that differ from lane to lane.
#include "check.h"

__host__ __device__ __attribute__((noinline)) unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__host__ __device__ __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool is_odd(unsigned n);
__host__ __device__ __attribute__((noinline)) bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__host__ __device__ __attribute__((noinline)) bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

// Moves a tower of n discs; the towers are arrays on the stack.
struct Towers {
    unsigned char discs[3][10];
    unsigned char heights[3];
    unsigned moves;
};
__host__ __device__ __attribute__((noinline)) void hanoi(Towers& towers, int n, int from, int to) {
    if (n == 0) return;
    int other = 3 - from - to;
    hanoi(towers, n - 1, from, other);
    towers.discs[to][towers.heights[to]++] = towers.discs[from][--towers.heights[from]];
    towers.moves++;
    hanoi(towers, n - 1, other, to);
}
__host__ __device__ unsigned towers(int n) {
    Towers towers = {};
    for (int i = 0; i < n; i++) towers.discs[0][towers.heights[0]++] = (unsigned char)(n - i);
    hanoi(towers, n, 0, 2);
    unsigned sum = towers.moves;
    for (int i = 0; i < towers.heights[2]; i++) sum = sum * 7 + towers.discs[2][i];
    return sum;
}

__host__ __device__ unsigned all(unsigned i) {
    unsigned result = fibonacci(i % 12);
    result = result * 31 + ackermann(i % 3, i % 5);
    result = result * 31 + is_even(i % 50);
    return result * 31 + towers(int(i % 7));
}
__global__ void compute(unsigned* to) { to[thread_index()] = all(thread_index()); }

int main() {
    Array<unsigned> to(256);
    compute<<<2, 128>>>(to);
    auto got = to.read();
    for (unsigned i = 0; i < 256; i++) CHECK_EQ(got[i], all(i));
    return OK();
}
