covec_isa_library(fourier fourier/isa SEES value simd kernels fourier SOURCES fourier.cpp)
