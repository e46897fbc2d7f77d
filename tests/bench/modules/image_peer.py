import numpy as np
import scipy.ndimage as nd
from matplotlib.colors import rgb_to_hsv
from PIL import Image
from timing import report


x = nd.gaussian_filter(np.random.default_rng(1).random((1000, 1500, 3)).astype(np.float32), (4, 4, 0))
x = (x - x.min()) / (x.max() - x.min())
g = x @ np.array([0.2125, 0.7154, 0.0721], dtype=np.float32)
planes = [Image.fromarray(np.ascontiguousarray(x[:, :, k]), mode="F") for k in range(3)]
as_bytes = lambda: Image.fromarray(np.round(x * 255).astype(np.uint8))
report("write PNG", lambda: as_bytes().save("pillow_bench.png"))
report("write JPEG", lambda: as_bytes().save("pillow_bench.jpg", quality=90))
report("read PNG", lambda: np.asarray(Image.open("pillow_bench.png")).astype(np.float32) / 255)
report("read JPEG", lambda: np.asarray(Image.open("pillow_bench.jpg")).astype(np.float32) / 255)
for name, size, method in (("resize 1000 x 1500 to 400 x 600, linear", (600, 400), Image.BILINEAR), ("resize 1000 x 1500 to 400 x 600, lanczos", (600, 400), Image.LANCZOS), ("resize 1000 x 1500 to 2000 x 3000, cubic", (3000, 2000), Image.BICUBIC)):
    report(name, lambda: np.stack([np.asarray(p.resize(size, method)) for p in planes], axis=2))
report("gaussian, sigma 3", lambda: nd.gaussian_filter(g, 3.0))
report("median of 3 x 3", lambda: nd.median_filter(g, 3))
report("sobel", lambda: np.hypot(nd.sobel(g, 0), nd.sobel(g, 1)))
report("rotate by 30 degrees", lambda: nd.rotate(g, 30.0, reshape=False, order=1))
report("hsv", lambda: rgb_to_hsv(x))
