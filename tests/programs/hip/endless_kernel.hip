// A kernel without an end: the budget of instructions ends it, as an error of its queue.
// device: --max-insts 1000000
// exit: 134
#include "check.h"

__global__ void spin(volatile int* flag) {
    while (*flag == 0) {
    }
}

int main() {
    Array<int> flag(1);
    flag.fill(1);
    spin<<<1, 64>>>(flag.data);
    HIP(hipDeviceSynchronize());
    puts("a loop that ends");
    fflush(stdout);
    flag.fill(0);
    spin<<<1, 64>>>(flag.data);
    (void)hipDeviceSynchronize();
    return OK();
}
