// Calls that must fail do so with the right error, and the device works on after each of them.
#include "check.h"

__global__ void one(int* to) { *to = 1; }
__global__ __launch_bounds__(64) void narrow(int* to) { to[threadIdx.x] = 1; }

int main() {
    Array<int> to(64);
    void* pointer = nullptr;
    hipModule_t module;
    hipEvent_t event;
    float time;
    int can = -1;
    REFUSED(hipSetDevice(1), hipErrorInvalidDevice);
    REFUSED(hipSetDevice(-1), hipErrorInvalidDevice);
    REFUSED(hipMalloc(nullptr, 16), hipErrorInvalidValue);
    HIP(hipMalloc(&pointer, 0));
    REFUSED(hipFree(reinterpret_cast<void*>(0x1234567)), hipErrorInvalidValue);
    HIP(hipFree(nullptr));
    REFUSED(hipMemcpy(nullptr, to, 16, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    REFUSED(hipModuleLoad(&module, "/no/such/file"), hipErrorFileNotFound);
    REFUSED(hipModuleLoadData(&module, nullptr), hipErrorInvalidValue);
    HIP(hipDeviceCanAccessPeer(&can, 0, 0));
    CHECK_EQ(can, 0);
    CHECK(hipDeviceEnablePeerAccess(0, 0) != hipSuccess);
    CHECK(hipDeviceEnablePeerAccess(3, 0) != hipSuccess);
    (void)hipGetLastError();
    HIP(hipEventCreate(&event));
    CHECK(hipEventElapsedTime(&time, event, event) != hipSuccess);
    HIP(hipEventDestroy(event));
    (void)hipGetLastError();
    // Groups that are too large, grids without items.
    one<<<1, 2048>>>(to);
    CHECK(hipGetLastError() != hipSuccess);
    narrow<<<1, 128>>>(to);
    CHECK(hipGetLastError() != hipSuccess);
    one<<<0, 64>>>(to);
    CHECK(hipGetLastError() != hipSuccess);
    CHECK_EQ(hipGetLastError(), hipSuccess);
    // And it works.
    to.fill(0);
    one<<<1, 1>>>(to);
    CHECK_EQ(to.read()[0], 1);
    HIP(hipDeviceReset());
    CHECK(strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0);
    puts("ok errors");
    return 0;
}
