// Copies and kernels on four streams, each with a part of the arrays. Memory of the host is pinned.
#include "check.h"

__global__ void saxpy(float factor, const float* x, float* y, unsigned n) {
    for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) y[i] = fmaf(factor, x[i], y[i]);
}

int main() {
    const unsigned streams = 4, part = 20'000, n = streams * part;
    float *x, *y;
    HIP(hipHostMalloc(&x, n * sizeof(float)));
    HIP(hipHostMalloc(&y, n * sizeof(float)));
    for (unsigned i = 0; i < n; i++) x[i] = float(i % 1000), y[i] = float(i / 1000);
    Array<float> on_x(n), on_y(n);
    hipStream_t stream[streams];
    for (unsigned s = 0; s < streams; s++) {
        HIP(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
        unsigned at = s * part;
        HIP(hipMemcpyAsync(on_x + at, x + at, part * sizeof(float), hipMemcpyHostToDevice, stream[s]));
        HIP(hipMemcpyAsync(on_y + at, y + at, part * sizeof(float), hipMemcpyHostToDevice, stream[s]));
        for (unsigned round = 1; round <= 3; round++)
            saxpy<<<8, 128, 0, stream[s]>>>(float(s + round), on_x + at, on_y + at, part);
        HIP(hipMemcpyAsync(y + at, on_y + at, part * sizeof(float), hipMemcpyDeviceToHost, stream[s]));
    }
    for (unsigned s = 0; s < streams; s++) {
        HIP(hipStreamSynchronize(stream[s]));
        HIP(hipStreamDestroy(stream[s]));
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned s = i / part;
        CHECK_EQ(y[i], float(i / 1000) + float(3 * s + 6) * float(i % 1000));
    }
    HIP(hipHostFree(x));
    HIP(hipHostFree(y));
    return OK();
}
