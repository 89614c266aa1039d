// More memory than the device has: an error, not an end; what is freed can be had again.
#include "check.h"

__global__ void touch(char* data, size_t at) { data[at] = char(data[at] + 1); }

int main() {
    void* pointer = nullptr;
    REFUSED(hipMalloc(&pointer, size_t(1) << 45), hipErrorOutOfMemory);
    size_t unused, total;
    HIP(hipMemGetInfo(&unused, &total));
    REFUSED(hipMalloc(&pointer, total + (size_t(1) << 30)), hipErrorOutOfMemory);
    for (int round = 0; round < 3; round++) {
        const size_t block = size_t(1) << 30;
        std::vector<char*> blocks;
        char* data;
        hipError_t error;
        while ((error = hipMalloc((void**)&data, block)) == hipSuccess) {
            blocks.push_back(data);
            CHECK(blocks.size() <= total / block);
        }
        CHECK_EQ(error, hipErrorOutOfMemory);
        (void)hipGetLastError();
        CHECK(blocks.size() >= 1);
        // The last byte of each works.
        for (char* one : blocks) touch<<<1, 1>>>(one, block - 1);
        HIP(hipDeviceSynchronize());
        for (char* one : blocks) HIP(hipFree(one));
    }
    return OK();
}
