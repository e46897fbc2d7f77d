# The embedding interface: unit tests, hosts that live dangerously, and the two example hosts built and run as a host
# would.
find_package(TBB REQUIRED)
set(embed_folder ${CMAKE_CURRENT_SOURCE_DIR}/embed)
set(embed_environment "TSAN_OPTIONS=suppressions=${embed_folder}/tsan.supp")

add_executable(embed_tests ${embed_folder}/environments_test.cpp ${embed_folder}/growth_test.cpp
               ${embed_folder}/misuse_test.cpp ${embed_folder}/sessions_test.cpp ${embed_folder}/stacks_test.cpp)
target_link_libraries(embed_tests PRIVATE covec_flags covec_host GTest::gtest_main TBB::tbb)
gtest_discover_tests(embed_tests TEST_PREFIX "embed." DISCOVERY_TIMEOUT 60
                     PROPERTIES ENVIRONMENT "${embed_environment}")

# A host that is sanitized, with a libcovec that is not: both must agree on whose memory is whose.
if(NOT COVEC_SANITIZE)
  add_executable(embed_asan ${embed_folder}/misuse_test.cpp ${embed_folder}/sessions_test.cpp)
  target_link_libraries(embed_asan PRIVATE covec_flags covec_host GTest::gtest_main)
  target_compile_options(embed_asan PRIVATE -fsanitize=address,undefined -g)
  target_link_options(embed_asan PRIVATE -fsanitize=address,undefined)
  add_test(NAME embed.asan_host COMMAND embed_asan)
  add_executable(embed_own_new ${embed_folder}/own_new.cpp)
  target_link_libraries(embed_own_new PRIVATE covec_flags covec_host)
  add_test(NAME embed.own_new COMMAND embed_own_new)
endif()

add_executable(embed_unload ${embed_folder}/unload.c)
target_include_directories(embed_unload PRIVATE ${CMAKE_SOURCE_DIR}/interpreter/include)
target_link_libraries(embed_unload PRIVATE covec_flags Threads::Threads ${CMAKE_DL_LIBS})
add_dependencies(embed_unload covec_host)
add_test(NAME embed.unload COMMAND embed_unload $<TARGET_FILE:covec_host>)

# What the library shows, and what it needs.
add_test(NAME embed.symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DREADELF=${CMAKE_READELF}
         -DLIBRARY=$<TARGET_FILE:covec_host> -P ${embed_folder}/library/symbols.cmake)

add_executable(embed_c ${CMAKE_SOURCE_DIR}/examples/embed_c/main.c)
target_link_libraries(embed_c PRIVATE covec_flags covec_host)
add_test(NAME embed.c_host COMMAND embed_c)
set_tests_properties(embed.c_host PROPERTIES PASS_REGULAR_EXPRESSION "w = 3.000 -1.000\nline 1: cannot add")

add_executable(embed_cpp ${CMAKE_SOURCE_DIR}/examples/embed_cpp/main.cpp)
target_link_libraries(embed_cpp PRIVATE covec_flags covec_host)
add_test(NAME embed.cpp_host COMMAND embed_cpp)
set_tests_properties(embed.cpp_host PROPERTIES PASS_REGULAR_EXPRESSION "slope 2.00.*unknown name")
