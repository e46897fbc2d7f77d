# Special cases of the Python array API standard: eagerly and compiled, and on the machine without vectors. Through C99,
# where a function takes a compiler some tenths of a second, each function is compiled once for vectors and numbers.
foreach(way ${COVEC_ISAS} c99)
  set(arguments)
  if(way STREQUAL c99)
    set(environment COVEC_ENGINE=c99)
    set(arguments --short)
  else()
    set(environment COVEC_ISA=${way})
  endif()
  add_test(NAME array_api.${way}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run.py $<TARGET_FILE:covec> ${arguments})
  set_tests_properties(array_api.${way} PROPERTIES ENVIRONMENT ${environment} LABELS array_api)
endforeach()
