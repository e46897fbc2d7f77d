covec_isa_library(random ops/random/kernels SEES value simd elementwise random SOURCES draw.cpp)
