// What every shader of this folder starts with. IN, FLAT and OUT declare variables of a stage by location, the others
// resources of descriptor set 0 by binding.
#define IN(l, t, n) layout(location = l) in t n;
#define FLAT(l, t, n) layout(location = l) flat in t n;
#define FLAT_OUT(l, t, n) layout(location = l) flat out t n;
#define OUT(l, t, n) layout(location = l) out t n;
#define UBO(b) layout(set = 0, binding = b, std140) uniform
#define BUF(b) layout(set = 0, binding = b, std430) buffer
#define TEX(b, t, n) layout(set = 0, binding = b) uniform t n;
#define IMG(b, f, t, n) layout(set = 0, binding = b, f) uniform t n;
#define PUSH layout(push_constant) uniform
