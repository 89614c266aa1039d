// Output, arguments and exit of a program: what it prints is in tests/cli/gpu_loader.rs.
//
//   clang-15 -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx900 -nogpulib -nogpuinc -O2 hello.hip \
//     -o hello-gfx900.co
#include "client.h"

static __attribute__((device)) int began;

KERNEL _begin(int argc, char **argv, char **envp) { began = argc; }

KERNEL _start(int argc, char **argv, char **envp, int *ret) {
    if (began != argc) {
        put(3, "_begin did not run\n");
        return;
    }
    u32 id = __builtin_amdgcn_workitem_id_x();
    const char *words[3] = {"a line", "a longer line, whose bytes do not fit into one packet: they come in three packets of 64 "
                            "bytes, or four", ""};
    if (argc == 1) put(5, words[id % 3]);
    if (argc > 1 && argv[1][0] == 'p') {
        struct { int number; const char *word; double real; long wide; } values = {-3, argv[2], 2.5, 1l << 40};
        *ret = print("%4d|%-6s|%.2f|%lx|%%\n", &values);
    }
    if (argc > 1 && argv[1][0] == 'e') leave(7);
    if (argc > 1 && argv[1][0] == 'u') {
        struct port port = open_port(LIBC(77));
        send(&port, packet_of(0));
        receive(&port);
    }
    if (argc > 1 && argv[1][0] == 'f') *(volatile int *)16 = 1;
    if (argc > 1 && argv[1][0] == 't') __builtin_trap();
    if (argc > 1 && argv[1][0] == 'r') {
        char text[56];
        while (line(text)) put(2, text);
    }
    if (argc > 1 && argv[1][0] == 'm') {
        u64 address = allocate(4096);
        *(volatile int *)(address + 4092) = 5;
        *ret = *(volatile int *)(address + 4092);
        release(address);
    }
    if (argc > 1 && argv[1][0] == 'v')
        for (char **variable = envp; *variable; variable++)
            if ((*variable)[0] == 'G' && (*variable)[1] == 'P' && (*variable)[2] == 'U') put(5, *variable);
}

KERNEL _end() { put(5, "the end"); }

KERNEL alone(int argc, char **argv, char **envp, int *ret) { __atomic_fetch_or(ret, 1 << __builtin_amdgcn_workgroup_id_x(), __ATOMIC_RELAXED); }
