// Textures: linear memory and arrays, points and bilinear filters, clamped edges.
#include "check.h"

__global__ void fetch_linear(hipTextureObject_t texture, int* to) {
    to[thread_index()] = tex1Dfetch<int>(texture, int(thread_index()));
}
__global__ void sample(hipTextureObject_t texture, float* to, int width, float scale, float shift) {
    int x = int(threadIdx.x), y = int(blockIdx.x);
    to[y * int(blockDim.x) + x] = tex2D<float>(texture, float(x) * scale + shift, float(y) * scale + shift);
}

static void linear_memory() {
    std::vector<int> values(1000);
    for (int i = 0; i < 1000; i++) values[i] = i * i - 7;
    Array<int> linear(values), fetched(1000);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = linear.data;
    resource.res.linear.desc = hipCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 4000;
    hipTextureDesc description = {};
    description.readMode = hipReadModeElementType;
    hipTextureObject_t texture;
    HIP(hipCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch_linear<<<10, 100>>>(texture, fetched);
    CHECK(fetched.read() == values);
    HIP(hipDestroyTextureObject(texture));
}

int main() {
    int has = 0;
    HIP(hipDeviceGetAttribute(&has, hipDeviceAttributeImageSupport, 0));
    CHECK_EQ(has, 1);
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    // Before gfx9, ROCr 5.2.3 finds no room for images without a height, and Debian's build stops there.
    if (strncmp(properties.gcnArchName, "gfx9", 4) == 0) linear_memory();

    const int width = 32, height = 24;
    std::vector<float> picture(width * height);
    for (int i = 0; i < width * height; i++) picture[i] = float(i * 37 % 64);
    hipArray* array;
    hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
    HIP(hipMallocArray(&array, &channel, width, height, hipArrayDefault));
    HIP(hipMemcpy2DToArray(array, 0, 0, picture.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
    hipResourceDesc image = {};
    image.resType = hipResourceTypeArray;
    image.res.array.array = array;
    hipTextureObject_t texture;
    auto at = [&](int x, int y) {
        return picture[std::min(std::max(y, 0), height - 1) * width + std::min(std::max(x, 0), width - 1)];
    };
    for (bool linear_filter : {false, true}) {
        hipTextureDesc how = {};
        how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
        how.filterMode = linear_filter ? hipFilterModeLinear : hipFilterModePoint;
        how.readMode = hipReadModeElementType;
        HIP(hipCreateTextureObject(&texture, &image, &how, nullptr));
        Array<float> to(width * height);
        // Points: the middles of texels. Filtered: their corners, so that each is the mean of four.
        sample<<<height, width>>>(texture, to, width, 1.0f, linear_filter ? 1.0f : 0.5f);
        auto got = to.read();
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                float mean = (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4;
                float expected = linear_filter ? mean : at(x, y);
                CHECK_EQ(got[y * width + x], expected);
            }
        HIP(hipDestroyTextureObject(texture));
    }
    std::vector<float> back(picture.size());
    HIP(hipMemcpy2DFromArray(back.data(), width * 4, array, 0, 0, width * 4, height, hipMemcpyDeviceToHost));
    CHECK(back == picture);
    HIP(hipFreeArray(array));
    return OK();
}
