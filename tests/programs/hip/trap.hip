// A kernel that traps: the runtime reports an exception of the queue and ends the program.
// exit: 134
// stderr: HSA_STATUS_ERROR_EXCEPTION
#include "check.h"

__global__ void trap(int* to, int when) {
    if (int(threadIdx.x) == when) __builtin_trap();
    to[threadIdx.x] = 2;
}

int main() {
    Array<int> to(64);
    trap<<<1, 64>>>(to, 64);
    for (int value : to.read()) CHECK_EQ(value, 2);
    puts("a trap that is not met");
    fflush(stdout);
    trap<<<1, 64>>>(to, 5);
    (void)hipDeviceSynchronize();
    return OK();
}
