// Kernels that wait for kernels of other streams: a chain of three, launched from its end, and one for a copy.
#include "check.h"

__global__ void pass(volatile int* from, int* to) {
    while (*from == 0) __builtin_amdgcn_s_sleep(4);
    atomicExch(to, *from + 1);
}

int main() {
    Array<int> flags(256);
    hipStream_t streams[4];
    for (hipStream_t& stream : streams) HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    int* at[4];
    for (int i = 0; i < 4; i++) at[i] = flags + 64 * i;
    for (int round = 1; round <= 3; round++) {
        flags.fill(0);
        HIP(hipDeviceSynchronize());
        for (int i = 2; i >= 0; i--) pass<<<1, 1, 0, streams[i]>>>(at[i], at[i + 1]);
        CHECK_EQ(hipStreamQuery(streams[2]), hipErrorNotReady);
        HIP(hipMemcpyAsync(at[0], &round, sizeof round, hipMemcpyHostToDevice, streams[3]));
        HIP(hipStreamSynchronize(streams[2]));
        auto got = flags.read();
        for (int i = 0; i < 4; i++) CHECK_EQ(got[64 * i], round + i);
    }
    for (hipStream_t stream : streams) HIP(hipStreamDestroy(stream));
    return OK();
}
