// A program that ends while its kernels still wait and run.
#include "check.h"

#include <unistd.h>

__global__ void work(unsigned* data, unsigned rounds) {
    unsigned value = thread_index();
    for (unsigned i = 0; i < rounds; i++) value = value * 1664525u + 1013904223u;
    data[thread_index()] = value;
}

int main() {
    unsigned* data;
    HIP(hipMalloc(&data, 65536 * sizeof(unsigned)));
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    for (int i = 0; i < 20; i++) work<<<1024, 64, 0, stream>>>(data, 20'000);
    puts("ok exit_at_once");
    fflush(stdout);
    _exit(0);
}
