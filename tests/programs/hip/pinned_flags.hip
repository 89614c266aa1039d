// A kernel and the host talk while the kernel runs: twenty questions and answers through pinned memory.
#include "check.h"

__global__ void ask(volatile int* question, volatile int* answer, int* sum, int rounds) {
    for (int i = 1; i <= rounds; i++) {
        *question = i;
        __threadfence_system();
        while (*answer < i * i) __builtin_amdgcn_s_sleep(8);
        *sum += *answer;
    }
}

int main() {
    const int rounds = 20;
    volatile int* flags;
    HIP(hipHostMalloc((void**)&flags, 4096, hipHostMallocCoherent | hipHostMallocMapped));
    flags[0] = flags[64] = 0;
    Array<int> sum(1);
    sum.fill(0);
    HIP(hipDeviceSynchronize());
    ask<<<1, 1>>>((volatile int*)flags, (volatile int*)flags + 64, sum, rounds);
    for (int i = 1; i <= rounds; i++) {
        while (flags[0] != i) {
        }
        CHECK(i == rounds || hipStreamQuery(nullptr) == hipErrorNotReady);
        flags[64] = i * i;
    }
    int expected = 0;
    for (int i = 1; i <= rounds; i++) expected += i * i;
    CHECK_EQ(sum.read()[0], expected);
    HIP(hipHostFree((void*)flags));
    return OK();
}
