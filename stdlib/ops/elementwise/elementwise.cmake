# The bodies, instantiated with the vectors of each instruction set.
covec_isa_library(pointwise ops/elementwise/kernels SEES value simd elementwise
                  SOURCES arithmetic.cpp functions.cpp casts.cpp roots.cpp logarithms.cpp angles.cpp hyperbolic.cpp
                          error_function.cpp gamma.cpp derivatives.cpp derivatives_of_two.cpp)
# Entries are made once, and bodies are written out when a function is compiled: optimizing them serves nobody.
set_source_files_properties(ops/elementwise/entries.cpp ops/elementwise/entries_of_functions.cpp
                            ops/elementwise/entries_of_derivatives.cpp PROPERTIES COMPILE_OPTIONS -O1)
