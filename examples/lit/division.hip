// A test of compiler-rt's kind: the kernel _start is main, and its exit code is the result.
// REQUIRES: gcnsim-gfx900, clang
// RUN: %clang-libc %s -o %t.co
// RUN: %loader %t.co
// RUN: %loader --threads 64 --blocks 3 %t.co
// RUN: not %loader %t.co wrong
// RUN: not %loader %t.co trap
typedef unsigned long u64;

// Division as people do it on paper.
static __attribute__((device)) u64 divided(u64 a, u64 b) {
    u64 quotient = 0, rest = 0;
    for (int bit = 63; bit >= 0; bit--) {
        rest = rest << 1 | (a >> bit & 1);
        if (rest >= b) {
            rest -= b;
            quotient |= 1ul << bit;
        }
    }
    return quotient;
}

static __attribute__((device)) int test(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 't') __builtin_trap();
    u64 seed = 1 + __builtin_amdgcn_workitem_id_x() + 64 * __builtin_amdgcn_workgroup_id_x();
    for (int round = 0; round < 20; round++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        u64 a = seed, b = (seed >> (seed & 63)) | 1;
        if (a / b != divided(a, b)) return 1;
    }
    return argc > 1 && argv[1][0] == 'w' ? 2 : 0;
}

extern "C" __attribute__((global, visibility("protected"))) void
_start(int argc, char **argv, char **envp, int *ret) {
    __atomic_fetch_or(ret, test(argc, argv), __ATOMIC_RELAXED);
}
