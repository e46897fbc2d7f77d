# Pointwise operators: accuracy against MPFR, equal bits on all instruction sets and in the lowering, promotion, special values.
find_library(MPFR mpfr REQUIRED)
find_library(GMP gmp REQUIRED)
add_executable(pointwise_tests
  ${CMAKE_CURRENT_LIST_DIR}/pointwise_accuracy.cpp ${CMAKE_CURRENT_LIST_DIR}/pointwise_bits.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fused_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/half_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pointwise_values.cpp)
target_link_libraries(pointwise_tests PRIVATE covec_stdlib GTest::gtest ${MPFR} ${GMP})
gtest_discover_tests(pointwise_tests PROPERTIES LABELS ops)
set(lower_isas ${COVEC_ISAS})
list(REMOVE_ITEM lower_isas avx512)
foreach(isa ${lower_isas})
  add_test(NAME pointwise_on_${isa} COMMAND pointwise_tests --gtest_filter=Pointwise.*)
  set_tests_properties(pointwise_on_${isa} PROPERTIES LABELS ops ENVIRONMENT COVEC_ISA=${isa})
endforeach()

# No object of kernels may define code that another instruction set's could be replaced by.
get_property(isa_libraries GLOBAL PROPERTY COVEC_ISA_LIBRARIES)
foreach(library ${isa_libraries})
  string(REGEX REPLACE ".*_" "" isa ${library})
  add_test(NAME isa_symbols.${library} COMMAND_EXPAND_LISTS COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/isa_symbols.py ${CMAKE_NM} ${isa}
           $<TARGET_OBJECTS:${library}>)
  set_tests_properties(isa_symbols.${library} PROPERTIES LABELS ops)
endforeach()

# The derivatives of pointwise operators against MPFR, through the language.
add_executable(derivative_tests
  ${CMAKE_CURRENT_LIST_DIR}/derivative_accuracy.cpp ${CMAKE_CURRENT_LIST_DIR}/derivative_references.cpp)
target_link_libraries(derivative_tests PRIVATE entries_support covec_interpreter covec_frontend covec_stdlib GTest::gtest_main ${MPFR} ${GMP})
gtest_discover_tests(derivative_tests PROPERTIES LABELS ops)

# Derivatives 1 to 6 at special points, against stored numbers.
foreach(isa ${COVEC_ISAS})
  add_test(NAME derivatives_at_points.${isa}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/derivatives_at_points_test.py $<TARGET_FILE:covec>)
  set_tests_properties(derivatives_at_points.${isa} PROPERTIES LABELS ops ENVIRONMENT COVEC_ISA=${isa})
endforeach()
