// Copies of boxes between host and device (hipMemcpy2D, hipMemcpy3D), within the device, of odd sizes and places.
#include "check.h"

static unsigned char byte(size_t i) { return (unsigned char)(i * 2654435761u >> 11); }

static void two() {
    const size_t width = 117, height = 40, pitch_host = 130;
    std::vector<unsigned char> host(pitch_host * height), back(host.size(), 0xee);
    for (size_t i = 0; i < host.size(); i++) host[i] = byte(i);
    unsigned char *a, *b;
    size_t pitch;
    HIP(hipMallocPitch((void**)&a, &pitch, width, height));
    HIP(hipMallocPitch((void**)&b, &pitch, width, height));
    HIP(hipMemset2D(b, pitch, 0x55, width, height));
    HIP(hipMemcpy2D(a, pitch, host.data(), pitch_host, width, height, hipMemcpyHostToDevice));
    // A box of 50 by 20 to another place.
    HIP(hipMemcpy2D(b + 7 * pitch + 3, pitch, a + 5 * pitch + 11, pitch, 50, 20, hipMemcpyDeviceToDevice));
    HIP(hipMemcpy2DAsync(back.data(), pitch_host, b, pitch, width, height, hipMemcpyDeviceToHost, nullptr));
    HIP(hipStreamSynchronize(nullptr));
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < pitch_host; x++) {
            bool inside = x >= 3 && x < 53 && y >= 7 && y < 27;
            unsigned char expected = x >= width ? 0xee : inside ? host[(y - 2) * pitch_host + x + 8] : 0x55;
            CHECK_EQ(back[y * pitch_host + x], expected);
        }
    HIP(hipFree(a));
    HIP(hipFree(b));
}
static void three() {
    const size_t width = 20, height = 9, depth = 5;
    std::vector<float> host(width * height * depth), back(host.size(), -1.0f);
    for (size_t i = 0; i < host.size(); i++) host[i] = float(i);
    hipExtent extent = make_hipExtent(width * sizeof(float), height, depth);
    hipPitchedPtr a;
    HIP(hipMalloc3D(&a, extent));
    HIP(hipMemset3D(a, 0, extent));
    hipMemcpy3DParms in = {};
    in.srcPtr = make_hipPitchedPtr(host.data(), width * sizeof(float), width, height);
    in.dstPtr = a;
    in.dstPos = make_hipPos(4 * sizeof(float), 2, 1);
    in.extent = make_hipExtent(7 * sizeof(float), 5, 3);
    in.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&in));
    hipMemcpy3DParms out = {};
    out.srcPtr = a;
    out.dstPtr = make_hipPitchedPtr(back.data(), width * sizeof(float), width, height);
    out.extent = extent;
    out.kind = hipMemcpyDeviceToHost;
    HIP(hipMemcpy3D(&out));
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                bool inside = x >= 4 && x < 11 && y >= 2 && y < 7 && z >= 1 && z < 4;
                float expected = inside ? host[((z - 1) * height + y - 2) * width + x - 4] : 0;
                CHECK_EQ(back[(z * height + y) * width + x], expected);
            }
    HIP(hipFree(a.ptr));
}
static void one() {
    for (size_t size : {1u, 3u, 4u, 63u, 4097u, 70'001u, 1'200'007u}) {
        std::vector<unsigned char> host(size + 9), back(size + 9, 0x77);
        for (size_t i = 0; i < host.size(); i++) host[i] = byte(i + size);
        Array<unsigned char> a(size + 9), b(size + 9);
        a.fill(0x11);
        HIP(hipMemcpy(a + 5, host.data() + 1, size, hipMemcpyHostToDevice));
        HIP(hipMemcpy(b + 2, a + 5, size, hipMemcpyDeviceToDevice));
        HIP(hipMemcpy(back.data() + 3, b + 2, size, hipMemcpyDefault));
        CHECK(memcmp(back.data() + 3, host.data() + 1, size) == 0);
        CHECK_EQ(back[2], 0x77);
        CHECK_EQ(back[size + 3], 0x77);
        CHECK_EQ(a.read()[4], 0x11);
    }
}

int main() {
    two();
    three();
    one();
    return OK();
}
