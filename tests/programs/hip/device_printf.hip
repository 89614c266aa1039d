// printf on the device: numbers of all kinds, text, vectors of lanes, more than one packet of arguments.
#include "check.h"

__global__ void greet() {
    if (threadIdx.x == 0) printf("group %u of %u\n", unsigned(blockIdx.x), unsigned(gridDim.x));
}
__global__ void numbers() {
    printf("%d %u %x %lld %llx %c %5.2f|%-8s|%%\n", -5, 7u, 255u, -1234567890123ll, 0xfedcba9876543210ull, 'z',
           3.14159, "left");
    printf("%e %g %a\n", 1.5e-10, 0.1, 1.0);
    int written = printf("%s\n", "a text that is longer than the arguments of one packet, so that it takes several");
    if (written < 0) printf("failed\n");
}
__global__ void lanes(unsigned long long mask) {
    if (mask >> threadIdx.x & 1) printf("lane %2u\n", unsigned(threadIdx.x));
}

int main() {
    for (int i = 0; i < 3; i++) {
        greet<<<1, 64>>>();
        HIP(hipDeviceSynchronize());
    }
    numbers<<<1, 1>>>();
    HIP(hipDeviceSynchronize());
    lanes<<<1, 64>>>(0x8000100080010421);
    HIP(hipDeviceSynchronize());
    return OK();
}
