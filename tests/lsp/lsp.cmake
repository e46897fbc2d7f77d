# The language server, through clients.
add_test(NAME lsp.server COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/server_test.py $<TARGET_FILE:covec>)
add_test(NAME lsp.navigation COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/navigation_test.py $<TARGET_FILE:covec>)
add_test(NAME lsp.rename COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/rename_test.py $<TARGET_FILE:covec>)
add_test(NAME lsp.fixes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/fixes_test.py $<TARGET_FILE:covec>)
add_test(NAME lsp.shapes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/shapes_test.py $<TARGET_FILE:covec>)
add_test(NAME lsp.edits COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/edits_test.py $<TARGET_FILE:covec>)
add_test(NAME lsp.neovim COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/neovim_test.py $<TARGET_FILE:covec>)
