// Kernels of many groups that wait for kernels of other streams, and whose groups write what others write.
#include "check.h"

constexpr int N = 4096;

// Waits for `round` in each group, then adds what it has found.
__global__ void hold(volatile int* flag, int round, int* data, int* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = -1;
    while (*flag < round) __builtin_amdgcn_s_sleep(4);
    data[i] = *flag + i;
    sum[0] = *flag;
}

__global__ void raise(int* flag, int round) { atomicExch(flag, round); }

// Groups of which each ends soon, in so many that they take long together: nobody has to wait for them.
__global__ void busy(int* data) {
    int x = threadIdx.x;
    for (int i = 0; i < 1000; i++) x = x * 1664525 + 1013904223;
    data[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main() {
    Array<int> flag(64), data(N), sum(1), other(1 << 20);
    flag.fill(0);
    HIP(hipDeviceSynchronize());
    hipStream_t streams[2];
    for (hipStream_t& stream : streams) HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (int round = 1; round <= 2; round++) {
        hold<<<N / 256, 256, 0, streams[0]>>>(flag, round, data, sum);
        CHECK_EQ(hipStreamQuery(streams[0]), hipErrorNotReady);
        raise<<<1, 1, 0, streams[1]>>>(flag, round);
        HIP(hipStreamSynchronize(streams[0]));
        auto got = data.read();
        for (int i = 0; i < N; i++) CHECK_EQ(got[i], round + i);
        CHECK_EQ(sum.read()[0], round);
    }
    busy<<<4096, 256, 0, streams[0]>>>(other);
    raise<<<1, 1, 0, streams[1]>>>(flag, 9);
    HIP(hipDeviceSynchronize());
    int x = 255;
    for (int i = 0; i < 1000; i++) x = x * 1664525 + 1013904223;
    CHECK_EQ(other.read()[(1 << 20) - 1], x);
    CHECK_EQ(flag.read()[0], 9);
    for (hipStream_t stream : streams) HIP(hipStreamDestroy(stream));
    return OK();
}
