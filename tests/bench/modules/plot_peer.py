import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from timing import report  # noqa: E402

draws = np.random.default_rng(1)
t, x, y = np.linspace(0, 10, 1000), draws.normal(size=1000000), draws.normal(size=1000000)
walk, cells = x.cumsum(), x.reshape(1000, 1000)


def drawn(make):
    def call():
        figure, axes = plt.subplots(figsize=(6, 4), dpi=200)
        make(axes)
        figure.savefig("peer.png")
        plt.close(figure)
    return call


report("a line of 1000 points", drawn(lambda axes: axes.plot(t, np.sin(t))))
report("10^6 points", drawn(lambda axes: axes.scatter(x, y, s=1)))
report("a line of 10^6 points", drawn(lambda axes: axes.plot(walk)))
report("a histogram of 10^6", drawn(lambda axes: axes.hist(x, bins=50)))
report("a picture of 1000 x 1000", drawn(lambda axes: axes.imshow(cells)))
