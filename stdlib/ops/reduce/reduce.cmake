# Loops over elements that are no kernels of their own: worth vectorizing.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/ops/reduce/running.cpp
                            ${CMAKE_CURRENT_SOURCE_DIR}/ops/reduce/scan.cpp PROPERTIES COMPILE_OPTIONS -O3)
