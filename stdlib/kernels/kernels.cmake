# Which kernels exist once per instruction set, and what the others need.
find_package(TBB REQUIRED)
set(kernels ${CMAKE_CURRENT_SOURCE_DIR}/kernels)
set_source_files_properties(${kernels}/dense.cpp ${kernels}/reflectors.cpp ${kernels}/rotations.cpp ${kernels}/tridiagonal.cpp
                            ${kernels}/bidiagonal.cpp ${kernels}/secular.cpp ${kernels}/halves.cpp ${kernels}/tridiagonal_halves.cpp ${kernels}/bidiagonal_halves.cpp ${kernels}/decompose.cpp ${kernels}/factor.cpp ${kernels}/sort.cpp ${kernels}/convolve.cpp ${kernels}/convolve_forms.cpp
                            ${kernels}/pool.cpp PROPERTIES COMPILE_OPTIONS -O3)
target_link_libraries(covec_kernels PRIVATE TBB::tbb)
target_link_libraries(covec_stdlib PRIVATE TBB::tbb)

covec_isa_library(reduce kernels/isa SEES value simd kernels SOURCES reduce_folds.cpp reduce_arg.cpp)
covec_isa_library(gemm kernels/isa SEES value simd kernels SOURCES gemm_tiles.cpp)
covec_isa_library(dense kernels/isa SEES value simd kernels SOURCES dense_rows.cpp)
covec_isa_library(windows kernels/isa SEES value simd kernels SOURCES windows.cpp)
covec_isa_library(fourier kernels/isa SEES value simd kernels SOURCES fourier.cpp)
