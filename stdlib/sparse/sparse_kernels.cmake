# The loops over nonzeros are no kernels of an instruction set: worth vectorizing.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/sparse/products.cpp PROPERTIES COMPILE_OPTIONS -O3)
# Eigen orders columns. It is compiled once, without vectors, as it is for decompositions; it never aborts.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/sparse/orders.cpp PROPERTIES
                            COMPILE_DEFINITIONS "EIGEN_DONT_VECTORIZE;EIGEN_DONT_PARALLELIZE;EIGEN_NO_DEBUG;EIGEN_NO_IO;EIGEN_MPL2_ONLY"
                            SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
target_link_libraries(covec_sparse_kernels PRIVATE Eigen3::Eigen)
