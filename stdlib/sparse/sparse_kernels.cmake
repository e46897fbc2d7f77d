# The loops over nonzeros are no kernels of an instruction set: worth vectorizing.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/sparse/products.cpp PROPERTIES COMPILE_OPTIONS -O3)
