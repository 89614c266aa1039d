// Managed memory: host and device use the same pointers, a list of nodes among them; __managed__ variables.
#include "check.h"

__managed__ int counter = 40;
__managed__ float weights[64];

struct Node {
    int value;
    Node* next;
};

__global__ void walk(Node* head) {
    for (Node* node = head; node; node = node->next) node->value *= 2;
    counter += 2;
}
__global__ void weigh() { weights[threadIdx.x] = weights[threadIdx.x] * 2 + 1; }

int main() {
    int has = 0;
    HIP(hipDeviceGetAttribute(&has, hipDeviceAttributeManagedMemory, 0));
    fprintf(stderr, "managed memory: %d\n", has);
    Node* nodes;
    const int n = 100;
    HIP(hipMallocManaged(&nodes, n * sizeof(Node)));
    for (int i = 0; i < n; i++) nodes[i] = {i, i + 1 < n ? &nodes[(i * 37 + 37) % n] : nullptr};
    // A list through all nodes: 0, 37, 74, 11, ..
    int at = 0;
    for (int i = 0; i < n - 1; i++) {
        int next = (at + 37) % n;
        nodes[at].next = &nodes[next];
        at = next;
    }
    nodes[at].next = nullptr;
    (void)hipMemAdvise(nodes, n * sizeof(Node), hipMemAdviseSetPreferredLocation, 0);
    (void)hipMemPrefetchAsync(nodes, n * sizeof(Node), 0, nullptr);
    (void)hipGetLastError();
    walk<<<1, 1>>>(nodes);
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < n; i++) CHECK_EQ(nodes[i].value, 2 * i);
    CHECK_EQ(counter, 42);
    for (int i = 0; i < 64; i++) weights[i] = float(i);
    weigh<<<1, 64>>>();
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < 64; i++) CHECK_EQ(weights[i], float(2 * i + 1));
    HIP(hipFree(nodes));
    return OK();
}
