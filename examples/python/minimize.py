"""SciPy minimizes a function of Covec's, with Covec's gradient and Hessian."""
import covec
import numpy as np
from scipy.optimize import minimize

rosenbrock = covec.compile("""
fn rosenbrock(x) = sum(100 * (x[1:] - x[:-1]^2)^2 + (1 - x[:-1])^2)
""")
start = np.full(10, -1.0)

found = minimize(rosenbrock, start, jac=rosenbrock.grad, method="BFGS", options={"gtol": 1e-8})
print("BFGS:", found.success, np.abs(found.x - 1).max() < 1e-6)            # expect: BFGS: True True

found = minimize(rosenbrock.value_and_grad, start, jac=True, method="L-BFGS-B")
print("L-BFGS-B:", found.success, np.abs(found.x - 1).max() < 1e-3)        # expect: L-BFGS-B: True True

found = minimize(rosenbrock, start, jac=rosenbrock.grad, hess=rosenbrock.grad.jacobian, method="trust-exact")
print("trust-exact:", found.success, np.abs(found.x - 1).max() < 1e-6)     # expect: trust-exact: True True
