# Sums that are no kernels of their own: worth vectorizing.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/ops/signal/line.cpp PROPERTIES COMPILE_OPTIONS -O3)
