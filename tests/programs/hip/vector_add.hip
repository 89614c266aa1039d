// Adds two vectors; the last group is partial.
#include "check.h"

__global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = thread_index();
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const unsigned n = 100'003;
    Random random;
    std::vector<float> a(n), b(n);
    for (unsigned i = 0; i < n; i++) a[i] = random.unit(), b[i] = random.unit();
    Array<float> x(a), y(b), z(n);
    add<<<groups(n, 256), 256>>>(x, y, z, n);
    HIP(hipGetLastError());
    std::vector<float> c = z.read();
    for (unsigned i = 0; i < n; i++) CHECK_EQ(c[i], a[i] + b[i]);
    return OK();
}
