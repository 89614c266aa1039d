// Double precision: arithmetic, fused multiply-add, division, square root and remainders are exact; functions are near.
// flags: -ffp-contract=off
#include "check.h"

enum { ADD, SUB, MUL, DIV, FMA, SQRT, FMOD, FLOOR, RINT, EXACT,
       EXP = EXACT, LOG, SIN, COS, ATAN2, POW, CBRT, ERF, KINDS };

__host__ __device__ double compute(int kind, double a, double b, double c) {
    switch (kind) {
        case ADD: return a + b;
        case SUB: return a - b;
        case MUL: return a * b;
        case DIV: return a / b;
        case FMA: return fma(a, b, c);
        case SQRT: return sqrt(fabs(a));
        case FMOD: return fmod(a, b);
        case FLOOR: return floor(a) + trunc(b) + ceil(c);
        case RINT: return rint(a * 8);
        case EXP: return exp(b * 0.1);
        case LOG: return log(fabs(a));
        case SIN: return sin(a);
        case COS: return cos(b);
        case ATAN2: return atan2(a, b);
        case POW: return pow(fabs(a), b * 0.1);
        case CBRT: return cbrt(c);
        default: return erf(b);
    }
}
__global__ void run(int kind, const double* a, const double* b, const double* c, double* to, int n) {
    int i = int(thread_index());
    if (i < n) to[i] = compute(kind, a[i], b[i], c[i]);
}

int main() {
    const int n = 3000;
    Random random;
    std::vector<double> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) {
        auto draw = [&](int exponents) {
            return std::ldexp(double(int64_t(random.next64())), int(random.below(exponents)) - exponents / 2 - 60);
        };
        a[i] = draw(40), b[i] = draw(8), c[i] = draw(60);
    }
    double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, -1e-310, 1.7976931348623157e308, 1.0, -1.5};
    for (int i = 0; i < 100; i++) a[i] = special[i % 10], b[i] = special[i / 10], c[i] = special[(i * 7 + 3) % 10];
    Array<double> x(a), y(b), z(c), to(n);
    for (int kind = 0; kind < KINDS; kind++) {
        run<<<groups(n, 256), 256>>>(kind, x, y, z, to, n);
        auto got = to.read();
        for (int i = 0; i < n; i++) {
            double expected = compute(kind, a[i], b[i], c[i]);
            bool right;
            if (std::isnan(expected)) right = std::isnan(got[i]);
            else if (kind < EXACT) right = memcmp(&got[i], &expected, 8) == 0;
            else if (std::isinf(expected)) right = got[i] == expected;
            else right = std::fabs(got[i] - expected) <= 1e-14 * std::fmax(std::fabs(expected), 1e-300);
            if (!right) {
                fprintf(stderr, "kind %d of %a %a %a: %a, not %a\n", kind, a[i], b[i], c[i], got[i], expected);
                return 1;
            }
        }
    }
    return OK();
}
