# Unit tests of the frontend, with a table of builtins of their own.
add_executable(frontend_tests
  ${CMAKE_CURRENT_LIST_DIR}/frontend_depth.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frontend_diagnostics.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frontend_errors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frontend_liveness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frontend_liveness_walk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frontend_resolve.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frontend_syntax.cpp)
target_link_libraries(frontend_tests PRIVATE covec_frontend covec_common GTest::gtest_main)
gtest_discover_tests(frontend_tests DISCOVERY_MODE PRE_TEST)
