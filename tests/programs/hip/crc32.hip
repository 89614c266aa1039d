// CRC-32 of blocks with a table in constant memory that the device makes itself, against a bitwise one on the host.
#include "check.h"

__constant__ uint32_t table[256];

__global__ void make_table(uint32_t* to) {
    uint32_t crc = threadIdx.x;
    for (int i = 0; i < 8; i++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    to[threadIdx.x] = crc;
}
__global__ void crc(const uint8_t* data, unsigned length, uint32_t* to) {
    const uint8_t* at = data + size_t(thread_index()) * length;
    uint32_t value = ~0u;
    for (unsigned i = 0; i < length; i++) value = value >> 8 ^ table[(value ^ at[i]) & 255];
    to[thread_index()] = ~value;
}

static uint32_t bitwise(const uint8_t* at, unsigned length) {
    uint32_t value = ~0u;
    for (unsigned i = 0; i < length; i++) {
        value ^= at[i];
        for (int k = 0; k < 8; k++) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
    }
    return ~value;
}

int main() {
    CHECK_EQ(bitwise(reinterpret_cast<const uint8_t*>("123456789"), 9), 0xcbf43926u);
    Array<uint32_t> made(256);
    make_table<<<1, 256>>>(made);
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), made, 1024, 0, hipMemcpyDeviceToDevice));
    const unsigned n = 512, length = 133;
    Random random;
    std::vector<uint8_t> data(n * length);
    for (auto& byte : data) byte = uint8_t(random.next());
    Array<uint8_t> on_device(data);
    Array<uint32_t> to(n);
    crc<<<n / 128, 128>>>(on_device, length, to);
    auto got = to.read();
    for (unsigned i = 0; i < n; i++) CHECK_EQ(got[i], bitwise(&data[i * length], length));
    return OK();
}
