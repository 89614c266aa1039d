// Kernels whose groups wait for each other, for gfx600, gfx803 and gfx900 (Debian: clang-15 lld-15 rocm-device-libs):
//
//   for chip in gfx600 gfx803 gfx900; do
//     clang-15 -target amdgcn-amd-amdhsa -mcpu=$chip -x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
//       --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -mcode-object-version=4 -O2 -Wl,-s \
//       -o groups-$chip.co groups.cl
//   done

// Waits until `goal` groups have come here, or to an earlier wait.
static void wait_for_all(global volatile uint *count, uint goal)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_inc(count);
        while (atomic_cmpxchg(count, 0, 0) < goal)
            ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

// Twice, each work-item adds what that of the same number in the next group has.
kernel void grid_barrier(global uint *data, global volatile uint *count, uint groups)
{
    uint i = get_global_id(0), next = (i + (uint)get_local_size(0)) % (uint)get_global_size(0);
    data[i] = i;
    for (uint round = 0; round < 2; round++) {
        wait_for_all(count, (2 * round + 1) * groups);
        uint other = data[next];
        wait_for_all(count, (2 * round + 2) * groups);
        data[i] += other;
    }
}

// The same, but with one wait too few: a group may write what another one has not read yet.
kernel void grid_race(global uint *data, global volatile uint *count, uint groups)
{
    uint i = get_global_id(0), next = (i + (uint)get_local_size(0)) % (uint)get_global_size(0);
    data[i] = i;
    wait_for_all(count, groups);
    data[i] += data[next];
}

// Waits by loads, and keeps values in LDS and scratch meanwhile.
kernel void grid_keeps(global uint *data, global volatile uint *count, uint groups, local uint *mine)
{
    uint i = get_global_id(0), l = get_local_id(0);
    uint kept[16];
    for (uint k = 0; k < 16; k++)
        kept[(k * 5 + i) % 16] = 100 * i + k;
    mine[l] = 7 * i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        atomic_inc(count);
        while (*count < groups)
            ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = mine[get_local_size(0) - 1 - l] + kept[(i * 3 + groups) % 16];
}

// Group 0 waits for what group `from` stores.
kernel void from_later(global uint *data, global volatile uint *flag, uint from)
{
    uint group = get_group_id(0), l = get_local_id(0);
    if (group == from) {
        data[1 + l] = 3 * l + 7;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            *flag = 1;
    } else if (group == 0) {
        if (l == 0)
            while (*flag == 0)
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[129 + l] = data[1 + l] + 1;
    }
}

// A lock with tickets, of which the last group has the first.
kernel void tickets(global uint *order, global volatile uint *serving, uint groups)
{
    uint ticket = groups - 1 - get_group_id(0);
    if (get_local_id(0) == 0) {
        while (atomic_cmpxchg(serving, 0, 0) != ticket)
            ;
        order[ticket] = get_group_id(0);
        atomic_inc(serving);
    }
}

// The same with much LDS, and with loads.
kernel void large_tickets(global uint *order, global volatile uint *serving, uint groups, local uint *all)
{
    all[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint ticket = groups - all[0] - get_group_id(0);
    if (get_local_id(0) == 0) {
        while (*serving != ticket)
            ;
        order[ticket] = get_group_id(0);
        atomic_inc(serving);
    }
}

// Waits for what never comes, but not for ever.
kernel void gives_up(global uint *tries, global volatile uint *flag, uint most)
{
    if (get_local_id(0) == 0) {
        uint n = 0;
        while (*flag == 0 && n < most)
            n++;
        tries[get_group_id(0)] = n;
    }
}

// Group 0 waits for the others, and they wait for group 0.
kernel void meet(global uint *data, global volatile uint *flag)
{
    if (get_local_id(0) == 0) {
        if (get_group_id(0) == 0) {
            while (flag[0] != 0x12345678)
                ;
            flag[1] = 0x87654321;
            data[0] = 10;
        } else {
            flag[0] = 0x12345678;
            while (flag[1] != 0x87654321)
                ;
            data[1] = 11;
        }
    }
}
