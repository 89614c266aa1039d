// Loads a code object from a file and from memory (hipModule), launches by parameters, reads and writes its globals.
// module: modules_device.cpp
#include "check.h"

#include <fstream>
#include <iterator>

static void run(hipModule_t module, int step) {
    hipFunction_t scale, total;
    HIP(hipModuleGetFunction(&scale, module, "scale"));
    HIP(hipModuleGetFunction(&total, module, "total"));
    REFUSED(hipModuleGetFunction(&total, module, "nothing of this name"), hipErrorNotFound);
    HIP(hipModuleGetFunction(&total, module, "total"));
    hipDeviceptr_t factor;
    size_t bytes;
    HIP(hipModuleGetGlobal(&factor, &bytes, module, "factor"));
    CHECK_EQ(bytes, sizeof(int));
    int value = 0;
    HIP(hipMemcpyDtoH(&value, factor, sizeof value));
    CHECK_EQ(value, 3);
    value = 5 + step;
    HIP(hipMemcpyHtoD(factor, &value, sizeof value));

    const int n = 700;
    std::vector<int> from(n);
    for (int i = 0; i < n; i++) from[i] = i * i;
    Array<int> data(from), sum(1);
    sum.fill(0);
    int* pointer = data;
    int* to = sum;
    int count = n;
    short addend = -9;
    void* parameters[] = {&pointer, &count, &addend};
    HIP(hipModuleLaunchKernel(scale, groups(n, 128), 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
    void* of_total[] = {&pointer, &to, &count};
    HIP(hipModuleLaunchKernel(total, groups(n, 128), 1, 1, 128, 1, 1, 128 * sizeof(int), nullptr, of_total, nullptr));
    auto got = data.read();
    int expected = 0;
    for (int i = 0; i < n; i++) {
        CHECK_EQ(got[i], i * i * (5 + step) - 9);
        expected += got[i];
    }
    CHECK_EQ(sum.read()[0], expected);
}

int main(int argc, char** argv) {
    CHECK_EQ(argc, 2);
    hipModule_t from_file, from_memory;
    HIP(hipModuleLoad(&from_file, argv[1]));
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    HIP(hipModuleLoadData(&from_memory, bytes.data()));
    run(from_file, 0);
    run(from_memory, 1);
    HIP(hipModuleUnload(from_file));
    HIP(hipModuleUnload(from_memory));
    return OK();
}
