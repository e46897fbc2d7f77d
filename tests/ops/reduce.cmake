# Reductions and products against their definitions in plain C (reference/orders.c).
add_library(covec_orders STATIC ${CMAKE_CURRENT_SOURCE_DIR}/ops/reference/orders.c)
target_compile_options(covec_orders PRIVATE -ffp-contract=off -fno-fast-math)
target_include_directories(covec_orders PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(covec_orders PUBLIC m)

file(GLOB reduce_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/ops/reduce_*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ops/gemm_*.cpp)
add_executable(reduce_tests ${reduce_tests})
target_link_libraries(reduce_tests PRIVATE covec_stdlib covec_orders GTest::gtest_main)
gtest_discover_tests(reduce_tests PROPERTIES LABELS ops)
