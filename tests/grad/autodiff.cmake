# Derivatives and vmap of the eager engine, with functions written in C++.
add_executable(autodiff_test
  ${CMAKE_CURRENT_LIST_DIR}/gradients.cpp
  ${CMAKE_CURRENT_LIST_DIR}/nesting.cpp
  ${CMAKE_CURRENT_LIST_DIR}/vmaps.cpp
  ${CMAKE_CURRENT_LIST_DIR}/jacobians.cpp
  ${CMAKE_CURRENT_LIST_DIR}/composites.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mistakes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/union_dag.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_programs.cpp)
target_link_libraries(autodiff_test PRIVATE covec_stdlib covec_flags GTest::gtest_main)
gtest_discover_tests(autodiff_test PROPERTIES LABELS grad)

# Functions under checkpoint with control flow, on both engines.
add_test(NAME grad.checkpoint_programs
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/checkpoint_programs.py $<TARGET_FILE:covec>)
set_tests_properties(grad.checkpoint_programs PROPERTIES LABELS grad COST 12)

# Pullbacks and other functions that hold active values, given to functions with rules: against Taylor series.
add_test(NAME grad.hidden_captures
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/hidden_captures.py $<TARGET_FILE:covec>)
set_tests_properties(grad.hidden_captures PROPERTIES LABELS grad COST 6)

# Branches, loops, exits, calls and updates in place under compositions of transformations: eager and compiled. The compiler takes
# the time, so random programs are divided by their seeds.
function(covec_control_flow name programs seed)
  add_test(NAME grad.control_flow${name}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/control_flow.py $<TARGET_FILE:covec> --programs ${programs}
                   --seed ${seed} ${ARGN})
  set_tests_properties(grad.control_flow${name} PROPERTIES LABELS grad COST 12)
endfunction()
covec_control_flow(.0 30 1)
covec_control_flow(.1 30 31)
covec_control_flow(_lists 40 1 --lists)
covec_control_flow(_filters 30 1 --filters)
covec_control_flow(_recursion.0 13 1 --recursion)
covec_control_flow(_recursion.1 13 14 --recursion)
covec_control_flow(_recursion.2 14 27 --recursion)
covec_control_flow(_long 1 1 --long)

# Functions of numbers over examples that run side by side, and loops that set elements: eager, compiled, and one by one.
function(covec_random_programs script part programs seed setting)
  if(part IN_LIST missing_isas)
    return()
  endif()
  add_test(NAME grad.${script}.${part} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/${script}.py
    $<TARGET_FILE:covec> --programs ${programs} --seed ${seed})
  set_tests_properties(grad.${script}.${part} PROPERTIES LABELS grad COST 5 ENVIRONMENT ${setting})
endfunction()
covec_random_programs(lanes avx512 120 1 COVEC_ISA=avx512)
covec_random_programs(lanes avx2 120 121 COVEC_ISA=avx2)
covec_random_programs(lanes checked 60 241 COVEC_CHECK=1)

# Loops over elements that keep a number of each iteration.
covec_random_programs(element_loops avx512 100 1 COVEC_ISA=avx512)
covec_random_programs(element_loops avx2 100 101 COVEC_ISA=avx2)
covec_random_programs(element_loops checked 60 201 COVEC_CHECK=1)

# Loops over rows, short ones of which are computed column by column.
covec_random_programs(row_programs avx512 60 1 COVEC_ISA=avx512)
covec_random_programs(row_programs avx2 60 61 COVEC_ISA=avx2)
covec_random_programs(row_programs checked 30 121 COVEC_CHECK=1)

# Random programs under random mixtures of derivatives up to order 4, against Taylor series in Python; eager and compiled.
# `known`: mixtures that differ until they are repaired (docs/reliability.md, "What is known and not repaired").
function(covec_taylor part seed known)
  add_test(NAME grad.taylor.${part}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/taylor/check.py $<TARGET_FILE:covec> --count 100 --seed ${seed}
                   --known "${known}" ${ARGN})
  set_tests_properties(grad.taylor.${part} PROPERTIES LABELS grad COST 15)
endfunction()
covec_taylor(0 1 "")
covec_taylor(1 101 "111.1")
covec_taylor(2 201 "")
covec_taylor(filters 1 "" --filters)
add_test(NAME grad.taylor.sees COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/taylor/sees_test.py $<TARGET_FILE:covec>)
set_tests_properties(grad.taylor.sees PROPERTIES LABELS grad)
add_test(NAME grad.taylor.patterns COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/taylor/patterns.py $<TARGET_FILE:covec>)
set_tests_properties(grad.taylor.patterns PROPERTIES LABELS grad COST 12)
# What these programs found: a rule on a path that is not taken, and products of vectors over examples.
foreach(seed 2411 5373)
  add_test(NAME grad.taylor.patterns.${seed}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/taylor/patterns.py $<TARGET_FILE:covec> --count 1 --seed ${seed})
  set_tests_properties(grad.taylor.patterns.${seed} PROPERTIES LABELS grad)
endforeach()
