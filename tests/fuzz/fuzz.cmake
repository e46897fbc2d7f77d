# A short run of the random programs; the soak is the same script with more of them. What it once found stays fixed.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(fuzz_runner ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run.py --covec $<TARGET_FILE:covec> --jobs 2)
set(fuzz_engines eager,eager-baseline/4,compiled-avx2,compiled-avx512,c99/20)
add_test(NAME fuzz.short COMMAND ${fuzz_runner} --programs 200 --seed 1 --engines ${fuzz_engines} --stop-after 5
                                 --found ${CMAKE_BINARY_DIR}/fuzz_found)
set_tests_properties(fuzz.short PROPERTIES LABELS fuzz)

file(GLOB fuzz_found CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/found/*.covec)
if(fuzz_found)
  add_test(NAME fuzz.found COMMAND ${fuzz_runner} --engines eager,eager-baseline,compiled-avx2,compiled-avx512,c99 ${fuzz_found})
  set_tests_properties(fuzz.found PROPERTIES LABELS fuzz)
endif()

# The runner sees a difference where there is one: an engine that prints wrong numbers is found out.
add_test(NAME fuzz.sees COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sees_test.py $<TARGET_FILE:covec>)
set_tests_properties(fuzz.sees PROPERTIES LABELS fuzz)
