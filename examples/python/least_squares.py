"""SciPy fits a damped oscillation, with Covec's residuals and Jacobian; the samples are an argument that is not copied."""
import covec
import numpy as np
from scipy.optimize import least_squares

residuals = covec.compile("""
fn residuals(p, t, y) = p[0] * exp(-p[1] * t) * sin(p[2] * t) - y
""")
t = np.linspace(0.0, 4.0, 400)
y = 2.5 * np.exp(-0.7 * t) * np.sin(3.0 * t)

found = least_squares(residuals, [2.0, 0.5, 2.8], jac=residuals.jacobian, args=(t, y), method="trf")
print(found.success, np.round(found.x, 6))                                 # expect: True [2.5 0.7 3. ]

found = least_squares(residuals, [2.0, 0.5, 2.8], jac=residuals.jacobian, args=(t, y), method="lm")
print(found.success, np.round(found.x, 6))                                 # expect: True [2.5 0.7 3. ]
