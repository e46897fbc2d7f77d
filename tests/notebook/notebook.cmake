# The kernel of notebooks. Jupyter's parts are packages of Debian's Python, which need not be the first on the path.
add_test(NAME notebook.kernel COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/kernel_test.py $<TARGET_FILE:covec>)
foreach(name jupyter convert)
  add_test(NAME notebook.${name} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py $<TARGET_FILE:covec>)
endforeach()
