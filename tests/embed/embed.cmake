# The embedding interface: unit tests, hosts that live dangerously, and the two example hosts built and run as a host
# would.
find_package(TBB REQUIRED)
set(embed_folder ${CMAKE_CURRENT_SOURCE_DIR}/embed)

add_executable(embed_tests ${embed_folder}/calls_test.cpp ${embed_folder}/cpp_test.cpp ${embed_folder}/dlpack_test.cpp
               ${embed_folder}/environments_test.cpp ${embed_folder}/functions_test.cpp ${embed_folder}/gate_test.cpp
               ${embed_folder}/growth_test.cpp ${embed_folder}/host_callbacks_test.cpp
               ${embed_folder}/host_functions_test.cpp ${embed_folder}/limits_test.cpp ${embed_folder}/misuse_test.cpp ${embed_folder}/random_test.cpp ${embed_folder}/ranks_test.cpp
               ${embed_folder}/sessions_test.cpp ${embed_folder}/stacks_test.cpp ${embed_folder}/threads_test.cpp
               ${embed_folder}/values_test.cpp)
target_link_libraries(embed_tests PRIVATE covec_flags covec_host GTest::gtest_main TBB::tbb)
# A locale with a decimal comma, made here: a machine need not have one installed.
find_program(LOCALEDEF localedef)
if(LOCALEDEF AND EXISTS /usr/share/i18n/locales/de_DE)
  set(embed_locales ${CMAKE_CURRENT_BINARY_DIR}/locales)
  add_custom_command(OUTPUT ${embed_locales}/de_DE.UTF-8/LC_NUMERIC
    COMMAND ${CMAKE_COMMAND} -E make_directory ${embed_locales}
    COMMAND ${LOCALEDEF} --no-archive -i de_DE -f UTF-8 ${embed_locales}/de_DE.UTF-8 VERBATIM)
  add_custom_target(embed_locale DEPENDS ${embed_locales}/de_DE.UTF-8/LC_NUMERIC)
  add_dependencies(embed_tests embed_locale)
  list(APPEND embed_environment "LOCPATH=${embed_locales}")
endif()
gtest_discover_tests(embed_tests TEST_PREFIX "embed." DISCOVERY_TIMEOUT 60
                     PROPERTIES ENVIRONMENT "${embed_environment}")

# Hostile programs under limits; each kind in a process of its own, whose memory is looked at.
add_executable(embed_hostile ${embed_folder}/hostile_test.cpp ${embed_folder}/hostile_scripts.cpp)
target_link_libraries(embed_hostile PRIVATE covec_flags covec_host GTest::gtest_main)
gtest_discover_tests(embed_hostile TEST_PREFIX "embed." DISCOVERY_TIMEOUT 60)

# Prepared calls, by themselves: they count what is taken from malloc.
add_executable(embed_prepared ${embed_folder}/prepared_test.cpp ${embed_folder}/prepared_errors_test.cpp
               ${embed_folder}/prepared_threads_test.cpp)
target_link_libraries(embed_prepared PRIVATE covec_flags covec_host GTest::gtest_main Threads::Threads)
gtest_discover_tests(embed_prepared TEST_PREFIX "embed." DISCOVERY_TIMEOUT 60)

