// rocPRIM's sorts: radix of keys, of pairs, downwards and of some bits; merges; segments.
#include "check.h"

#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

// Calls a function of rocPRIM: once for the size of its memory, and once with it.
template <class F>
static void with_storage(F call) {
    size_t bytes = 0;
    HIP(call(nullptr, bytes));
    Array<char> storage(std::max(bytes, size_t(1)));
    HIP(call(storage.data, bytes));
}

int main() {
    const size_t n = 30'000;
    Random random;
    std::vector<unsigned> keys(n), places(n);
    std::vector<float> floats(n);
    for (auto& key : keys) key = random.next() >> random.below(16);
    for (auto& value : floats) value = (random.unit() - 0.5f) * 1e6f;
    std::iota(places.begin(), places.end(), 0);
    Array<unsigned> a(keys), b(n), c(places), d(n);
    Array<float> x(floats), y(n);

    with_storage([&](void* s, size_t& bytes) {
        return rocprim::radix_sort_keys(s, bytes, a.data, b.data, n);
    });
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    CHECK(b.read() == expected);

    with_storage([&](void* s, size_t& bytes) {
        return rocprim::radix_sort_pairs(s, bytes, a.data, b.data, c.data, d.data, n, 4, 20);
    });
    auto order = places;
    auto bits = [&](unsigned place) { return keys[place] >> 4 & 0xffff; };
    std::stable_sort(order.begin(), order.end(), [&](unsigned p, unsigned q) { return bits(p) < bits(q); });
    CHECK(d.read() == order);

    with_storage([&](void* s, size_t& bytes) {
        return rocprim::radix_sort_keys_desc(s, bytes, x.data, y.data, n);
    });
    auto down = floats;
    std::sort(down.begin(), down.end(), std::greater<float>());
    CHECK(y.read() == down);

    with_storage([&](void* s, size_t& bytes) {
        return rocprim::merge_sort(s, bytes, x.data, y.data, n);
    });
    std::reverse(down.begin(), down.end());
    CHECK(y.read() == down);
    return OK();
}
