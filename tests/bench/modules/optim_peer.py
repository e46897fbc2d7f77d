import numpy as np
import scipy.optimize as so
import torch
from timing import report

torch.set_num_threads(1)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


x0 = -1 + 0.1 * np.sin(np.arange(100.0))
report("L-BFGS, Rosenbrock of 100", lambda: so.minimize(rosenbrock, x0, jac=so.rosen_der, method="L-BFGS-B", options={"gtol": 1e-5, "ftol": 0, "maxcor": 10}))
x = np.linspace(0, 4, 1000)
y = 2.5 * np.exp(-1.3 * x) + 0.5 + 0.01 * np.sin(37 * x)
jacobian = lambda p: np.stack([np.exp(-p[1] * x), -p[0] * x * np.exp(-p[1] * x), np.ones(1000)], axis=1)
report("Levenberg-Marquardt, 3 parameters to 1000 points", lambda: so.least_squares(lambda p: p[0] * np.exp(-p[1] * x) + p[2] - y, [1.0, 1.0, 0.0], jac=jacobian, method="lm"))
report("Nelder-Mead, Rosenbrock of 4", lambda: so.minimize(rosenbrock, [-1.2, 1.0, -1.2, 1.0], method="Nelder-Mead"))
p = [torch.randn(100000, requires_grad=True) for _ in range(10)]
for w in p:
    w.grad = torch.randn(100000)
adam = torch.optim.Adam(p, lr=1e-3)
report("Adam, 10 tensors of 100,000 f32", adam.step)
