# Files that programs read.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME files.read_csv
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/read_csv_test.py $<TARGET_FILE:covec>)
