// Calls through pointers: a table, a pointer that the host fetches, lanes that call different functions; lambdas.
#include "check.h"

using Function = int (*)(int, int);
__device__ __attribute__((noinline)) int plus(int a, int b) { return a + b; }
__device__ __attribute__((noinline)) int minus(int a, int b) { return a - b; }
__device__ __attribute__((noinline)) int times(int a, int b) { return a * b; }
__device__ __attribute__((noinline)) int chosen(int a, int b) { return (a ^ b) & 0xffff; }

__device__ Function table[] = {plus, minus, times};
__device__ Function pointer_to_chosen = chosen;

__global__ void apply(const int* a, const int* b, const unsigned* which, int* to, Function given, unsigned n) {
    unsigned i = thread_index();
    if (i >= n) return;
    Function function = which[i] < 3 ? table[which[i]] : given;
    to[i] = function(a[i], b[i]);
}
template <class F>
__global__ void with_lambda(int* to, F f) {
    to[thread_index()] = f(int(thread_index()));
}

int main() {
    const unsigned n = 5000;
    Random random;
    std::vector<int> a(n), b(n);
    std::vector<unsigned> which(n);
    for (unsigned i = 0; i < n; i++) a[i] = int(random.next()), b[i] = int(random.next()), which[i] = random.below(4);
    Function given;
    HIP(hipMemcpyFromSymbol(&given, HIP_SYMBOL(pointer_to_chosen), sizeof given));
    CHECK(given != nullptr);
    Array<int> x(a), y(b), z(n);
    Array<unsigned> choice(which);
    apply<<<groups(n, 192), 192>>>(x, y, choice, z, given, n);
    auto got = z.read();
    for (unsigned i = 0; i < n; i++) {
        unsigned p = unsigned(a[i]), q = unsigned(b[i]);
        unsigned expected[] = {p + q, p - q, p * q, (p ^ q) & 0xffff};
        CHECK_EQ(got[i], int(expected[which[i]]));
    }
    int base = 17;
    Array<int> squares(256);
    with_lambda<<<4, 64>>>(squares.data, [base] __device__(int i) { return i * i + base; });
    auto square = squares.read();
    for (int i = 0; i < 256; i++) CHECK_EQ(square[i], i * i + base);
    return OK();
}
