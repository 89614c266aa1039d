// Kernels that leave the buffer of their pointer and meet another one, and the same without the mistake. `far` is the
// distance between the buffers, in elements; no gap is large enough for it.

#define PAIR(name, ...) \
    kernel void name##_bad(__VA_ARGS__) { body_##name(0) } \
    kernel void name##_good(__VA_ARGS__) { body_##name(1) }

#define body_store(good) a[get_global_id(0) + (good ? 0 : far)] = 1;
PAIR(store, global int *a, global int *b, int far)

#define body_load(good) b[get_global_id(0)] = a[get_global_id(0) + (good ? 0 : far)];
PAIR(load, global int *a, global int *b, int far)

#define body_before(good) b[(int)get_global_id(0) - (good ? 0 : far)] = a[get_global_id(0)];
PAIR(before, global int *a, global int *b, int far)

#define body_atomic(good) atomic_add(&a[good ? 3 : far], 1); b[get_global_id(0) + 1] = 0;
PAIR(atomic, global int *a, global int *b, int far)

#define body_chosen(good) \
    global int *p = get_global_id(0) & 1 ? a : b; p[get_global_id(0)] = 1; if (!good && get_global_id(0) == 0) a[far + 99] = 2;
PAIR(chosen, global int *a, global int *b, int far)
