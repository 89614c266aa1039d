// rocPRIM's sums, scans, selections, runs and histograms of a device.
#include "check.h"

#include <algorithm>
#include <rocprim/rocprim.hpp>

template <class F>
static void with_storage(F call) {
    size_t bytes = 0;
    HIP(call(nullptr, bytes));
    Array<char> storage(std::max(bytes, size_t(1)));
    HIP(call(storage.data, bytes));
}

int main() {
    const size_t n = 40'000;
    Random random;
    std::vector<int> values(n);
    for (auto& value : values) value = int(random.below(8)) - 3;
    Array<int> x(values), y(n), one(1);
    Array<unsigned> count(1), lengths(n);

    with_storage([&](void* s, size_t& b) {
        return rocprim::reduce(s, b, x.data, one.data, 100, n, rocprim::plus<int>());
    });
    int sum = 100, most = INT32_MIN;
    for (int value : values) sum += value, most = std::max(most, value);
    CHECK_EQ(one.read()[0], sum);
    with_storage([&](void* s, size_t& b) {
        return rocprim::reduce(s, b, x.data, one.data, n, rocprim::maximum<int>());
    });
    CHECK_EQ(one.read()[0], most);

    with_storage([&](void* s, size_t& b) {
        return rocprim::inclusive_scan(s, b, x.data, y.data, n, rocprim::plus<int>());
    });
    auto scanned = y.read();
    sum = 0;
    for (size_t i = 0; i < n; i++) CHECK_EQ(scanned[i], sum += values[i]);
    with_storage([&](void* s, size_t& b) {
        return rocprim::exclusive_scan(s, b, x.data, y.data, 7, n, rocprim::plus<int>());
    });
    scanned = y.read();
    sum = 7;
    for (size_t i = 0; i < n; i++) {
        CHECK_EQ(scanned[i], sum);
        sum += values[i];
    }

    auto positive = [] __device__ __host__(int value) { return value > 0; };
    with_storage([&](void* s, size_t& b) {
        return rocprim::select(s, b, x.data, y.data, count.data, n, positive);
    });
    std::vector<int> expected;
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), positive);
    CHECK_EQ(count.read()[0], unsigned(expected.size()));
    auto selected = y.read();
    selected.resize(expected.size());
    CHECK(selected == expected);

    with_storage([&](void* s, size_t& b) {
        return rocprim::run_length_encode(s, b, x.data, n, y.data, lengths.data, count.data);
    });
    expected.clear();
    std::vector<unsigned> runs;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || values[i] != values[i - 1]) expected.push_back(values[i]), runs.push_back(0);
        runs.back()++;
    }
    CHECK_EQ(count.read()[0], unsigned(runs.size()));
    auto got = lengths.read();
    got.resize(runs.size());
    CHECK(got == runs);

    Array<unsigned> bins(8);
    with_storage([&](void* s, size_t& b) {
        return rocprim::histogram_even(s, b, x.data, unsigned(n), bins.data, 9, -3, 5);
    });
    std::vector<unsigned> counted(8);
    for (int value : values) counted[size_t(value + 3)]++;
    CHECK(bins.read() == counted);
    return OK();
}
