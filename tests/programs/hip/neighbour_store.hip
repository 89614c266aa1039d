// A store behind the end of an allocation, with each hipMalloc an allocation of its own.
// exit: 134
// env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// stderr: Memory access fault by GPU node-1
#include "check.h"

__global__ void store(char* to) { *to = 1; }

int main() {
    Array<char> a(4096);
    store<<<1, 1>>>(a + 4095);
    HIP(hipDeviceSynchronize());
    puts("the last byte");
    fflush(stdout);
    store<<<1, 1>>>(a + 4096);
    (void)hipDeviceSynchronize();
    return OK();
}
