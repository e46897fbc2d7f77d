# The modules written in Covec, as a program uses them and with every function compiled.
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.covec)
foreach(script ${scripts})
  cmake_path(GET script STEM name)
  add_test(NAME modules.${name}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../docs/run_snippets.py --covec $<TARGET_FILE:covec>
            --root ${CMAKE_SOURCE_DIR} ${script})
  if(name STREQUAL optim_steps_test)  # it asks a function that then has no code of its own, being a part of its caller's
    continue()
  endif()
  add_test(NAME modules.${name}.compiled
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../docs/run_snippets.py --covec $<TARGET_FILE:covec>
            --root ${CMAKE_SOURCE_DIR} ${script})
  set_tests_properties(modules.${name}.compiled PROPERTIES ENVIRONMENT COVEC_ENGINE=compiled)
endforeach()
