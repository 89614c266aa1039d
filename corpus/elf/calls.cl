// Two kernels that share a function, and a function that calls it.
__attribute__((noinline)) int helper(int x, int n) { int s = 1; for (int i = 0; i < n; i++) s = s * x + i; return s; }
__attribute__((noinline)) int twice(int x, int n) { return helper(x, n) + helper(x + 1, n); }
kernel void uses_one(global int *y, int a, int n) { *y = helper(a, n); }
kernel void uses_two(global int *y, int a, int n) { *y = twice(a, n); }
