// Ten thousand small launches on two streams, each of which depends on the one before; the ring of packets goes round.
#include "check.h"

__global__ void next(unsigned* state, unsigned i) { state[threadIdx.x] = state[threadIdx.x] * 1664525u + i; }

int main() {
    const unsigned n = 5000;
    hipStream_t streams[2];
    Array<unsigned> a(64), b(64);
    unsigned* states[] = {a, b};
    a.fill(0);
    b.fill(0xff);
    HIP(hipDeviceSynchronize());
    for (hipStream_t& stream : streams) HIP(hipStreamCreate(&stream));
    unsigned expected[] = {0, ~0u};
    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < 2; s++) {
            next<<<1, 64, 0, streams[s]>>>(states[s], i);
            expected[s] = expected[s] * 1664525u + i;
        }
    HIP(hipDeviceSynchronize());
    for (unsigned value : a.read()) CHECK_EQ(value, expected[0]);
    for (unsigned value : b.read()) CHECK_EQ(value, expected[1]);
    for (hipStream_t stream : streams) HIP(hipStreamDestroy(stream));
    return OK();
}
