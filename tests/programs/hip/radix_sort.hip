// Sorts keys with their values, four bits at a time: counts per group, a scan of all counts, a stable scatter.
#include "check.h"

#include <algorithm>

constexpr unsigned GROUP = 256;

__global__ void count(const unsigned* keys, unsigned* counts, unsigned shift, unsigned n) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned i = thread_index();
    if (i < n) atomicAdd(&bins[keys[i] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
// One group scans all counts; items take runs of equal length.
__global__ void scan(unsigned* counts, unsigned n) {
    __shared__ unsigned sums[GROUP];
    unsigned each = (n + GROUP - 1) / GROUP, from = min(threadIdx.x * each, n), to = min(from + each, n);
    unsigned sum = 0;
    for (unsigned i = from; i < to; i++) sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = 1; step < GROUP; step *= 2) {
        unsigned below = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += below;
        __syncthreads();
    }
    sum = sums[threadIdx.x] - sum;
    for (unsigned i = from; i < to; i++) {
        unsigned here = counts[i];
        counts[i] = sum;
        sum += here;
    }
}
__global__ void scatter(const unsigned* keys, const unsigned* values, unsigned* to_keys, unsigned* to_values,
                        const unsigned* starts, unsigned shift, unsigned n) {
    __shared__ unsigned char digits[GROUP];
    unsigned i = thread_index();
    unsigned digit = i < n ? keys[i] >> shift & 15 : 16;
    digits[threadIdx.x] = (unsigned char)digit;
    __syncthreads();
    if (i >= n) return;
    unsigned place = starts[digit * gridDim.x + blockIdx.x];
    for (unsigned k = 0; k < threadIdx.x; k++) place += digits[k] == digit;
    to_keys[place] = keys[i];
    to_values[place] = values[i];
}

int main() {
    const unsigned n = 20'000, blocks = groups(n, GROUP);
    Random random;
    std::vector<unsigned> keys(n), values(n), order(n);
    for (unsigned i = 0; i < n; i++) keys[i] = random.next() >> random.below(20), values[i] = order[i] = i;
    Array<unsigned> a(keys), b(n), c(values), d(n), counts(16 * blocks);
    unsigned *from = a, *to = b, *from_values = c, *to_values = d;
    for (unsigned shift = 0; shift < 32; shift += 4) {
        count<<<blocks, GROUP>>>(from, counts, shift, n);
        scan<<<1, GROUP>>>(counts, 16 * blocks);
        scatter<<<blocks, GROUP>>>(from, from_values, to, to_values, counts, shift, n);
        std::swap(from, to);
        std::swap(from_values, to_values);
    }
    auto sorted = a.read(), places = c.read();
    std::stable_sort(order.begin(), order.end(), [&](unsigned x, unsigned y) { return keys[x] < keys[y]; });
    for (unsigned i = 0; i < n; i++) {
        CHECK_EQ(places[i], order[i]);
        CHECK_EQ(sorted[i], keys[order[i]]);
    }
    return OK();
}
