// Graphs: captured from streams that fork and join, and built of nodes; launched again and again, with other arguments.
#include "check.h"

__global__ void advance(int* data, int factor, int addend) {
    data[thread_index()] = data[thread_index()] * factor + addend;
}
__global__ void sum(const int* a, const int* b, int* to) { to[thread_index()] = a[thread_index()] + b[thread_index()]; }

int main() {
    const unsigned n = 512;
    Array<int> a(n), b(n), c(n);
    std::vector<int> host(n), zeros(n);
    hipStream_t stream, side;
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamCreate(&side));
    hipEvent_t forked, joined;
    HIP(hipEventCreateWithFlags(&forked, hipEventDisableTiming));
    HIP(hipEventCreateWithFlags(&joined, hipEventDisableTiming));

    hipGraph_t graph;
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP(hipEventRecord(forked, stream));
    HIP(hipStreamWaitEvent(side, forked, 0));
    advance<<<n / 64, 64, 0, stream>>>(a, 2, 1);
    advance<<<n / 64, 64, 0, side>>>(b, 3, 2);
    HIP(hipEventRecord(joined, side));
    HIP(hipStreamWaitEvent(stream, joined, 0));
    sum<<<n / 64, 64, 0, stream>>>(a, b, c);
    HIP(hipMemcpyAsync(host.data(), c, n * sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP(hipStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    HIP(hipGraphGetNodes(graph, nullptr, &nodes));
    CHECK_EQ(nodes, size_t(4));
    hipGraphExec_t ready;
    HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    a.fill(0);
    b.fill(0);
    int x = 0, y = 0;
    for (int round = 0; round < 5; round++) {
        HIP(hipGraphLaunch(ready, stream));
        HIP(hipStreamSynchronize(stream));
        x = x * 2 + 1, y = y * 3 + 2;
        for (int value : host) CHECK_EQ(value, x + y);
    }
    HIP(hipGraphExecDestroy(ready));
    HIP(hipGraphDestroy(graph));

    // By hand: set, two kernels one after the other, copy.
    HIP(hipGraphCreate(&graph, 0));
    hipMemsetParams set = {};
    set.dst = a.data, set.elementSize = 4, set.width = n, set.height = 1, set.value = 5;
    hipGraphNode_t set_node, kernel_node, second_node, copy_node;
    HIP(hipGraphAddMemsetNode(&set_node, graph, nullptr, 0, &set));
    int* data = a;
    int factor = 10, addend = -1;
    void* arguments[] = {&data, &factor, &addend};
    hipKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(advance);
    kernel.gridDim = dim3(n / 64), kernel.blockDim = dim3(64), kernel.kernelParams = arguments;
    HIP(hipGraphAddKernelNode(&kernel_node, graph, &set_node, 1, &kernel));
    HIP(hipGraphAddKernelNode(&second_node, graph, &kernel_node, 1, &kernel));
    HIP(hipGraphAddMemcpyNode1D(&copy_node, graph, &second_node, 1, host.data(), a, n * sizeof(int),
                                hipMemcpyDeviceToHost));
    HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    HIP(hipGraphLaunch(ready, stream));
    HIP(hipStreamSynchronize(stream));
    for (int value : host) CHECK_EQ(value, 489);
    factor = 7;
    HIP(hipGraphExecKernelNodeSetParams(ready, second_node, &kernel));
    HIP(hipGraphLaunch(ready, stream));
    HIP(hipStreamSynchronize(stream));
    for (int value : host) CHECK_EQ(value, 342);
    HIP(hipGraphExecDestroy(ready));
    HIP(hipGraphDestroy(graph));
    HIP(hipStreamDestroy(stream));
    HIP(hipStreamDestroy(side));
    return OK();
}
