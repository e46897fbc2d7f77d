# The REPL, through a pseudo-terminal (python3-pexpect).
foreach(name editing answers manual debug commands)
  add_test(NAME repl.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py $<TARGET_FILE:covec>)
endforeach()
