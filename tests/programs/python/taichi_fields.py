"""Fields, atomics and matrices of Taichi on Vulkan, compared with numpy."""

import sys

import numpy as np
import taichi as ti

ti.init(arch=ti.vulkan, log_level=ti.WARN)
N = 20_000
x, y = ti.field(ti.f32, N), ti.field(ti.f32, N)
total, counts = ti.field(ti.i32, ()), ti.field(ti.i32, 16)
matrices = ti.Matrix.field(3, 3, ti.f32, 1000)


@ti.kernel
def fill():
    for i in x:
        x[i] = i * 0.5
        y[i] = i % 100


@ti.kernel
def step(k: ti.i32):
    for i in x:
        x[i] = x[i] * 2.0 + y[i] * k
        total[None] += i % 7
        counts[i % 16] += 1


@ti.kernel
def square():
    for i in matrices:
        m = ti.Matrix([[1.0, i, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
        matrices[i] = m @ m


fill()
for k in range(5):
    step(k)
square()
numbers = np.arange(N)
expected = (numbers * 0.5).astype(np.float32)
for k in range(5):
    expected = expected * np.float32(2) + (numbers % 100).astype(np.float32) * np.float32(k)
checks = {
    "field": np.allclose(x.to_numpy(), expected, rtol=1e-6),
    "sum": total[None] == 5 * int((numbers % 7).sum()),
    "counts": (counts.to_numpy() == 5 * N // 16).all(),
    "matrices": (matrices.to_numpy()[10] == [[1, 20, 0], [0, 1, 0], [0, 0, 4]]).all(),
}
print(", ".join(f"{name}: {'right' if good else 'WRONG'}" for name, good in checks.items()))
sys.exit(not all(checks.values()))
