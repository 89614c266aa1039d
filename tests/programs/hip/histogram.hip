// Counts bytes: private counts of each group in LDS, added to global memory; and pairs of bytes in global memory alone.
#include "check.h"

__global__ void count_bytes(const unsigned char* text, unsigned* counts, unsigned n) {
    __shared__ unsigned bins[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[text[i]], 1u);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        if (bins[i]) atomicAdd(&counts[i], bins[i]);
}
__global__ void count_pairs(const unsigned char* text, unsigned* counts, unsigned n) {
    unsigned i = thread_index();
    if (i + 1 < n) atomicAdd(&counts[text[i] * 256u + text[i + 1]], 1u);
}

int main() {
    const unsigned n = 100'000;
    Random random;
    std::vector<unsigned char> text(n);
    for (auto& byte : text) byte = (unsigned char)(random.next() >> (24 + random.below(4)));
    Array<unsigned char> on_device(text);
    Array<unsigned> bytes(256), pairs(65536);
    bytes.fill(0);
    pairs.fill(0);
    count_bytes<<<7, 192>>>(on_device, bytes, n);
    count_pairs<<<groups(n, 256), 256>>>(on_device, pairs, n);
    std::vector<unsigned> expected(256), expected_pairs(65536);
    for (unsigned i = 0; i < n; i++) {
        expected[text[i]]++;
        if (i + 1 < n) expected_pairs[text[i] * 256u + text[i + 1]]++;
    }
    CHECK(bytes.read() == expected);
    CHECK(pairs.read() == expected_pairs);
    return OK();
}
