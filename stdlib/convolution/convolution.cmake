set(folder ${CMAKE_CURRENT_SOURCE_DIR}/convolution)
set_source_files_properties(${folder}/convolve.cpp ${folder}/convolve_forms.cpp ${folder}/pool.cpp PROPERTIES COMPILE_OPTIONS -O3)
covec_isa_library(windows convolution/isa SEES value simd kernels convolution SOURCES windows.cpp)
