# ctest reads this file before it runs tests. The tests of all checkouts share a cache on disk: the libraries of the C99 oracle
# (stdlib/gate/c_library.cpp) and what PoCL has compiled. COVEC_TEST_CACHE may name another folder. Without a home there is none.
if(NOT DEFINED ENV{COVEC_TEST_CACHE})
  if(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(ENV{COVEC_TEST_CACHE} $ENV{XDG_CACHE_HOME}/covec-tests)
  elseif(NOT "$ENV{HOME}" STREQUAL "")
    set(ENV{COVEC_TEST_CACHE} $ENV{HOME}/.cache/covec-tests)
  endif()
endif()
if(NOT "$ENV{COVEC_TEST_CACHE}" STREQUAL "")
  execute_process(COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/../tools/trim_test_cache.py $ENV{COVEC_TEST_CACHE}
                  OUTPUT_QUIET ERROR_QUIET)
  if(IS_DIRECTORY $ENV{COVEC_TEST_CACHE}/pocl)
    set(ENV{POCL_CACHE_DIR} $ENV{COVEC_TEST_CACHE}/pocl)
  else()
    set(ENV{COVEC_TEST_CACHE} "")
  endif()
endif()
