// Compiles a kernel while the program runs (hipRTC), for the chip that is there, and launches it; errors have a log.
#include "check.h"

#include <hip/hiprtc.h>

#include <string>

static const char* source = R"(
template <typename T> __device__ T power(T x, int n) { T y = 1; for (int i = 0; i < n; i++) y *= x; return y; }
extern "C" __global__ void powers(const float* from, float* to, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = power(from[i], n) * FACTOR;
}
)";

static std::string compile(const char* text, const char* architecture, hiprtcResult* result) {
    hiprtcProgram program;
    CHECK_EQ(hiprtcCreateProgram(&program, text, "powers.hip", 0, nullptr, nullptr), HIPRTC_SUCCESS);
    std::string offload = std::string("--gpu-architecture=") + architecture;
    const char* options[] = {offload.c_str(), "-DFACTOR=2.0f"};
    *result = hiprtcCompileProgram(program, 2, options);
    std::string out;
    size_t size = 0;
    if (*result == HIPRTC_SUCCESS) {
        CHECK_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
        out.resize(size);
        CHECK_EQ(hiprtcGetCode(program, out.data()), HIPRTC_SUCCESS);
    } else {
        CHECK_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
        out.resize(size);
        CHECK_EQ(hiprtcGetProgramLog(program, out.data()), HIPRTC_SUCCESS);
    }
    CHECK_EQ(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
    return out;
}

int main() {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    hiprtcResult result;
    std::string log = compile("__global__ void broken() { undeclared = 1; }", properties.gcnArchName, &result);
    CHECK_EQ(result, HIPRTC_ERROR_COMPILATION);
    CHECK(log.find("undeclared") != std::string::npos);
    std::string code = compile(source, properties.gcnArchName, &result);
    CHECK_EQ(result, HIPRTC_SUCCESS);

    hipModule_t module;
    hipFunction_t function;
    HIP(hipModuleLoadData(&module, code.data()));
    HIP(hipModuleGetFunction(&function, module, "powers"));
    const int n = 1000;
    std::vector<float> from(n);
    for (int i = 0; i < n; i++) from[i] = float(i % 37) - 18;
    Array<float> x(from), y(n);
    struct {
        const float* from;
        float* to;
        int n, count;
    } arguments = {x, y, 3, n};
    size_t size = sizeof arguments;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    HIP(hipModuleLaunchKernel(function, groups(n, 64), 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
    auto got = y.read();
    for (int i = 0; i < n; i++) CHECK_EQ(got[i], from[i] * from[i] * from[i] * 2);
    HIP(hipModuleUnload(module));
    return OK();
}
