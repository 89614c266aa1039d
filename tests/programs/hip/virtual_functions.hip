// Objects with virtual functions, made and used on the device: single and multiple inheritance, a table of objects.
#include "check.h"

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
    __device__ virtual ~Shape() {}
};
struct Named {
    __device__ virtual int name() const { return 'n'; }
};
struct Square : Shape, Named {
    float side;
    __device__ explicit Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
    __device__ int name() const override { return 's'; }
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3 * radius * radius; }
};
struct Triangle : Square {
    __device__ explicit Triangle(float side) : Square(side) {}
    __device__ float area() const override { return Square::area() / 2; }
    __device__ int corners() const override { return 3; }
};

struct Places {
    Shape* shape;
    alignas(16) char bytes[48];
};

__global__ void make(Places* places, int n) {
    int i = thread_index();
    if (i >= n) return;
    void* at = places[i].bytes;
    switch (i % 3) {
        case 0: places[i].shape = new (at) Square(float(i)); break;
        case 1: places[i].shape = new (at) Circle(float(i)); break;
        case 2: places[i].shape = new (at) Triangle(float(i)); break;
    }
}
__global__ void measure(const Places* places, float* areas, int* corners, int n) {
    int i = thread_index();
    if (i >= n) return;
    const Shape* shape = places[i].shape;
    areas[i] = shape->area();
    corners[i] = shape->corners();
    if (i % 3 != 1) corners[i] += 1000 * static_cast<const Named*>(static_cast<const Square*>(shape))->name();
}

int main() {
    const int n = 1000;
    Array<Places> places(n);
    Array<float> areas(n);
    Array<int> corners(n);
    make<<<groups(n, 128), 128>>>(places, n);
    measure<<<groups(n, 256), 256>>>(places, areas, corners, n);
    auto area = areas.read();
    auto corner = corners.read();
    for (int i = 0; i < n; i++) {
        float square = float(i) * float(i);
        float expected[] = {square, 3 * float(i) * float(i), square / 2};
        int expected_corners[] = {4 + 1000 * 's', 0, 3 + 1000 * 's'};
        CHECK_EQ(area[i], expected[i % 3]);
        CHECK_EQ(corner[i], expected_corners[i % 3]);
    }
    return OK();
}
