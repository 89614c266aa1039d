// Fills memory by bytes, halves, words, rows and boxes, at odd places and in streams.
#include "check.h"

int main() {
    const size_t n = 10'007;
    Array<unsigned char> bytes(n);
    HIP(hipMemset(bytes, 0xab, n));
    HIP(hipMemset(bytes + 13, 0x01, 5001));
    HIP(hipMemsetAsync(bytes + 9000, 0x7f, 1, nullptr));
    auto got = bytes.read();
    for (size_t i = 0; i < n; i++) CHECK_EQ(got[i], i == 9000 ? 0x7f : i >= 13 && i < 5014 ? 0x01 : 0xab);

    // (Fewer bytes than up to the next multiple of 8 are a huge fill in HIP 5.2.3.)
    HIP(hipMemsetD8(hipDeviceptr_t(bytes.data + 1), 0x21, 50));
    HIP(hipMemsetD16(hipDeviceptr_t(bytes.data + 100), 0x1234, 33));
    HIP(hipMemsetD32(hipDeviceptr_t(bytes.data + 400), int(0xdeadbeef), 77));
    got = bytes.read();
    CHECK_EQ(got[0], 0xab);
    for (size_t i = 1; i < 51; i++) CHECK_EQ(got[i], 0x21);
    CHECK_EQ(got[51], 0x01);
    for (size_t i = 100; i < 166; i++) CHECK_EQ(got[i], i % 2 ? 0x12 : 0x34);
    CHECK_EQ(got[166], 0x01);
    const unsigned char words[] = {0xef, 0xbe, 0xad, 0xde};
    for (size_t i = 400; i < 708; i++) CHECK_EQ(got[i], words[i % 4]);
    CHECK_EQ(got[708], 0x01);

    const size_t pitch = 256, width = 100, height = 30;
    Array<unsigned char> rows(pitch * height);
    rows.fill(0);
    HIP(hipMemset2D(rows + 3, pitch, 0x99, width, height));
    got = rows.read();
    for (size_t i = 0; i < got.size(); i++) CHECK_EQ(got[i], i % pitch >= 3 && i % pitch < 3 + width ? 0x99 : 0);

    hipPitchedPtr box;
    hipExtent extent = make_hipExtent(33, 7, 4);
    HIP(hipMalloc3D(&box, extent));
    HIP(hipMemset3D(box, 0xc3, extent));
    std::vector<unsigned char> back(33 * 7 * 4);
    HIP(hipMemcpy2D(back.data(), 33, box.ptr, box.pitch, 33, 7 * 4, hipMemcpyDeviceToHost));
    for (unsigned char byte : back) CHECK_EQ(byte, 0xc3);
    HIP(hipFree(box.ptr));
    return OK();
}