# A host that is sanitized, with a libcovec that is not: both must agree on whose memory is whose.
if(NOT COVEC_SANITIZE)
  add_executable(embed_asan ${embed_folder}/dlpack_test.cpp ${embed_folder}/functions_test.cpp
                 ${embed_folder}/host_callbacks_test.cpp ${embed_folder}/host_functions_test.cpp
                 ${embed_folder}/misuse_test.cpp ${embed_folder}/prepared_errors_test.cpp
                 ${embed_folder}/prepared_test.cpp ${embed_folder}/random_test.cpp ${embed_folder}/sessions_test.cpp
                 ${embed_folder}/values_test.cpp)
  target_link_libraries(embed_asan PRIVATE covec_flags covec_host GTest::gtest_main)
  # Sanitized, all sources together take GCC two minutes with optimization, and each alone three seconds without.
  target_compile_options(embed_asan PRIVATE -fsanitize=address,undefined -O0 -g1)
  set_target_properties(embed_asan PROPERTIES COVEC_ALONE ON)
  target_link_options(embed_asan PRIVATE -fsanitize=address,undefined)
  add_test(NAME embed.asan_host COMMAND embed_asan)
  # Fontconfig, which draws texts of figures, keeps what it has read.
  set_tests_properties(embed.asan_host PROPERTIES
    ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tools/lsan.supp:print_suppressions=0")
  add_executable(embed_own_new ${embed_folder}/own_new.cpp)
  target_link_libraries(embed_own_new PRIVATE covec_flags covec_host)
  add_test(NAME embed.own_new COMMAND embed_own_new)
endif()

# The command sets its environment itself, before its threads start.
if(NOT COVEC_SANITIZE)
  add_library(embed_odd_environment MODULE ${embed_folder}/odd_environment.c)
  add_test(NAME embed.command_environment
           COMMAND covec -e "x = linspace(1.0, 2.0, 300001)\nprint(1e-310 * 0.5, -1.0 / 3.0, 2.0 / 3.0, sum(x / 3.0), sum(x * 1e-310))")
  set_tests_properties(embed.command_environment PROPERTIES
    ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:embed_odd_environment>"
    PASS_REGULAR_EXPRESSION "^5e-311 -0.3333333333333333 0.6666666666666666 150000.5 4.5000149999999864e-305\n$")
endif()

add_executable(embed_unload ${embed_folder}/unload.c)
target_include_directories(embed_unload PRIVATE ${CMAKE_SOURCE_DIR}/interpreter/include)
target_link_libraries(embed_unload PRIVATE covec_flags Threads::Threads ${CMAKE_DL_LIBS})
add_dependencies(embed_unload covec_host)
add_test(NAME embed.unload COMMAND embed_unload $<TARGET_FILE:covec_host>)

# A processor without AVX2 has no emulator here: what it would run is looked at instead.
if(NOT COVEC_SANITIZE)
  add_test(NAME embed.baseline COMMAND ${Python3_EXECUTABLE} ${embed_folder}/library/baseline_test.py ${CMAKE_BINARY_DIR})
endif()

# What the library shows, and what it needs.
add_test(NAME embed.symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DREADELF=${CMAKE_READELF}
         -DLIBRARY=$<TARGET_FILE:covec_host> -P ${embed_folder}/library/symbols.cmake)

# What hosts have been promised.
add_test(NAME embed.abi COMMAND ${Python3_EXECUTABLE} ${embed_folder}/library/abi_test.py
         ${CMAKE_SOURCE_DIR}/interpreter/include/covec/covec.h $<TARGET_FILE:covec_host> ${embed_folder}/library/abi.txt
         ${CMAKE_C_COMPILER} ${CMAKE_READELF})

add_executable(embed_c ${CMAKE_SOURCE_DIR}/examples/embed_c/main.c)
target_link_libraries(embed_c PRIVATE covec_flags covec_host)
add_test(NAME embed.c_host COMMAND embed_c)
set_tests_properties(embed.c_host PROPERTIES PASS_REGULAR_EXPRESSION "w = 3.000 -1.000\nline 1: cannot add")

add_executable(embed_c_prepared ${CMAKE_SOURCE_DIR}/examples/embed_prepared/main.c)
target_link_libraries(embed_c_prepared PRIVATE covec_flags covec_host)
add_test(NAME embed.c_prepared COMMAND embed_c_prepared)
set_tests_properties(embed.c_prepared PROPERTIES PASS_REGULAR_EXPRESSION
                     "at 1.000\ncontroller:6:19: index error: index 2 is out of range")
add_executable(embed_c_functions ${CMAKE_SOURCE_DIR}/examples/embed_c/functions.c)
target_link_libraries(embed_c_functions PRIVATE covec_flags covec_host)
add_test(NAME embed.c_functions COMMAND embed_c_functions)
set_tests_properties(embed.c_functions PROPERTIES PASS_REGULAR_EXPRESSION "^10.5 2[12].*\nline 2: x lies beyond the table")

add_executable(embed_cpp ${CMAKE_SOURCE_DIR}/examples/embed_cpp/main.cpp)
target_link_libraries(embed_cpp PRIVATE covec_flags covec_host)
add_test(NAME embed.cpp_host COMMAND embed_cpp)
set_tests_properties(embed.cpp_host PROPERTIES PASS_REGULAR_EXPRESSION "slope 2.00.*unknown name")

# Hosts outside of this tree, against what is installed.
if(NOT COVEC_SANITIZE)
  add_test(NAME embed.hosts COMMAND ${Python3_EXECUTABLE} ${embed_folder}/library/hosts_test.py ${CMAKE_COMMAND}
           ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/examples/hosts)
  set_tests_properties(embed.hosts PROPERTIES COST 14)
endif()
