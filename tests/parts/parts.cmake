# The compiler's parts by themselves, as text in and text out: an entry of ctest for each file of cases.
file(GLOB parts_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(parts_tests ${parts_sources} ${CMAKE_CURRENT_LIST_DIR}/../effects/noted.cpp)
target_link_libraries(parts_tests PRIVATE covec_jit covec_interpreter covec_frontend covec_stdlib)
file(GLOB parts_cases RELATIVE ${CMAKE_CURRENT_LIST_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*/*.txt)
list(FILTER parts_cases EXCLUDE REGEX "^runner/")
foreach(cases ${parts_cases})
  string(REPLACE "/" "." name ${cases})
  string(REPLACE ".txt" "" name ${name})
  add_test(NAME parts.${name} COMMAND parts_tests ${CMAKE_CURRENT_LIST_DIR}/${cases})
  set_tests_properties(parts.${name} PROPERTIES LABELS jit)
endforeach()

# The runner itself: each of these files is wrong in one way, and is to be told so.
foreach(mistake
    "no_outcome:4. the case before has no outcome: nothing"
    "no_arrow:4. the case before has no #=>: half"
    "no_input:5. the case before has no input: empty"
    "no_run:2. no #run: line in the head"
    "no_case:2. no case"
    "twice:6. a second case of this name: same"
    "stray_line:4. no such line: #>"
    "unknown_run:2. .*nothing is called bake"
    "unknown_pass:2. .*no pass is called polish"
    "no_graph:2. .*line 1: no operator is called"
    "invalid_graph:2. .*no valid graph as written"
    "difference:2: other.*-   return %0.*. unchanged")
  string(REGEX MATCH "^([a-z_]+)(.*)" matched ${mistake})
  set(file ${CMAKE_MATCH_1})
  add_test(NAME parts.runner.${file} COMMAND parts_tests ${CMAKE_CURRENT_LIST_DIR}/runner/${file}.txt)
  set_tests_properties(parts.runner.${file} PROPERTIES LABELS jit PASS_REGULAR_EXPRESSION "${file}.txt${CMAKE_MATCH_2}")
endforeach()
