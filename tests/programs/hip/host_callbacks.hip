// Functions of the host in streams: each sees what the kernels before it did, and kernels after it what it wrote.
#include "check.h"

#include <atomic>

struct Step {
    volatile int* value;  // pinned
    int expected;
    std::atomic<int>* calls;
};

__global__ void add(int* value, int n) { atomicAdd(value, n); }

static void visit(Step* step) {
    CHECK_EQ(int(*step->value), step->expected);
    *step->value = step->expected * 2;
    step->calls->fetch_add(1);
}
static void callback(hipStream_t, hipError_t status, void* data) {
    CHECK_EQ(status, hipSuccess);
    visit(static_cast<Step*>(data));
}

int main() {
    int* value;
    HIP(hipHostMalloc(&value, sizeof(int), hipHostMallocCoherent));
    *value = 0;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    std::atomic<int> calls{0};
    Step steps[10];
    int expected = 0;
    for (int i = 0; i < 10; i++) {
        add<<<2, 64, 0, stream>>>(value, i);
        expected += 128 * i;
        steps[i] = {value, expected, &calls};
        expected *= 2;
        HIP(hipStreamAddCallback(stream, callback, &steps[i], 0));
    }
    HIP(hipStreamSynchronize(stream));
    CHECK_EQ(calls.load(), 10);
    CHECK_EQ(*value, expected);
    HIP(hipStreamDestroy(stream));
    HIP(hipHostFree(value));
    return OK();
}
