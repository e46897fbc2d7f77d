# Which kernels exist once per instruction set, and what the others need.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/kernels/sort.cpp PROPERTIES COMPILE_OPTIONS -O3)
if(NOT COVEC_WEB)
  find_package(TBB REQUIRED)
  target_link_libraries(covec_kernels PRIVATE TBB::tbb)
  target_link_libraries(covec_stdlib PRIVATE TBB::tbb)
endif()

covec_isa_library(reduce kernels/isa SEES value simd kernels SOURCES reduce_folds.cpp reduce_arg.cpp)
covec_isa_library(gemm kernels/isa SEES value simd kernels SOURCES gemm_tiles.cpp)
covec_isa_library(distances kernels/isa SEES value simd kernels SOURCES distances.cpp)
covec_isa_library(not_finite kernels/isa SEES value kernels SOURCES not_finite.cpp)
