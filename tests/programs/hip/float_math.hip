// Single precision: IEEE operations with denormals and specials, rounding, conversions, functions within their bounds.
// flags: -ffp-contract=off -fno-gpu-flush-denormals-to-zero
#include "check.h"

enum { ADD, MUL, DIV, FMA, SQRT, FMOD, ROUND, LDEXP, MINMAX, EXACT,
       EXP = EXACT, LOG, SIN, COS, TAN, ATAN2, POW, TANH, KINDS };

__host__ __device__ float compute(int kind, float a, float b, float c) {
    switch (kind) {
        case ADD: return a + b - c;
        case MUL: return a * b;
        case DIV: return a / b;
        case FMA: return fmaf(a, b, c);
        case SQRT: return sqrtf(fabsf(c));
        case FMOD: return fmodf(a, b);
        case ROUND: return floorf(a) + ceilf(b) + truncf(c) + roundf(b * 2) + rintf(b * 4);
        case LDEXP: return ldexpf(b, int(a) % 300);
        case MINMAX: return fmaxf(fminf(a, b), c);
        case EXP: return expf(b);
        case LOG: return logf(fabsf(a));
        case SIN: return sinf(a);
        case COS: return cosf(a);
        case TAN: return tanf(b);
        case ATAN2: return atan2f(a, b);
        case POW: return powf(fabsf(b), c);
        default: return tanhf(b);
    }
}
__global__ void run(int kind, const float* a, const float* b, const float* c, float* to, int n) {
    int i = int(thread_index());
    if (i < n) to[i] = compute(kind, a[i], b[i], c[i]);
}

// Distance in units of the last place.
static int64_t distance(float a, float b) {
    int32_t x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    auto place = [](int32_t bits) { return bits < 0 ? int64_t(INT32_MIN) - bits : int64_t(bits); };
    return std::llabs(place(x) - place(y));
}

int main() {
    const int n = 4000;
    Random random;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) {
        auto draw = [&](int exponents) {
            return std::ldexp(float(int32_t(random.next())), int(random.below(exponents)) - exponents / 2 - 28);
        };
        a[i] = draw(20), b[i] = draw(6), c[i] = draw(4);
    }
    float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-40f, 3.4028235e38f, 1.0f, -1.5f};
    for (int i = 0; i < 100; i++) a[i] = special[i % 10], b[i] = special[i / 10], c[i] = special[(i * 7 + 3) % 10];
    Array<float> x(a), y(b), z(c), to(n);
    for (int kind = 0; kind < KINDS; kind++) {
        run<<<groups(n, 256), 256>>>(kind, x, y, z, to, n);
        auto got = to.read();
        for (int i = 0; i < n; i++) {
            if (kind == LDEXP && !(std::fabs(a[i]) < 1e9f)) continue;  // the conversion is undefined
            float expected = compute(kind, a[i], b[i], c[i]);
            bool right;
            if (std::isnan(expected)) right = std::isnan(got[i]);
            else if (kind == MINMAX) right = got[i] == expected;  // zeros of either sign
            else right = distance(got[i], expected) <= (kind < EXACT ? 0 : 16);
            if (!right) {
                fprintf(stderr, "kind %d of %a %a %a: %a, not %a\n", kind, a[i], b[i], c[i], got[i], expected);
                return 1;
            }
        }
    }
    return OK();
}
