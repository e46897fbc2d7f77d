#!/usr/bin/python3
"""Writes tests/modules/data/image_reference.npz: what Pillow, SciPy and Python's colorsys say of sizes, filters and colours.

    /usr/bin/python3 tests/modules/image_reference.py      # Debian: python3-pil python3-scipy; the file there was made with 9.4.0 and 1.10.1
"""
import colorsys
import io
import pathlib

import numpy as np
import scipy.ndimage as nd
from PIL import Image

rng = np.random.default_rng(3)
x, y = rng.random((17, 23)), rng.random((6, 5, 3))
found = {"x": x, "y": y}


def resized(rows, columns, method):
    return np.array(Image.fromarray(x.astype(np.float32), mode="F").resize((columns, rows), method))


found["linear"], found["cubic"] = resized(40, 9, Image.BILINEAR), resized(8, 31, Image.BICUBIC)
found["lanczos"], found["nearest"] = resized(11, 50, Image.LANCZOS), resized(11, 50, Image.NEAREST)
found["gaussian"], found["gaussian_wrap"] = nd.gaussian_filter(x, 1.3), nd.gaussian_filter(x, (0.5, 2.0), mode="wrap")
found["box"], found["median"] = nd.uniform_filter(x, 5), nd.median_filter(x, 3)
found["erode"], found["dilate"] = nd.grey_erosion(x, 3, mode="nearest"), nd.grey_dilation(x, 5, mode="nearest")
found["open"], found["close"] = nd.grey_opening(x, (3, 3), mode="nearest"), nd.grey_closing(x, (5, 5), mode="nearest")
found["down"], found["right"], found["laplacian"] = nd.sobel(x, 0) / 8, nd.sobel(x, 1) / 8, nd.laplace(x)
found["kernel"] = np.array([[1.0, 2, 3, 0, 1], [4, 5, 6, 0, 2], [7, 8, 10, 0, 3]])
found["filter"] = nd.correlate(x, found["kernel"], mode="nearest")
found["rows"], found["columns"] = rng.random(20) * 16, rng.random(20) * 22
found["sample"] = nd.map_coordinates(x, [found["rows"], found["columns"]], order=1)
found["hsv"] = [[colorsys.rgb_to_hsv(*pixel) for pixel in row] for row in y]
found["y8"] = np.round(y * 255) / 255
found["ycbcr"] = np.array(Image.fromarray(np.round(y * 255).astype(np.uint8)).convert("YCbCr")) / 255

# Files of every kind.
folder = pathlib.Path(__file__).parent / "data" / "pictures"
folder.mkdir(parents=True, exist_ok=True)
levels = (np.arange(12 * 10 * 3).reshape(12, 10, 3) * 7 % 256).astype(np.uint8)
kinds = {"rgb": Image.fromarray(levels), "grey": Image.fromarray(levels[:, :, 0]), "bits": Image.fromarray(levels[:, :, 0] > 100),
         "rgba": Image.fromarray(np.concatenate([levels, levels[:, :, :1]], axis=2)),
         "grey_alpha": Image.fromarray(levels[:, :, :2].copy(), mode="LA"),
         "palette": Image.fromarray(levels).quantize(16)}
for name, picture in kinds.items():
    picture.save(folder / f"{name}.png")
    found[f"file_{name}"] = np.atleast_3d(np.array(picture.convert("RGB") if name == "palette" else picture).astype(float)) / (1 if name == "bits" else 255)
deep = (np.arange(12 * 10).reshape(12, 10) * 541 % 65536).astype(np.uint16)
Image.fromarray(deep).save(folder / "deep.png")
found["file_deep"] = deep[:, :, None] / 65535
smooth = (np.add.outer(np.arange(40), np.arange(30))[:, :, None] * np.array([3.0, 2.0, 1.0])).astype(np.uint8)
Image.fromarray(smooth).save(folder / "smooth.jpg", quality=95)
Image.fromarray(smooth).save(folder / "progressive.jpg", quality=95, progressive=True)
Image.fromarray(smooth[:, :, 0]).save(folder / "grey.jpg", quality=95)
Image.fromarray(smooth).convert("CMYK").save(folder / "inks.jpg", quality=95)
for name in ("smooth", "progressive", "grey"):
    found[f"jpeg_{name}"] = np.atleast_3d(np.array(Image.open(folder / f"{name}.jpg")).astype(float)) / 255
found["smooth"] = smooth / 255
np.savez_compressed(pathlib.Path(__file__).parent / "data" / "image_reference.npz", **{k: np.asarray(v, dtype=float) for k, v in found.items()})
