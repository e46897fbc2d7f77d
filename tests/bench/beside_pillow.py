#!/usr/bin/python3
"""What beside_pillow.covec measures, by Pillow and SciPy: python3 tests/bench/beside_pillow.py (one thread)."""
import time

import numpy as np
import scipy.ndimage as nd
from matplotlib.colors import rgb_to_hsv
from PIL import Image


def least_of_five(name, call):
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    print(f"{name} {1e3 * min(times):.1f} ms")


x = nd.gaussian_filter(np.random.default_rng(1).random((1000, 1500, 3)).astype(np.float32), (4, 4, 0))
x = (x - x.min()) / (x.max() - x.min())
g = x @ np.array([0.2125, 0.7154, 0.0721], dtype=np.float32)
planes = [Image.fromarray(np.ascontiguousarray(x[:, :, k]), mode="F") for k in range(3)]
as_bytes = lambda: Image.fromarray(np.round(x * 255).astype(np.uint8))
least_of_five("write png", lambda: as_bytes().save("/tmp/pillow_bench.png"))
least_of_five("write jpeg", lambda: as_bytes().save("/tmp/pillow_bench.jpg", quality=90))
least_of_five("read png", lambda: np.asarray(Image.open("/tmp/pillow_bench.png")).astype(np.float32) / 255)
least_of_five("read jpeg", lambda: np.asarray(Image.open("/tmp/pillow_bench.jpg")).astype(np.float32) / 255)
for name, size, method in (("resize linear", (600, 400), Image.BILINEAR), ("resize lanczos", (600, 400), Image.LANCZOS), ("enlarge cubic", (3000, 2000), Image.BICUBIC)):
    least_of_five(name, lambda: np.stack([np.asarray(p.resize(size, method)) for p in planes], axis=2))
least_of_five("gaussian", lambda: nd.gaussian_filter(g, 3.0))
least_of_five("median", lambda: nd.median_filter(g, 3))
least_of_five("sobel", lambda: np.hypot(nd.sobel(g, 0), nd.sobel(g, 1)))
least_of_five("rotate", lambda: nd.rotate(g, 30.0, reshape=False, order=1))
least_of_five("hsv", lambda: rgb_to_hsv(x))
