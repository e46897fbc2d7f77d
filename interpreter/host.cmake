# libcovec: what a host links. Only the names of covec.h leave it. The C++ library is the process's own: with a second one
# inside, memory and exceptions would cross from one to the other.
file(GLOB host_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/host/*.cpp)
add_library(covec_host SHARED ${host_sources})
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/host/sessions.cpp PROPERTIES COMPILE_DEFINITIONS ${version})
set_target_properties(covec_host PROPERTIES OUTPUT_NAME covec VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      EXPORT_NAME covec)
target_include_directories(covec_host PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:include>)
target_link_libraries(covec_host PRIVATE covec_unhurried covec_jit covec_interpreter covec_frontend covec_stdlib)
# It stays until the process ends, dlclose or not: threads that it has started lie in it and in oneTBB.
target_link_options(covec_host PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/host.map -Wl,-z,nodelete)
if(NOT COVEC_SANITIZE)
  target_link_options(covec_host PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(covec_host PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/host.map)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS covec RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
target_compile_features(covec_host INTERFACE cxx_std_20)  # covec.hpp; C hosts do not mind
install(TARGETS covec_host EXPORT covec
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/covec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT covec NAMESPACE covec:: FILE covec-config.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/covec COMPONENT development)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/covec-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/covec-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/covec
        COMPONENT development)
configure_file(covec.pc.in covec.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/covec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
