// Data between lanes: shuffles of all kinds and widths, of 32 and 64 bits; sums and scans without LDS.
#include "check.h"

struct Row {
    int indexed, up, down, crossed, narrow_up, narrow_down, narrow_crossed, rotated, sum, scan;
    double wide;
    long long wide_scan;
};

__host__ __device__ int value(unsigned i) { return int(i * i * 31 + 7); }

__global__ void run(Row* to) {
    int lane = int(threadIdx.x) & 63, v = value(thread_index());
    Row r;
    r.indexed = __shfl(v, lane * 5);
    r.up = __shfl_up(v, 3);
    r.down = __shfl_down(v, 17);
    r.crossed = __shfl_xor(v, 42);
    r.narrow_up = __shfl_up(v, 1, 16);
    r.narrow_down = __shfl_down(v, 2, 8);
    r.narrow_crossed = __shfl_xor(v, 5, 32);
    r.rotated = __shfl(v, (lane + 1) % 4, 4);
    r.sum = v;
    for (int step = 32; step > 0; step /= 2) r.sum += __shfl_xor(r.sum, step);
    r.scan = v;
    r.wide_scan = (long long)v << 30;
    for (int step = 1; step < 64; step *= 2) {
        int below = __shfl_up(r.scan, step);
        long long wide_below = __shfl_up(r.wide_scan, step);
        if (lane >= step) r.scan += below, r.wide_scan += wide_below;
    }
    r.wide = __shfl(v * 0.125, 63 - lane);
    to[thread_index()] = r;
}

int main() {
    const unsigned n = 256;
    Array<Row> to(n);
    run<<<2, n / 2>>>(to);
    auto got = to.read();
    for (unsigned i = 0; i < n; i++) {
        unsigned wave = i & ~63u, lane = i & 63;
        auto at = [&](unsigned other) { return value(wave + other); };
        const Row& r = got[i];
        CHECK_EQ(r.indexed, at(lane * 5 % 64));
        CHECK_EQ(r.up, at(lane < 3 ? lane : lane - 3));
        CHECK_EQ(r.down, at(lane + 17 > 63 ? lane : lane + 17));
        CHECK_EQ(r.crossed, at(lane ^ 42));
        CHECK_EQ(r.narrow_up, at(lane % 16 < 1 ? lane : lane - 1));
        CHECK_EQ(r.narrow_down, at(lane % 8 + 2 > 7 ? lane : lane + 2));
        CHECK_EQ(r.narrow_crossed, at(lane ^ 5));
        CHECK_EQ(r.rotated, at((lane & ~3u) + (lane + 1) % 4));
        int sum = 0, scan = 0;
        for (unsigned k = 0; k < 64; k++) sum += at(k);
        long long wide_scan = 0;
        for (unsigned k = 0; k <= lane; k++) scan += at(k), wide_scan += (long long)at(k) << 30;
        CHECK_EQ(r.sum, sum);
        CHECK_EQ(r.scan, scan);
        CHECK(r.wide_scan == wide_scan);
        CHECK_EQ(r.wide, at(63 - lane) * 0.125);
    }
    return OK();
}
