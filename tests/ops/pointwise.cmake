# Pointwise operators: accuracy against MPFR, equal bits on all instruction sets, promotion, special values, derivatives.
find_library(MPFR mpfr REQUIRED)
find_library(GMP gmp REQUIRED)
add_executable(test_pointwise_accuracy ${CMAKE_SOURCE_DIR}/tests/ops/pointwise_accuracy.cpp)
target_link_libraries(test_pointwise_accuracy PRIVATE covec_stdlib GTest::gtest ${MPFR} ${GMP})
gtest_discover_tests(test_pointwise_accuracy)
