// Streams that wait for each other by events: a diamond of kernels, many times. Times are in order.
#include "check.h"

__global__ void set(int* to, int value) { to[thread_index()] = value; }
__global__ void advance(const int* from, int* to, int factor) {
    unsigned i = thread_index();
    to[i] = from[i] * factor + 1;
}
__global__ void join(const int* a, const int* b, int* to) {
    unsigned i = thread_index();
    to[i] = a[i] - b[i];
}

int main() {
    const unsigned n = 4096;
    Array<int> root(n), left(n), right(n);
    hipStream_t a, b;
    HIP(hipStreamCreate(&a));
    HIP(hipStreamCreateWithPriority(&b, hipStreamNonBlocking, 0));
    hipEvent_t forked, joined, start, stop;
    HIP(hipEventCreateWithFlags(&forked, hipEventDisableTiming));
    HIP(hipEventCreateWithFlags(&joined, hipEventDisableTiming | hipEventBlockingSync));
    HIP(hipEventCreate(&start));
    HIP(hipEventCreate(&stop));

    set<<<n / 64, 64, 0, a>>>(root, 1);
    HIP(hipEventRecord(start, a));
    int expected = 1;
    for (int round = 0; round < 50; round++) {
        HIP(hipEventRecord(forked, a));
        HIP(hipStreamWaitEvent(b, forked, 0));
        advance<<<n / 64, 64, 0, a>>>(root, left, 3);
        advance<<<n / 64, 64, 0, b>>>(root, right, 2);
        HIP(hipEventRecord(joined, b));
        HIP(hipStreamWaitEvent(a, joined, 0));
        join<<<n / 64, 64, 0, a>>>(left, right, root);
        if (round % 7 == 0) {
            set<<<n / 64, 64, 0, a>>>(root, round);
            expected = round;
        } else {
            expected = (expected * 3 + 1) - (expected * 2 + 1);
        }
    }
    HIP(hipEventRecord(stop, a));
    HIP(hipEventSynchronize(stop));
    CHECK_EQ(hipEventQuery(stop), hipSuccess);
    float milliseconds = -1;
    HIP(hipEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds > 0 && milliseconds < 600'000);
    for (int value : root.read()) CHECK_EQ(value, expected);
    CHECK_EQ(hipStreamQuery(a), hipSuccess);
    HIP(hipEventDestroy(forked));
    HIP(hipEventDestroy(joined));
    HIP(hipEventDestroy(start));
    HIP(hipEventDestroy(stop));
    HIP(hipStreamDestroy(a));
    HIP(hipStreamDestroy(b));
    return OK();
}
