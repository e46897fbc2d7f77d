// Elementary functions of one f64, with the bits of the operators of their names: those of the C library differ in last
// bits from one to the next. Sources whose numbers are results take these (tests/structure/libm_test.py). They are
// defined beside the operators, in stdlib/ops/elementwise/elementary.cpp.
#pragma once

#include <complex>

namespace covec::kernels {

double exponential(double x);
double logarithm(double x);
double binary_logarithm(double x);
double cube_root(double x);
double power(double x, double y);
double hyperbolic_sine(double x);

// Of complex numbers that are finite.
std::complex<double> exponential(std::complex<double> z);
std::complex<double> logarithm(std::complex<double> z);
std::complex<double> hyperbolic_sine(std::complex<double> z);
std::complex<double> inverse_hyperbolic_tangent(std::complex<double> z);  // |z| ≤ 1/2

}  // namespace covec::kernels
