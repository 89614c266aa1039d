// Bodies that attract each other, by tiles of positions in LDS, over several steps. The host does the same sums.
// flags: -ffp-contract=off
#include "check.h"

constexpr unsigned TILE = 128;

__host__ __device__ inline float3 pull(float4 a, float4 b, float3 sum) {
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    float square = x * x + y * y + z * z + 0.01f;
    float inverse = 1.0f / sqrtf(square);
    float factor = b.w * inverse * inverse * inverse;
    return make_float3(sum.x + x * factor, sum.y + y * factor, sum.z + z * factor);
}
__host__ __device__ inline void move(float4& position, float4& velocity, float3 force) {
    velocity.x += force.x * 0.01f, velocity.y += force.y * 0.01f, velocity.z += force.z * 0.01f;
    position.x += velocity.x * 0.01f, position.y += velocity.y * 0.01f, position.z += velocity.z * 0.01f;
}
__global__ void step(const float4* from, float4* to, float4* velocities, unsigned n) {
    __shared__ float4 tile[TILE];
    unsigned i = thread_index();
    float4 mine = from[i];
    float3 force = make_float3(0, 0, 0);
    for (unsigned at = 0; at < n; at += TILE) {
        tile[threadIdx.x] = from[at + threadIdx.x];
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) force = pull(mine, tile[k], force);
        __syncthreads();
    }
    move(mine, velocities[i], force);
    to[i] = mine;
}

int main() {
    const unsigned n = 512, steps = 4;
    Random random;
    std::vector<float4> now(n), next(n), velocities(n, make_float4(0, 0, 0, 0));
    for (auto& body : now) body = make_float4(random.unit(), random.unit(), random.unit(), random.unit() + 0.5f);
    Array<float4> a(now), b(n), v(velocities);
    for (unsigned k = 0; k < steps; k++) {
        step<<<n / TILE, TILE>>>(k % 2 ? b : a, k % 2 ? a : b, v, n);
        for (unsigned i = 0; i < n; i++) {
            float3 force = make_float3(0, 0, 0);
            for (unsigned j = 0; j < n; j++) force = pull(now[i], now[j], force);
            next[i] = now[i];
            move(next[i], velocities[i], force);
        }
        now = next;
    }
    auto got = a.read();
    CHECK(memcmp(got.data(), now.data(), n * sizeof(float4)) == 0);
    auto speeds = v.read();
    CHECK(memcmp(speeds.data(), velocities.data(), n * sizeof(float4)) == 0);
    return OK();
}
