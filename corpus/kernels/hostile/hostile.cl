// Kernels that do what no kernel should. tests/dispatch_bad_input.rs says what comes of each.

kernel void wild_store(global int *out, ulong address) {
    *(global int *)(address + 4 * get_global_id(0)) = 1;
    out[0] = 1;
}

kernel void for_ever(global volatile int *out) {
    while (out[0] == 0) {}
}

kernel void into_data(global int *out) {
    __asm volatile("s_getpc_b64 s[40:41]\n s_sub_u32 s40, s40, 0x1800\n s_subb_u32 s41, s41, 0\n s_setpc_b64 s[40:41]"
                   ::: "s40", "s41", "memory");
    out[0] = 1;
}

kernel void lds_overflow(global int *out, int step) {
    local int t[64];
    int i = get_local_id(0);
    t[i * step] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[i * step];
}

kernel void garbage_descriptor(global int *out, uint a, uint b, uint c, uint d) {
    int value;
    __asm volatile("s_mov_b32 s40, %1\n s_mov_b32 s41, %2\n s_mov_b32 s42, %3\n s_mov_b32 s43, %4\n"
                   "buffer_load_dword %0, off, s[40:43], 0\n buffer_store_dword %0, off, s[40:43], 0 offset:4\n"
                   "s_waitcnt vmcnt(0)"
                   : "=v"(value) : "s"(a), "s"(b), "s"(c), "s"(d) : "s40", "s41", "s42", "s43", "memory");
    out[get_global_id(0)] = value;
}

kernel void private_overflow(global int *out, int at) {
    int t[256];
    for (int k = 0; k < 256; k++) t[k] = at + k;
    t[at] = 7;
    out[get_global_id(0)] = t[at & 255];
}

kernel __attribute__((reqd_work_group_size(8, 2, 1))) void only_8_by_2(global int *out) { out[get_global_id(0)] = 1; }

kernel void much_local(global int *out, local int *more) {
    local int t[15 << 10];
    t[get_local_id(0)] = more[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[get_local_id(0) ^ 1] + more[get_local_id(0) ^ 1];
}

kernel void many_kinds(global int *out, float f, uchar c, float4 v, local int *l) {
    l[0] = f + c + v.x;
    out[0] = l[0];
}
