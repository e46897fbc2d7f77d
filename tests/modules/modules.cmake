# The modules written in Covec, as a program uses them and with every function compiled.
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.covec)
foreach(script ${scripts})
  cmake_path(GET script STEM name)
  add_test(NAME modules.${name}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../docs/run_snippets.py --covec $<TARGET_FILE:covec>
            --root ${CMAKE_SOURCE_DIR} ${script})
  file(STRINGS ${script} tests REGEX "^@test")
  if(tests)  # functions that the program itself does not call
    add_test(NAME modules.${name}.functions COMMAND covec test ${script})
    add_test(NAME modules.${name}.functions.compiled COMMAND covec test ${script})
    set_tests_properties(modules.${name}.functions.compiled PROPERTIES ENVIRONMENT COVEC_ENGINE=compiled)
  endif()
  if(name STREQUAL optim_steps_test)  # it asks a function that then has no code of its own, being a part of its caller's
    continue()
  endif()
  add_test(NAME modules.${name}.compiled
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../docs/run_snippets.py --covec $<TARGET_FILE:covec>
            --root ${CMAKE_SOURCE_DIR} ${script})
  set_tests_properties(modules.${name}.compiled PROPERTIES ENVIRONMENT COVEC_ENGINE=compiled)
endforeach()
