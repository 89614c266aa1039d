// A small program of HIP whose log is replayed: a vector add, a sum by LDS and atomics, two streams with an event
// between them. It compares its results with those of the host.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void sum(const float* a, int n, unsigned* total) {
    __shared__ unsigned partial[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? (unsigned)a[i] : 0;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}

#define MUST(call) do { if ((call) != hipSuccess) { printf("%s failed\n", #call); return 2; } } while (0)

int main() {
    const int n = 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) a[i] = i, b[i] = 3 * i;
    float *x, *y, *z;
    unsigned *total, result = 0;
    MUST(hipMalloc(&x, n * 4));
    MUST(hipMalloc(&y, n * 4));
    MUST(hipMalloc(&z, n * 4));
    MUST(hipMalloc(&total, 4));
    hipStream_t first, second;
    hipEvent_t done;
    MUST(hipStreamCreate(&first));
    MUST(hipStreamCreate(&second));
    MUST(hipEventCreate(&done));
    MUST(hipMemcpy(x, a.data(), n * 4, hipMemcpyHostToDevice));
    MUST(hipMemcpy(y, b.data(), n * 4, hipMemcpyHostToDevice));
    MUST(hipMemset(total, 0, 4));
    MUST(hipDeviceSynchronize());
    add<<<(n + 127) / 128, 128, 0, first>>>(x, y, z, n);
    MUST(hipEventRecord(done, first));
    MUST(hipStreamWaitEvent(second, done, 0));
    sum<<<(n + 127) / 128, 128, 0, second>>>(z, n, total);
    MUST(hipDeviceSynchronize());
    MUST(hipMemcpy(c.data(), z, n * 4, hipMemcpyDeviceToHost));
    MUST(hipMemcpy(&result, total, 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (c[i] != 4 * i) return printf("%d: %g\n", i, c[i]), 1;
    if (result != 4 * (n - 1) * n / 2) return printf("sum %u\n", result), 1;
    puts("ok");
}
