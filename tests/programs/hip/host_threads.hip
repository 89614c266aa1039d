// Eight threads of the host allocate, copy, launch and wait at once, each on a stream of its own or on the default one.
// libs: -pthread
#include "check.h"

#include <atomic>
#include <thread>

__global__ void work(unsigned* data, unsigned seed, unsigned n) {
    unsigned i = thread_index();
    if (i < n) data[i] = data[i] * 3 + seed;
}

static std::atomic<unsigned> done{0};

static void run(unsigned seed) {
    hipStream_t stream = nullptr;
    if (seed % 2) HIP(hipStreamCreate(&stream));
    for (unsigned round = 0; round < 20; round++) {
        const unsigned n = 100 + 37 * seed + round;
        std::vector<unsigned> host(n, seed);
        Array<unsigned> data(n);
        HIP(hipMemcpyAsync(data, host.data(), n * 4, hipMemcpyHostToDevice, stream));
        for (unsigned k = 0; k < 3; k++) work<<<groups(n, 64), 64, 0, stream>>>(data, k + seed, n);
        HIP(hipMemcpyAsync(host.data(), data, n * 4, hipMemcpyDeviceToHost, stream));
        HIP(hipStreamSynchronize(stream));
        unsigned expected = seed;
        for (unsigned k = 0; k < 3; k++) expected = expected * 3 + k + seed;
        for (unsigned value : host) CHECK_EQ(value, expected);
    }
    if (stream) HIP(hipStreamDestroy(stream));
    done++;
}

int main() {
    // HIP 5.2.3 loads code at the first launch. Threads whose first launches meet crash in it now and then.
    Array<unsigned> first(1);
    work<<<1, 1>>>(first, 0, 1);
    HIP(hipDeviceSynchronize());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; i++) threads.emplace_back(run, i);
    for (auto& thread : threads) thread.join();
    CHECK_EQ(done.load(), 8u);
    return OK();
}
