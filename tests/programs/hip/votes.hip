// Votes of waves and groups: ballots, any, all, and barriers that count; in branches that some lanes do not take.
#include "check.h"

#include <algorithm>

struct Row {
    unsigned long long ballot, active;
    int any, all, count, both, either, rank;
};

// Number of lower lanes that are in the mask.
__device__ unsigned mbcnt(unsigned long long mask) {
    return __builtin_amdgcn_mbcnt_hi(unsigned(mask >> 32), __builtin_amdgcn_mbcnt_lo(unsigned(mask), 0));
}

__global__ void run(const int* values, Row* to, int limit) {
    int v = values[thread_index()];
    Row r;
    r.ballot = __ballot(v > limit);
    r.any = __any(v == limit);
    r.all = __all(v >= 0);
    r.count = __syncthreads_count(v > limit);
    r.both = __syncthreads_and(v < 1000);
    r.either = __syncthreads_or(v == 999);
    r.active = 0;
    r.rank = -1;
    if (v % 3 == 1) {
        r.active = __ballot(1);
        r.rank = int(mbcnt(r.active));
    }
    to[thread_index()] = r;
}
// Lanes of a wave append to a list with one atomic for all of them.
__global__ void append(const int* values, int* list, unsigned* count) {
    int v = values[thread_index()];
    if (v % 5 != 0) return;
    unsigned long long active = __ballot(1);
    unsigned rank = mbcnt(active), base = 0;
    if (rank == 0) base = atomicAdd(count, unsigned(__popcll(active)));
    base = __shfl(base, __ffsll(active) - 1);
    list[base + rank] = v;
}

int main() {
    const int group = 192, n = 10 * group, limit = 500;
    Random random;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = int(random.below(i < n / 2 ? 1000 : 1200)) - (i % 640 == 5 ? 600 : 0);
    Array<int> from(values), list(n);
    Array<Row> to(n);
    Array<unsigned> count(1);
    count.fill(0);
    run<<<n / group, group>>>(from, to, limit);
    append<<<n / group, group>>>(from, list, count);
    auto got = to.read();
    for (int i = 0; i < n; i++) {
        int wave = i & ~63, start = i / group * group;
        Row e = {0, 0, 0, 1, 0, 1, 0, -1};
        unsigned long long thirds = 0;
        for (int k = 0; k < 64; k++) {
            int v = values[wave + k];
            e.ballot |= (unsigned long long)(v > limit) << k;
            e.any |= v == limit, e.all &= v >= 0;
            thirds |= (unsigned long long)(v % 3 == 1) << k;
        }
        for (int k = 0; k < group; k++) {
            int v = values[start + k];
            e.count += v > limit, e.both &= v < 1000, e.either |= v == 999;
        }
        if (values[i] % 3 == 1) {
            e.active = thirds;
            e.rank = __builtin_popcountll(thirds & ((1ull << (i & 63)) - 1));
        }
        const Row& r = got[i];
        CHECK(r.ballot == e.ballot);
        CHECK(r.active == e.active);
        CHECK_EQ(!!r.any, !!e.any);
        CHECK_EQ(!!r.all, !!e.all);
        CHECK_EQ(r.count, e.count);
        CHECK_EQ(!!r.both, !!e.both);
        CHECK_EQ(!!r.either, !!e.either);
        CHECK_EQ(r.rank, e.rank);
    }
    std::vector<int> expected;
    for (int v : values)
        if (v % 5 == 0) expected.push_back(v);
    auto listed = list.read();
    CHECK_EQ(count.read()[0], unsigned(expected.size()));
    listed.resize(expected.size());
    std::sort(listed.begin(), listed.end());
    std::sort(expected.begin(), expected.end());
    CHECK(listed == expected);
    return OK();
}
