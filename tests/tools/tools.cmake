# The commands of tools/, on machines where something is missing.
add_test(NAME tools COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/tools_test.py)
add_test(NAME tools.checks COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/checks_test.py)
# covec dump and covec verify.
add_test(NAME tools.commands COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/commands_test.py $<TARGET_FILE:covec>)
# covec check, and errors as JSON.
add_test(NAME tools.check COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_test.py $<TARGET_FILE:covec>
         ${CMAKE_SOURCE_DIR}/docs)
add_test(NAME tools.fmt COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/fmt_test.py $<TARGET_FILE:covec>
         ${CMAKE_SOURCE_DIR})
# Functions as C that needs nothing else.
foreach(part 0 1 2 3)
  add_test(NAME tools.emit.${part}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/emit_test.py $<TARGET_FILE:covec> ${part}/4)
  set_tests_properties(tools.emit.${part} PROPERTIES COST 30)
endforeach()
# What tests keep on disk.
add_test(NAME tools.cache COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/cache_test.py $<TARGET_FILE:covec>
         ${CMAKE_SOURCE_DIR}/tools/trim_test_cache.py)
add_test(NAME tools.sandbox COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sandbox_test.py $<TARGET_FILE:covec>)
add_test(NAME tools.streams COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/streams_test.py $<TARGET_FILE:covec>)
add_test(NAME tools.explain COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/explain_test.py $<TARGET_FILE:covec>)
add_test(NAME tools.bench COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/bench_test.py $<TARGET_FILE:covec>)
# covec profile. Sanitized code takes its time elsewhere.
if(NOT COVEC_SANITIZE)
  add_test(NAME tools.profile COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/profile_test.py $<TARGET_FILE:covec>
           ${CMAKE_SOURCE_DIR})
endif()
add_test(NAME tools.profile_memory COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/profile_memory_test.py
         $<TARGET_FILE:covec> ${CMAKE_SOURCE_DIR})
# What a program asks of whoever runs it.
add_test(NAME tools.program COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/program_test.py $<TARGET_FILE:covec>)

# Where memory ends. Sanitizers have an allocator of their own.
if(NOT COVEC_SANITIZE)
  add_library(memory_shim MODULE ${CMAKE_CURRENT_LIST_DIR}/memory_shim.c)
  target_link_libraries(memory_shim PRIVATE covec_flags ${CMAKE_DL_LIBS})
  add_test(NAME tools.memory COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/memory_test.py $<TARGET_FILE:covec>
           $<TARGET_FILE:memory_shim>)
  set_tests_properties(tools.memory PROPERTIES COST 25)
endif()

# The versions agree, and the packages work on a machine that has nothing else.
if(NOT COVEC_SANITIZE)
  add_test(NAME tools.packages COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/packages_test.py ${CMAKE_SOURCE_DIR}
           ${CMAKE_BINARY_DIR})
endif()
