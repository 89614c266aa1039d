// malloc and free on the device. The runtime gives the kernel more memory while it runs.
#include "check.h"

struct Node {
    unsigned value;
    Node* next;
};

__global__ void make(Node** lists, unsigned* failed) {
    unsigned i = thread_index();
    Node* head = nullptr;
    for (unsigned k = 0; k <= i % 5; k++) {
        Node* node = static_cast<Node*>(malloc(sizeof(Node) + 16 * (i % 3)));
        if (!node) {
            atomicAdd(failed, 1u);
            continue;
        }
        *node = {i * 10 + k, head};
        head = node;
    }
    lists[i] = head;
}
__global__ void take(Node** lists, unsigned* sums) {
    unsigned i = thread_index(), sum = 0;
    for (Node* node = lists[i]; node;) {
        Node* next = node->next;
        sum += node->value;
        free(node);
        node = next;
    }
    sums[i] = sum;
}

int main() {
    const unsigned n = 512;
    Array<Node*> lists(n);
    Array<unsigned> sums(n), failed(1);
    failed.fill(0);
    for (int round = 0; round < 2; round++) {
        make<<<n / 128, 128>>>(lists, failed);
        take<<<n / 128, 128>>>(lists, sums);
        CHECK_EQ(failed.read()[0], 0u);
        auto got = sums.read();
        for (unsigned i = 0; i < n; i++) {
            unsigned expected = 0;
            for (unsigned k = 0; k <= i % 5; k++) expected += i * 10 + k;
            CHECK_EQ(got[i], expected);
        }
    }
    return OK();
}
