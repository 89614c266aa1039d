// A store to memory that nobody allocated: the runtime reports a fault and ends the program.
// exit: 134
// stderr: Memory access fault by GPU node-1
#include "check.h"

__global__ void store(int* to) { to[threadIdx.x] = 1; }

int main() {
    Array<int> fine(64);
    store<<<1, 64>>>(fine);
    for (int value : fine.read()) CHECK_EQ(value, 1);
    puts("a store that is right");
    fflush(stdout);
    store<<<1, 64>>>(reinterpret_cast<int*>(0x123456000));
    (void)hipDeviceSynchronize();
    return OK();
}
