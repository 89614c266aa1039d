// rocRAND's generators on the device: numbers of items do not depend on the launch; Pi by points in a square.
// libs: -lrocrand
#include "check.h"

#include <rocrand/rocrand_kernel.h>

template <class State>
__global__ void draw(unsigned* to, float* normals, unsigned n) {
    unsigned i = thread_index();
    if (i >= n) return;
    State state;
    rocrand_init(4711, i, 3, &state);
    to[i] = rocrand(&state);
    normals[i] = rocrand_normal(&state);
}
__global__ void points(unsigned* inside, unsigned each) {
    rocrand_state_philox4x32_10 state;
    rocrand_init(99, thread_index(), 0, &state);
    unsigned count = 0;
    for (unsigned k = 0; k < each; k++) {
        float x = rocrand_uniform(&state), y = rocrand_uniform(&state);
        count += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, count);
}
// The known answers of Philox 4x32-10 for a counter and key of zeros and of ones.
__global__ void known(uint4* to) {
    struct Open : rocrand_device::philox4x32_10_engine {
        __device__ uint4 numbers(uint4 counter, uint2 key) { return ten_rounds(counter, key); }
    } engine;
    to[0] = engine.numbers(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    to[1] = engine.numbers(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
}

template <class State>
static void test() {
    const unsigned n = 1000;
    Array<unsigned> a(n), b(n);
    Array<float> x(n), y(n);
    draw<State><<<groups(n, 64), 64>>>(a, x, n);
    draw<State><<<groups(n, 256), 256>>>(b, y, n);
    CHECK(a.read() == b.read());
    CHECK(x.read() == y.read());
    double sum = 0;
    for (float value : x.read()) sum += value;
    CHECK(std::fabs(sum / n) < 0.15);
}

int main() {
    test<rocrand_state_xorwow>();
    test<rocrand_state_mrg32k3a>();
    test<rocrand_state_philox4x32_10>();
    Array<uint4> answers(2);
    known<<<1, 1>>>(answers);
    auto got = answers.read();
    const unsigned zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const unsigned ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    CHECK(memcmp(&got[0], zeros, 16) == 0);
    CHECK(memcmp(&got[1], ones, 16) == 0);
    Array<unsigned> inside(1);
    inside.fill(0);
    const unsigned items = 2048, each = 50;
    points<<<items / 128, 128>>>(inside, each);
    double pi = 4.0 * inside.read()[0] / (items * each);
    CHECK(std::fabs(pi - 3.14159265) < 0.03);
    return OK();
}
