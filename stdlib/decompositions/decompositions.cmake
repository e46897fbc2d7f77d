find_package(Eigen3 3.4 REQUIRED NO_MODULE)
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/decompositions)
foreach(source dense reflectors rotations tridiagonal bidiagonal secular divide_and_conquer tridiagonal_divide_and_conquer bidiagonal_divide_and_conquer decompose factor)
  set_source_files_properties(${folder}/${source}.cpp PROPERTIES COMPILE_OPTIONS -O3)
endforeach()
# Eigen is compiled once, without vectors and for caches of one size, by which it splits sums, so that its bits are the same on every
# processor; it never aborts.
set(eigen_definitions EIGEN_DONT_VECTORIZE EIGEN_DONT_PARALLELIZE EIGEN_NO_DEBUG EIGEN_NO_IO EIGEN_MPL2_ONLY EIGEN_NO_CPUID
                      EIGEN_DEFAULT_L1_CACHE_SIZE=32768 EIGEN_DEFAULT_L2_CACHE_SIZE=262144 EIGEN_DEFAULT_L3_CACHE_SIZE=2097152)
set_source_files_properties(${folder}/general_eigen.cpp ${folder}/complex_eigen.cpp ${folder}/complex_factor.cpp PROPERTIES
                            COMPILE_DEFINITIONS "${eigen_definitions}"
                            COMPILE_OPTIONS -fcx-fortran-rules SKIP_PRECOMPILE_HEADERS ON)
target_link_libraries(covec_decompositions PRIVATE Eigen3::Eigen)
covec_isa_library(dense decompositions/isa SEES value simd kernels decompositions SOURCES dense_rows.cpp)
