# The bodies, instantiated with the vectors of each instruction set.
covec_isa_library(pointwise ops/elementwise/kernels SEES value simd elementwise
                  SOURCES arithmetic.cpp functions.cpp casts.cpp roots.cpp logarithms.cpp angles.cpp hyperbolic.cpp
                          error_function.cpp gamma.cpp slopes.cpp slopes_of_two.cpp)
