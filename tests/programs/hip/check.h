// What the programs share: calls that must succeed, checks, memory of the device, numbers that look random.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// A call of HIP that must succeed.
#define HIP(call)                                                                                         \
    do {                                                                                                  \
        hipError_t error_ = (call);                                                                       \
        if (error_ != hipSuccess) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_));       \
            exit(1);                                                                                      \
        }                                                                                                 \
    } while (0)

// A call of HIP that must fail with an error.
#define REFUSED(call, expected)                                                                           \
    do {                                                                                                  \
        hipError_t error_ = (call);                                                                       \
        if (error_ != (expected)) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_));       \
            exit(1);                                                                                      \
        }                                                                                                 \
        (void)hipGetLastError();                                                                          \
    } while (0)

#define CHECK(condition)                                                                                  \
    do {                                                                                                  \
        if (!(condition)) {                                                                               \
            fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);                      \
            exit(1);                                                                                      \
        }                                                                                                 \
    } while (0)

#define CHECK_EQ(got, expected)                                                                           \
    do {                                                                                                  \
        auto got_ = (got);                                                                                \
        decltype(got_) expected_ = (expected);                                                            \
        if (!(got_ == expected_)) {                                                                       \
            fprintf(stderr, "%s:%d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, #got, double(got_),    \
                    double(expected_));                                                                   \
            exit(1);                                                                                      \
        }                                                                                                 \
    } while (0)

// The same numbers on every host (xorshift64*).
struct Random {
    uint64_t state = 0x9e3779b97f4a7c15;

    uint64_t next64() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545f4914f6cdd1d;
    }
    uint32_t next() { return uint32_t(next64() >> 32); }
    uint32_t below(uint32_t limit) { return uint32_t(uint64_t(next()) * limit >> 32); }
    // In [0, 1), a multiple of 2^-24.
    float unit() { return float(next() >> 8) * 0x1p-24f; }
};

// An array in memory of the device.
template <class T>
struct Array {
    T* data = nullptr;
    size_t count;

    explicit Array(size_t count) : count(count) { HIP(hipMalloc(&data, count * sizeof(T))); }
    explicit Array(const std::vector<T>& from) : Array(from.size()) {
        HIP(hipMemcpy(data, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    Array(const Array&) = delete;
    ~Array() { (void)hipFree(data); }

    // Waits for the device.
    std::vector<T> read() const {
        std::vector<T> to(count);
        HIP(hipMemcpy(to.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return to;
    }
    void fill(int byte) { HIP(hipMemset(data, byte, count * sizeof(T))); }
    operator T*() const { return data; }
};

inline unsigned groups(size_t items, unsigned group) { return unsigned((items + group - 1) / group); }

__device__ inline unsigned thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The last line of a program that has found everything right.
inline int ok(const char* file) {
    HIP(hipDeviceSynchronize());
    HIP(hipGetLastError());
    const char* name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    printf("ok %.*s\n", int(strcspn(name, ".")), name);
    return 0;
}
#define OK() ok(__FILE__)
