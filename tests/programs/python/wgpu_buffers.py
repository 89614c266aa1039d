"""A compute shader in WGSL on wgpu, compared with numpy."""

import sys

import numpy as np
import wgpu
from wgpu.utils.compute import compute_with_buffers

SHADER = """
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>) {
    part[l.x] = a[g.x] * a[g.x];
    workgroupBarrier();
    b[g.x] = part[63u - l.x] + g.x;
}
"""
N = 64 * 80
print(wgpu.gpu.request_adapter_sync(power_preference="high-performance").info["device"])
a = np.arange(N, dtype=np.uint32) * np.uint32(40503)
result = np.frombuffer(compute_with_buffers({0: a.tobytes()}, {1: 4 * N}, SHADER, n=N // 64)[1], dtype=np.uint32)
expected = (a * a).reshape(-1, 64)[:, ::-1].reshape(-1) + np.arange(N, dtype=np.uint32)
wrong = int((result != expected).sum())
print(f"{wrong} of {N} wrong")
sys.exit(wrong != 0)
