# A short run of the random programs and of the mutants; the soak is the same script with more of them. What it once found
# stays fixed.
add_executable(fuzz_session ${CMAKE_CURRENT_LIST_DIR}/session.cpp)
target_link_libraries(fuzz_session PRIVATE covec_jit covec_interpreter covec_frontend)
target_link_options(fuzz_session PRIVATE -static-libstdc++ -static-libgcc)  # like the command: started for every program
set(fuzz_runner ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run.py --covec $<TARGET_FILE:covec>
                --session $<TARGET_FILE:fuzz_session>)
# The checked engines look before each place that code computes (COVEC_CHECK).
set(fuzz_engines eager eager-baseline/4 compiled-avx2 compiled-avx512 checked-avx2/4 checked-avx512/4 c99/20)
set(found_engines eager eager-baseline compiled-avx2 compiled-avx512 c99)
foreach(isa ${missing_isas})
  list(FILTER fuzz_engines EXCLUDE REGEX ${isa})
  list(FILTER found_engines EXCLUDE REGEX ${isa})
endforeach()
list(JOIN fuzz_engines "," fuzz_engines)
list(JOIN found_engines "," found_engines)
add_test(NAME fuzz.short COMMAND ${fuzz_runner} --jobs 2 --programs 200 --seed 201 --engines ${fuzz_engines} --stop-after 5
                                 --found ${CMAKE_BINARY_DIR}/fuzz_found)
set_tests_properties(fuzz.short PROPERTIES LABELS fuzz COST 15)
# Some mutants count for ever. The others need about a second at most, so that 4 tell them apart.
foreach(part 0 1 2 3)
  math(EXPR seed "401 + 50 * ${part}")
  add_test(NAME fuzz.mutants.${part} COMMAND ${fuzz_runner} --jobs 1 --kind mutants --programs 50 --seed ${seed} --limit 4
                                             --engines ${fuzz_engines} --stop-after 5 --found ${CMAKE_BINARY_DIR}/fuzz_found)
  set_tests_properties(fuzz.mutants.${part} PROPERTIES LABELS fuzz COST 15)
endforeach()

file(GLOB fuzz_found CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/found/*.covec)
if(fuzz_found)
  add_test(NAME fuzz.found COMMAND ${fuzz_runner} --jobs 2 --engines ${found_engines} ${fuzz_found})
  set_tests_properties(fuzz.found PROPERTIES LABELS fuzz COST 10)
endif()

# The runner sees a difference where there is one: an engine that prints wrong numbers is found out.
if(avx2 IN_LIST COVEC_ISAS)
  add_test(NAME fuzz.sees COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sees_test.py $<TARGET_FILE:covec> $<TARGET_FILE:fuzz_session>)
  set_tests_properties(fuzz.sees PROPERTIES LABELS fuzz)
endif()

# Functions as C: the same bits as machine code, or refused.
add_test(NAME fuzz.emitted COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/emitted.py --covec $<TARGET_FILE:covec> --programs 20
                                   --seed 1 --jobs 2 --found ${CMAKE_BINARY_DIR}/fuzz_found)
set_tests_properties(fuzz.emitted PROPERTIES LABELS fuzz)

# Moves of elements as C, of any extent.
add_test(NAME fuzz.moves COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/moves.py --covec $<TARGET_FILE:covec> --programs 2 --seed 2)
set_tests_properties(fuzz.moves PROPERTIES LABELS fuzz)

# Random programs write all of the language: a builtin or an option that is new must be taught to them.
add_test(NAME fuzz.covers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/covers.py --covec $<TARGET_FILE:covec> --programs 6000)
set_tests_properties(fuzz.covers PROPERTIES LABELS fuzz COST 8)

# Values and gradients against NumPy and mpmath, in whichever Python has both.
set(values_python ${Python3_EXECUTABLE})
foreach(python ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${python} -c "import numpy, mpmath" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status STREQUAL 0)
    set(values_python ${python})
    break()
  endif()
endforeach()
add_test(NAME fuzz.values COMMAND ${values_python} ${CMAKE_CURRENT_LIST_DIR}/values.py --session $<TARGET_FILE:fuzz_session> --cases 60)
set_tests_properties(fuzz.values PROPERTIES LABELS fuzz SKIP_RETURN_CODE 77)

# Functions of matrices, each eagerly and as code, with derivatives and over examples.
add_test(NAME fuzz.arrays COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/arrays.py --covec $<TARGET_FILE:covec> --programs 20
                                  --found ${CMAKE_BINARY_DIR}/fuzz_found)
set_tests_properties(fuzz.arrays PROPERTIES LABELS fuzz COST 10)
# Of complex vectors behind branches, loops, records, lists and calls.
add_test(NAME fuzz.complex COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/arrays.py --covec $<TARGET_FILE:covec> --complex
                                   --programs 10 --found ${CMAKE_BINARY_DIR}/fuzz_found)
set_tests_properties(fuzz.complex PROPERTIES LABELS fuzz COST 8)
