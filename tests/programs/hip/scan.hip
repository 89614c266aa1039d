// Prefix sums in one pass: groups wait for the sums of those before them (decoupled look-back) by flags in memory.
#include "check.h"

constexpr unsigned GROUP = 256;

struct Status {
    unsigned long long flag_and_sum;  // 1: sum of the group, 2: of all groups up to it
};

__global__ void scan(const unsigned* from, unsigned* to, Status* status, unsigned* next, unsigned n) {
    __shared__ unsigned part[GROUP], group, before;
    if (threadIdx.x == 0) group = atomicAdd(next, 1u), before = 0;
    __syncthreads();
    unsigned i = group * GROUP + threadIdx.x;
    part[threadIdx.x] = i < n ? from[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < GROUP; step *= 2) {
        unsigned below = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
        __syncthreads();
        part[threadIdx.x] += below;
        __syncthreads();
    }
    if (threadIdx.x == GROUP - 1) {
        unsigned sum = part[GROUP - 1], total = 0;
        atomicExch(&status[group].flag_and_sum, (group == 0 ? 2ull : 1ull) << 32 | sum);
        for (int other = int(group) - 1; other >= 0; other--) {
            unsigned long long seen;
            do seen = atomicAdd(&status[other].flag_and_sum, 0ull);
            while (seen >> 32 == 0);
            total += unsigned(seen);
            if (seen >> 32 == 2) break;
        }
        if (group > 0) atomicExch(&status[group].flag_and_sum, 2ull << 32 | unsigned(total + sum));
        before = total;
    }
    __syncthreads();
    if (i < n) to[i] = before + part[threadIdx.x];
}

int main() {
    for (unsigned n : {1u, 255u, 256u, 257u, 50'000u}) {
        Random random;
        std::vector<unsigned> from(n);
        for (auto& value : from) value = random.next();
        Array<unsigned> x(from), y(n), next(1);
        Array<Status> status(groups(n, GROUP));
        status.fill(0);
        next.fill(0);
        scan<<<groups(n, GROUP), GROUP>>>(x, y, status, next, n);
        auto to = y.read();
        unsigned sum = 0;
        for (unsigned i = 0; i < n; i++) CHECK_EQ(to[i], sum += from[i]);
    }
    return OK();
}
