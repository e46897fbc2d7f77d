# The kernel of notebooks.
add_test(NAME notebook.kernel COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/kernel_test.py $<TARGET_FILE:covec>)
add_test(NAME notebook.jupyter COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/jupyter_test.py $<TARGET_FILE:covec>)
add_test(NAME notebook.convert COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/convert_test.py $<TARGET_FILE:covec>)
