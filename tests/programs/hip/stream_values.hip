// A stream waits for a value in memory that the host or another stream writes (hipStreamWaitValue).
#include "check.h"

__global__ void fill(int* to, int value) { to[thread_index()] = value; }
__global__ void twice(const int* from, int* to) { to[thread_index()] = 2 * from[thread_index()]; }

int main() {
    int can = 0;
    HIP(hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, 0));
    if (!can) {
        fputs("skipped: the device has no waits for values\n", stderr);
        return OK();
    }
    uint64_t* flag;
    HIP(hipExtMallocWithFlags((void**)&flag, 8, hipMallocSignalMemory));
    *flag = 0;
    hipStream_t a, b;
    HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    Array<int> from(1024), to(1024);
    // b waits for a.
    HIP(hipStreamWaitValue64(b, flag, 7, hipStreamWaitValueGte, ~0ull));
    twice<<<16, 64, 0, b>>>(from, to);
    fill<<<16, 64, 0, a>>>(from, 21);
    HIP(hipStreamWriteValue64(a, flag, 8, 0));
    HIP(hipStreamSynchronize(b));
    for (int value : to.read()) CHECK_EQ(value, 42);
    // b waits for the host: one bit, then an exact value.
    HIP(hipStreamWaitValue64(b, flag, 0x10, hipStreamWaitValueAnd, ~0ull));
    fill<<<16, 64, 0, b>>>(from, 5);
    HIP(hipStreamWaitValue32(b, flag, 0x33, hipStreamWaitValueEq, 0xff));
    twice<<<16, 64, 0, b>>>(from, to);
    CHECK_EQ(hipStreamQuery(b), hipErrorNotReady);
    *(volatile uint64_t*)flag = 0x11;
    CHECK_EQ(hipStreamQuery(b), hipErrorNotReady);
    *(volatile uint64_t*)flag = 0x133;
    HIP(hipStreamSynchronize(b));
    for (int value : to.read()) CHECK_EQ(value, 10);
    HIP(hipStreamDestroy(a));
    HIP(hipStreamDestroy(b));
    HIP(hipFree(flag));
    return OK();
}
