// rocRAND's generators, called from the host: moments of each distribution, the same numbers for the same seed.
// libs: -lrocrand
#include "check.h"

#include <rocrand/rocrand.h>

#include <set>

#define RAND(call) CHECK_EQ(call, ROCRAND_STATUS_SUCCESS)

static void moments(const std::vector<float>& values, double mean, double variance) {
    double sum = 0, squares = 0, n = double(values.size());
    for (float value : values) sum += value, squares += double(value) * value;
    double got = sum / n, spread = squares / n - got * got;
    CHECK(std::fabs(got - mean) < 0.03);
    CHECK(std::fabs(spread - variance) < 0.05);
}

int main() {
    const size_t n = 20'000;
    Array<float> floats(n);
    Array<double> doubles(n);
    Array<unsigned> words(n);
    for (rocrand_rng_type type :
         {ROCRAND_RNG_PSEUDO_XORWOW, ROCRAND_RNG_PSEUDO_MRG32K3A, ROCRAND_RNG_PSEUDO_PHILOX4_32_10,
          ROCRAND_RNG_PSEUDO_MTGP32, ROCRAND_RNG_QUASI_SOBOL32}) {
        rocrand_generator generator;
        std::vector<unsigned> first;
        for (int round = 0; round < 2; round++) {
            RAND(rocrand_create_generator(&generator, type));
            if (type != ROCRAND_RNG_QUASI_SOBOL32) RAND(rocrand_set_seed(generator, 12345));
            RAND(rocrand_generate(generator, words, n));
            auto got = words.read();
            if (round == 0) first = got;
            CHECK(first == got);
            if (round == 0) RAND(rocrand_destroy_generator(generator));
        }
        double ones = 0;
        for (unsigned word : first) ones += __builtin_popcount(word);
        // The first 20,000 points of Sobol's sequence are different multiples of 2^-15.
        std::set<unsigned> different(first.begin(), first.end());
        if (type == ROCRAND_RNG_QUASI_SOBOL32) CHECK(different.size() == n && ones / double(n) < 7.5);
        else CHECK(std::fabs(ones / double(n) - 16) < 0.2);
        RAND(rocrand_generate_uniform(generator, floats, n));
        moments(floats.read(), 0.5, 1.0 / 12);
        RAND(rocrand_generate_normal(generator, floats, n, 2.0f, 0.5f));
        moments(floats.read(), 2.0, 0.25);
        RAND(rocrand_generate_uniform_double(generator, doubles, n));
        for (double value : doubles.read()) CHECK(value > 0 && value <= 1);
        RAND(rocrand_generate_poisson(generator, words, n, 10.0));
        std::vector<float> counts;
        for (unsigned count : words.read()) counts.push_back(float(count) / 10);
        moments(counts, 1.0, 0.1);
        RAND(rocrand_destroy_generator(generator));
    }
    return OK();
}
