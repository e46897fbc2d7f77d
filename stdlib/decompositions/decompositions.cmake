find_package(Eigen3 3.4 REQUIRED NO_MODULE)
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/decompositions)
foreach(source dense reflectors rotations tridiagonal bidiagonal secular divide_and_conquer tridiagonal_divide_and_conquer bidiagonal_divide_and_conquer decompose factor)
  set_source_files_properties(${folder}/${source}.cpp PROPERTIES COMPILE_OPTIONS -O3)
endforeach()
# Eigen is compiled once, without vectors, so that its bits are the same on every processor; it never aborts.
set_source_files_properties(${folder}/general_eigen.cpp ${folder}/complex_eigen.cpp ${folder}/complex_factor.cpp PROPERTIES
                            COMPILE_DEFINITIONS "EIGEN_DONT_VECTORIZE;EIGEN_DONT_PARALLELIZE;EIGEN_NO_DEBUG;EIGEN_NO_IO;EIGEN_MPL2_ONLY"
                            COMPILE_OPTIONS -fcx-fortran-rules SKIP_PRECOMPILE_HEADERS ON)
target_link_libraries(covec_decompositions PRIVATE Eigen3::Eigen)
covec_isa_library(dense decompositions/isa SEES value simd kernels decompositions SOURCES dense_rows.cpp)
