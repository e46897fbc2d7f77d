# The same on every engine: operators' entries, and every script of the language, compiled with AVX2, AVX-512 and through C99.
add_executable(engine_tests ${CMAKE_CURRENT_LIST_DIR}/entries_test.cpp ${CMAKE_CURRENT_LIST_DIR}/../ops/entries_support.cpp)
target_link_libraries(engine_tests PRIVATE covec_jit covec_interpreter covec_frontend covec_stdlib GTest::gtest)
add_executable(mistake_tests ${CMAKE_CURRENT_LIST_DIR}/mistakes_test.cpp)
target_link_libraries(mistake_tests PRIVATE covec_jit covec_interpreter covec_frontend covec_stdlib)
foreach(engine avx2 avx512 c99)
  add_test(NAME engines.mistakes.${engine} COMMAND mistake_tests ${engine})
  set_tests_properties(engines.mistakes.${engine} PROPERTIES LABELS engines)
endforeach()
foreach(engine avx2 avx512)
  add_test(NAME engines.entries.${engine} COMMAND engine_tests ${engine})
  set_tests_properties(engines.entries.${engine} PROPERTIES LABELS engines)
endforeach()
foreach(part 0 1 2 3)  # cc takes some minutes
  add_test(NAME engines.entries.c99.${part} COMMAND engine_tests c99 ${part} 4)
  set_tests_properties(engines.entries.c99.${part} PROPERTIES LABELS engines)
endforeach()

# And once more with memory guarded and places looked at before they are used.
foreach(engine avx2 avx512)
  add_test(NAME engines.entries.${engine}_checked COMMAND engine_tests ${engine})
  set_tests_properties(engines.entries.${engine}_checked PROPERTIES LABELS engines ENVIRONMENT COVEC_CHECK=1)
endforeach()

file(GLOB language_scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../language/*.covec)
set(script_runner ${CMAKE_CURRENT_LIST_DIR}/../language/run_scripts.py)
set(long_in_c control_flow_shapes)  # the C compiler takes minutes for so many functions
foreach(script ${language_scripts})
  get_filename_component(name ${script} NAME_WE)
  foreach(engine avx2 avx512 c99)
    if(engine STREQUAL c99 AND name IN_LIST long_in_c)
      continue()
    endif()
    add_test(NAME engines.${name}.${engine} COMMAND ${Python3_EXECUTABLE} ${script_runner} $<TARGET_FILE:covec> ${script})
    if(engine STREQUAL c99)
      set_tests_properties(engines.${name}.${engine} PROPERTIES ENVIRONMENT COVEC_ENGINE=c99 LABELS engines)
    else()
      set_tests_properties(engines.${name}.${engine} PROPERTIES LABELS engines
                           ENVIRONMENT "COVEC_ENGINE=compiled;COVEC_ISA=${engine}")
      add_test(NAME engines.${name}.${engine}_checked
               COMMAND ${Python3_EXECUTABLE} ${script_runner} $<TARGET_FILE:covec> ${script})
      set_tests_properties(engines.${name}.${engine}_checked PROPERTIES LABELS engines
                           ENVIRONMENT "COVEC_ENGINE=compiled;COVEC_ISA=${engine};COVEC_CHECK=1")
    endif()
  endforeach()
endforeach()
