import numpy as np
from scipy.integrate import solve_ivp
from timing import report


def lorenz(t, y):
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def vanderpol(t, y):
    return [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]


def wave(t, u):
    return np.concatenate([[0.0], (u[2:] - 2 * u[1:-1] + u[:-2]) * 1600.0, [0.0]])


report("Lorenz to t = 20, Dormand-Prince, rtol 1e-8", lambda: solve_ivp(lorenz, (0, 20), [1.0, 1.0, 1.0], rtol=1e-8, atol=1e-8))
report("van der Pol, mu = 1000, to t = 2000, stiff, rtol 1e-5", lambda: solve_ivp(vanderpol, (0, 2000), [2.0, 0.0], method="Radau", rtol=1e-5, atol=1e-8))
u0 = np.sin(np.pi * np.linspace(0, 1, 200))
report("heat on 200 places, Dormand-Prince, rtol 1e-6", lambda: solve_ivp(wave, (0, 0.2), u0, rtol=1e-6, atol=1e-8))
