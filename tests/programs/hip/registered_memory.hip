// Memory of the host's own heap and stack, registered for the device; copies from memory that is not.
#include "check.h"

__global__ void twice(int* data, unsigned n) {
    unsigned i = thread_index();
    if (i < n) data[i] *= 2;
}

int main() {
    const unsigned n = 30'000;
    std::vector<int> heap(n);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < n; i++) heap[i] = int(i);
        HIP(hipHostRegister(heap.data(), n * sizeof(int), round ? hipHostRegisterMapped : hipHostRegisterDefault));
        int* on_heap;
        HIP(hipHostGetDevicePointer((void**)&on_heap, heap.data(), 0));
        twice<<<groups(n, 256), 256>>>(on_heap, n);
        HIP(hipDeviceSynchronize());
        for (unsigned i = 0; i < n; i++) CHECK_EQ(heap[i], int(2 * i));
        HIP(hipHostUnregister(heap.data()));
    }
    int stack[100];
    for (int i = 0; i < 100; i++) stack[i] = i;
    HIP(hipHostRegister(stack, sizeof stack, hipHostRegisterMapped));
    int* on_stack;
    HIP(hipHostGetDevicePointer((void**)&on_stack, stack, 0));
    twice<<<1, 128>>>(on_stack, 100);
    HIP(hipDeviceSynchronize());
    HIP(hipHostUnregister(stack));
    for (int i = 0; i < 100; i++) CHECK_EQ(stack[i], 2 * i);
    REFUSED(hipHostUnregister(stack), hipErrorHostMemoryNotRegistered);

    // Large copies of memory that is not registered are pinned by the runtime, or staged.
    std::vector<int> large(3'000'000), back(large.size());
    for (size_t i = 0; i < large.size(); i++) large[i] = int(i * 2654435761u);
    Array<int> device(large);
    HIP(hipMemcpy(back.data(), device, large.size() * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(back == large);
    HIP(hipMemcpy(back.data() + 1, device + 3, 1'000'001 * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(memcmp(back.data() + 1, large.data() + 3, 1'000'001 * sizeof(int)) == 0);
    return OK();
}
