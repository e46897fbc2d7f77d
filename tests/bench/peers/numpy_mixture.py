"""The objective of ADBench's mixture of normal distributions and its gradient, derived by hand for whole arrays."""

import math

import numpy as np

POINTS = 1000


class Mixture:
    def __init__(self, d, k):
        generator = np.random.default_rng(1)
        self.alphas, self.means = generator.standard_normal(k), generator.random((k, d))
        self.logs, self.packed = 0.1 * generator.standard_normal((k, d)), 0.1 * generator.standard_normal((k, d * (d - 1) // 2))
        self.x = generator.standard_normal((POINTS, d))
        self.columns, self.rows = np.triu_indices(d, 1)          # of what is below the diagonal, column after column
        self.diagonal = np.arange(d)
        prior = 0.5 * (d + 1) * d * math.log(2) + 0.25 * d * (d - 1) * math.log(math.pi)
        prior += sum(math.lgamma(0.5 * (d + 1 - j)) for j in range(d))
        self.constant = k * prior - 0.5 * POINTS * d * math.log(2 * math.pi)

    def forth(self):
        """The value, and what the way back needs."""
        k, d = self.means.shape
        q = np.zeros((k, d, d))
        q[:, self.rows, self.columns] = self.packed
        q[:, self.diagonal, self.diagonal] = np.exp(self.logs)
        off = self.x - self.means[:, np.newaxis]
        y = off @ q.transpose(0, 2, 1)
        parts = (self.alphas + self.logs.sum(axis=1))[:, np.newaxis] - 0.5 * np.einsum("knd,knd->kn", y, y)
        top = parts.max(axis=0)
        np.exp(np.subtract(parts, top, out=parts), out=parts)
        total = parts.sum(axis=0)
        highest = self.alphas.max()
        weights = np.exp(self.alphas - highest)
        value = (top + np.log(total)).sum() - POINTS * (highest + math.log(weights.sum())) + 0.5 * np.vdot(q, q) + self.constant
        return value, q, off, y, parts / total, weights / weights.sum()

    def function(self):
        return self.forth()[0]

    def gradient(self):
        value, q, off, y, belongs, weights = self.forth()
        y *= belongs[:, :, np.newaxis]
        share = belongs.sum(axis=1)
        by_means = (y.sum(axis=1)[:, np.newaxis] @ q)[:, 0]
        by_q = q - y.transpose(0, 2, 1) @ off
        by_logs = np.einsum("kii->ki", by_q) * np.einsum("kii->ki", q) + share[:, np.newaxis]
        return value, share - POINTS * weights, by_means, by_logs, by_q[:, self.rows, self.columns]


def mixture(what, d, k):
    return getattr(Mixture(d, k), what)
