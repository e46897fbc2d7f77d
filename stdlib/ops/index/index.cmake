# Loops over elements that are no kernels of their own: worth vectorizing.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/ops/index/read.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ops/index/write.cpp PROPERTIES COMPILE_OPTIONS -O3)
