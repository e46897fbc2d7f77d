# Which kernels exist once per instruction set, and what the others need.
find_package(TBB REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
set(kernels ${CMAKE_CURRENT_SOURCE_DIR}/kernels)
set_source_files_properties(${kernels}/dense.cpp ${kernels}/reflectors.cpp ${kernels}/rotations.cpp ${kernels}/tridiagonal.cpp
                            ${kernels}/bidiagonal.cpp ${kernels}/secular.cpp ${kernels}/halves.cpp ${kernels}/tridiagonal_halves.cpp ${kernels}/bidiagonal_halves.cpp ${kernels}/decompose.cpp ${kernels}/factor.cpp ${kernels}/sort.cpp ${kernels}/convolve.cpp ${kernels}/convolve_forms.cpp
                            ${kernels}/pool.cpp PROPERTIES COMPILE_OPTIONS -O3)
# Eigen is compiled once, without vectors, so that its bits are the same on every processor; it never aborts.
set_source_files_properties(${kernels}/general_eigen.cpp ${kernels}/complex_eigen.cpp ${kernels}/complex_factor.cpp PROPERTIES
                            COMPILE_DEFINITIONS "EIGEN_DONT_VECTORIZE;EIGEN_DONT_PARALLELIZE;EIGEN_NO_DEBUG;EIGEN_NO_IO;EIGEN_MPL2_ONLY"
                            COMPILE_OPTIONS -fcx-fortran-rules SKIP_PRECOMPILE_HEADERS ON)
target_link_libraries(covec_kernels PRIVATE TBB::tbb Eigen3::Eigen)
target_link_libraries(covec_stdlib PRIVATE TBB::tbb)

covec_isa_library(reduce kernels/isa SEES value simd kernels SOURCES reduce_folds.cpp reduce_arg.cpp)
covec_isa_library(gemm kernels/isa SEES value simd kernels SOURCES gemm_tiles.cpp)
covec_isa_library(dense kernels/isa SEES value simd kernels SOURCES dense_rows.cpp)
covec_isa_library(windows kernels/isa SEES value simd kernels SOURCES windows.cpp)
covec_isa_library(fourier kernels/isa SEES value simd kernels SOURCES fourier.cpp)
