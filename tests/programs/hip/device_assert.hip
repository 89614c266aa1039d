// An assertion that fails on the device ends the program.
// exit: 134
// stderr: Device-side assertion `value != 3' failed
#include "check.h"

#include <cassert>

__global__ void check(const int* values) {
    int value = values[threadIdx.x];
    assert(value != 3);
}

int main() {
    Array<int> values(std::vector<int>{0, 1, 2, 4, 5, 6});
    check<<<1, 6>>>(values);
    HIP(hipDeviceSynchronize());
    puts("assertions that hold do nothing");
    fflush(stdout);
    Array<int> wrong(std::vector<int>{0, 1, 2, 3});
    check<<<1, 4>>>(wrong);
    (void)hipDeviceSynchronize();
    return OK();
}
