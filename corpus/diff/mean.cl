// Two compilations of one kernel: -DSHIFT makes of the division by 2 the shift that it is not for negative sums.
//
//   clang-15 -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -x cl -cl-std=CL2.0 -O2 mean.cl -o mean-old-gfx900.co
//   clang-15 -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -x cl -cl-std=CL2.0 -O2 -DSHIFT mean.cl -o mean-new-gfx900.co
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void mean(global int *out, global const int *a, global const int *b) {
    unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    int sum = a[i] + b[i];
#ifdef SHIFT
    out[i] = sum >> 1;
#else
    out[i] = sum / 2;
#endif
}
