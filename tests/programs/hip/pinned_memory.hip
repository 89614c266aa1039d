// Memory of the host that the device reads and writes in place: pinned, mapped, write-combined, coherent and not.
#include "check.h"

__global__ void add_one(const int* from, int* to, unsigned n) {
    unsigned i = thread_index();
    if (i < n) to[i] = from[i] + 1;
}

int main() {
    const unsigned n = 10'000;
    const unsigned flags[] = {hipHostMallocDefault, hipHostMallocMapped, hipHostMallocPortable,
                              hipHostMallocCoherent, hipHostMallocNonCoherent, hipHostMallocWriteCombined};
    for (unsigned flag : flags) {
        int *from, *to, *on_from, *on_to;
        HIP(hipHostMalloc(&from, n * sizeof(int), flag));
        HIP(hipHostMalloc(&to, n * sizeof(int), hipHostMallocMapped));
        HIP(hipHostGetDevicePointer((void**)&on_from, from, 0));
        HIP(hipHostGetDevicePointer((void**)&on_to, to, 0));
        for (unsigned i = 0; i < n; i++) from[i] = int(i * 3), to[i] = -1;
        for (int round = 0; round < 3; round++) {
            add_one<<<groups(n, 256), 256>>>(on_from, on_to, n);
            HIP(hipDeviceSynchronize());
            for (unsigned i = 0; i < n; i++) CHECK_EQ(to[i], int(i * 3) + 1 + round);
            for (unsigned i = 0; i < n; i++) from[i]++;
        }
        hipPointerAttribute_t attributes;
        HIP(hipPointerGetAttributes(&attributes, to + 5));
        CHECK_EQ(attributes.memoryType, hipMemoryTypeHost);
        unsigned got = 0;
        HIP(hipHostGetFlags(&got, from));
        HIP(hipHostFree(from));
        HIP(hipHostFree(to));
    }
    return OK();
}
