# Programs on several ranks: on a simulated cluster of threads, and under the launchers of two MPI libraries.
set(cluster_folder ${CMAKE_CURRENT_LIST_DIR})
file(GLOB cluster_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/programs/*.covec)
add_executable(cluster_tests ${cluster_folder}/cluster_test.cpp ${cluster_folder}/launcher_test.cpp
               ${cluster_folder}/gradients_test.cpp ${cluster_folder}/random_losses.cpp
               ${cluster_folder}/order_test.cpp ${cluster_folder}/random_collectives.cpp
               ${cluster_folder}/pair_sum_test.cpp ${cluster_folder}/ranks_test.cpp ${cluster_folder}/simulated.cpp)
target_link_libraries(cluster_tests PRIVATE covec_jit covec_interpreter covec_frontend GTest::gtest_main)
target_compile_definitions(cluster_tests PRIVATE COVEC_CLUSTER_PROGRAMS="${cluster_folder}/programs")
gtest_discover_tests(cluster_tests TEST_PREFIX "cluster." DISCOVERY_MODE PRE_TEST PROPERTIES LABELS cluster)
# Random programs with collectives (tests/fuzz/ranks.py).
add_executable(cluster_programs ${cluster_folder}/run_programs.cpp ${cluster_folder}/simulated.cpp)
target_link_libraries(cluster_programs PRIVATE covec_jit covec_interpreter covec_frontend)
add_test(NAME cluster.random
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/ranks.py --covec $<TARGET_FILE:covec> --runner
                 $<TARGET_FILE:cluster_programs>)
set_tests_properties(cluster.random PROPERTIES LABELS cluster COST 10)
foreach(part programs errors language libraries)
  add_test(NAME cluster.mpi.${part}
           COMMAND ${Python3_EXECUTABLE} ${cluster_folder}/mpi_test.py $<TARGET_FILE:covec> ${part})
  set_tests_properties(cluster.mpi.${part} PROPERTIES SKIP_RETURN_CODE 77 LABELS cluster RUN_SERIAL TRUE)
endforeach()
add_test(NAME cluster.mpi.examples COMMAND ${Python3_EXECUTABLE} ${cluster_folder}/examples_test.py $<TARGET_FILE:covec>)
set_tests_properties(cluster.mpi.examples PROPERTIES SKIP_RETURN_CODE 77 LABELS cluster RUN_SERIAL TRUE)
# Hosts with an MPI of their own.
if(NOT COVEC_SANITIZE)
  if(TARGET covec_python)
    set(cluster_python ${COVEC_PYTHON_EXECUTABLE} ${CMAKE_BINARY_DIR}/python)
  endif()
  add_test(NAME cluster.mpi.hosts
           COMMAND ${Python3_EXECUTABLE} ${cluster_folder}/hosts_test.py ${CMAKE_SOURCE_DIR}/interpreter/include
                   $<TARGET_FILE_DIR:covec_host> ${cluster_python})
  set_tests_properties(cluster.mpi.hosts PROPERTIES SKIP_RETURN_CODE 77 LABELS cluster RUN_SERIAL TRUE)
endif()
# The same programs without a launcher, whose prints stand in them.
foreach(engine eager compiled)
  add_test(NAME cluster.alone.${engine}
           COMMAND_EXPAND_LISTS COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/language/run_scripts.py
                   $<TARGET_FILE:covec> ${cluster_programs})
  set_tests_properties(cluster.alone.${engine} PROPERTIES LABELS cluster ENVIRONMENT COVEC_ENGINE=${engine})
endforeach()
