// Kernels that print. clang 15 expands printf only with typed pointers, for which Debian has no device library: so the
// allocation is here. ARG is the place of the printf buffer among the implicit arguments: 3, from v5 on 9.
//
//   for v in 2:gfx803:3 4:gfx906:3 5:gfx900:9; do
//     IFS=: read version chip arg <<< $v
//     clang-15 -target amdgcn-amd-amdhsa -mcpu=$chip -mcode-object-version=$version -DARG=$arg -x cl -cl-std=CL2.0 \
//       -Xclang -finclude-default-header -Xclang -no-opaque-pointers -O2 -nogpulib -w printf.cl -o $chip-v$version.co
//   done
//
// gfx900-v5-lib4.co is of version 5 with ARG=3: as if linked with a device library for version 4.
#define ID ((int)__builtin_amdgcn_workitem_id_x() + 64 * (int)__builtin_amdgcn_workgroup_id_x())

// As the device library does it: an allocation that does not fit leaves the buffer as it is.
__attribute__((used, weak)) global char *__printf_alloc(uint bytes) {
    global uint *buffer = (global uint *)((constant ulong *)__builtin_amdgcn_implicitarg_ptr())[ARG];
    uint size = buffer[1];
    uint at = __opencl_atomic_load((global atomic_uint *)buffer, memory_order_relaxed, memory_scope_device);
    do {
        if (8 + at + bytes > size) return 0;
    } while (!__opencl_atomic_compare_exchange_strong((global atomic_uint *)buffer, &at, at + bytes,
                                                      memory_order_relaxed, memory_order_relaxed, memory_scope_device));
    return (global char *)buffer + 8 + at;
}

kernel void conversions(global int *out, int i, float f, double d, ulong u, float4 v, uchar3 c, half4 h, long2 l, short s) {
    printf("%d|%5i|%-5u|%05x|%#o|%+d\n", i, i, i, i, i, i);
    printf("%f|%10.3f|%g|%e|%.2a\n", f, f, f, d, d);
    printf("%ld|%lx|%hd|%hhu|%c|%p\n", u, u, s, (uchar)s, 'A' + i, (global int *)0);
    printf("%v4hlf|%v3hhd|%v2ld|%.1v4hf|%#v4hlx\n", v, c, l, h, as_int4(v));
    printf("%s|%5s|%-5s|%.2s|%s\n", "a: b", "ab", "ab", "hello", "");
    printf("colon: %% \"quotes\" \\ tab\t.\n");
    out[0] = i;
}

kernel void items(global int *out) {
    out[ID] = ID;
    printf("item %d\n", ID);
}

// Prints a string of global memory, which clang 15 passes as its address.
kernel void text(global char *string) { printf("<%s>\n", string); }

// Prints, and then reads where nothing is.
kernel void falls(global int *out, ulong wild) {
    printf("before %d\n", ID);
    out[0] = *(volatile global int *)wild;
    printf("after %d\n", ID);
}
