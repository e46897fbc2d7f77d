# One test per script and instruction set: eager results must not depend on it. Nor must any result depend on who makes
# a call of a compiled function: with AVX2 that is drawn for each call.
file(GLOB language_scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.covec)
set(script_runner ${CMAKE_CURRENT_LIST_DIR}/run_scripts.py)
foreach(script ${language_scripts})
  get_filename_component(name ${script} NAME_WE)
  foreach(isa ${COVEC_ISAS})
    add_test(NAME language.${name}.${isa}
             COMMAND ${Python3_EXECUTABLE} ${script_runner} $<TARGET_FILE:covec> ${script})
    set_tests_properties(language.${name}.${isa} PROPERTIES LABELS language
                         ENVIRONMENT "COVEC_ISA=${isa}$<$<STREQUAL:${isa},avx2>:;COVEC_TIER=mixed>")
  endforeach()
endforeach()

# The number of threads changes no bit and no error of examples side by side; checked code has their elements one by one.
foreach(name draws_of_examples lanes_of_arrays lanes_of_examples lanes_of_loops lanes_of_odes lanes_of_vmaps)
  foreach(setting COVEC_THREADS=1 COVEC_THREADS=4 COVEC_CHECK=1 COVEC_ENGINE=compiled)
    add_test(NAME language.${name}.${setting} COMMAND ${Python3_EXECUTABLE} ${script_runner} $<TARGET_FILE:covec>
                                                      ${CMAKE_CURRENT_LIST_DIR}/${name}.covec)
    set_tests_properties(language.${name}.${setting} PROPERTIES LABELS language ENVIRONMENT ${setting})
  endforeach()
endforeach()

# The baseline computes fused multiply-adds without instructions for them: products of 800 rows take long.
set_tests_properties(language.zero_cotangents_large.baseline PROPERTIES COST 75)

add_test(NAME language.interrupt COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/interrupt_test.py $<TARGET_FILE:covec>)
set_tests_properties(language.interrupt PROPERTIES LABELS language)

foreach(isa ${COVEC_ISAS})
  add_test(NAME language.narrow_integers.${isa} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/narrow_integers_test.py $<TARGET_FILE:covec>)
  set_tests_properties(language.narrow_integers.${isa} PROPERTIES LABELS language ENVIRONMENT "COVEC_ISA=${isa}")
endforeach()
add_test(NAME language.fourier_numpy COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/fourier_test.py $<TARGET_FILE:covec> ${COVEC_ISAS})
set_tests_properties(language.fourier_numpy PROPERTIES LABELS language SKIP_RETURN_CODE 77)
add_test(NAME language.complex_expressions
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/complex_expressions_test.py $<TARGET_FILE:covec>)
set_tests_properties(language.complex_expressions PROPERTIES LABELS language COST 25)
add_test(NAME language.einsum COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/einsum_test.py $<TARGET_FILE:covec> 1 ${COVEC_ISAS})
set_tests_properties(language.einsum PROPERTIES LABELS language)
