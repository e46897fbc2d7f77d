# Derivatives and vmap of the eager engine, with functions written in C++.
add_executable(autodiff_test
  ${CMAKE_CURRENT_LIST_DIR}/gradients.cpp
  ${CMAKE_CURRENT_LIST_DIR}/nesting.cpp
  ${CMAKE_CURRENT_LIST_DIR}/vmaps.cpp
  ${CMAKE_CURRENT_LIST_DIR}/jacobians.cpp
  ${CMAKE_CURRENT_LIST_DIR}/composites.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mistakes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_programs.cpp)
target_link_libraries(autodiff_test PRIVATE covec_stdlib covec_flags GTest::gtest_main)
gtest_discover_tests(autodiff_test PROPERTIES LABELS grad)

# Functions under checkpoint with control flow, on both engines.
add_test(NAME grad.checkpoint_programs
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/checkpoint_programs.py $<TARGET_FILE:covec>)
set_tests_properties(grad.checkpoint_programs PROPERTIES LABELS grad)

# Branches, loops, exits, calls and updates in place under compositions of transformations: eager and compiled.
add_test(NAME grad.control_flow
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/control_flow.py $<TARGET_FILE:covec> --programs 60)
add_test(NAME grad.control_flow_lists
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/control_flow.py $<TARGET_FILE:covec> --programs 40 --lists)
add_test(NAME grad.control_flow_recursion
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/control_flow.py $<TARGET_FILE:covec> --programs 40 --recursion)
add_test(NAME grad.control_flow_long
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/control_flow.py $<TARGET_FILE:covec> --programs 1 --long)
set_tests_properties(grad.control_flow grad.control_flow_lists grad.control_flow_recursion grad.control_flow_long
                     PROPERTIES LABELS grad)
