# What is installed beside the command and the library, and how CPack makes Debian packages of it: covec, libcovec0,
# libcovec-dev and, where the Python module is built, python3-covec. tools/release builds them.
include(GNUInstallDirs)
configure_file(${CMAKE_CURRENT_LIST_DIR}/covec.1 ${CMAKE_BINARY_DIR}/covec.1 @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/covec.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/covec.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME covec COMPONENT command)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/_covec DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
        COMPONENT command)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/covec.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT command)
# Colours (tools/editors), where Debian's Vim, Neovim and Emacs look; Emacs takes a folder here for a package that is installed.
set(editors ${CMAKE_BINARY_DIR}/editors)
foreach(folder vim/vimfiles nvim/site)
  install(DIRECTORY ${editors}/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT command)
endforeach()
install(DIRECTORY ${editors}/emacs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp/elpa/covec-mode-${PROJECT_VERSION}
        COMPONENT command)
install(DIRECTORY ${editors}/textmate ${editors}/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/covec COMPONENT command)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/covec COMPONENT command
        FILES_MATCHING PATTERN *.md)
install(FILES ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/covec COMPONENT command)
# The licences of what is linked: most of it is linked statically.
find_program(python NAMES python3 REQUIRED NO_CACHE)
execute_process(COMMAND ${python} ${CMAKE_SOURCE_DIR}/tools/notices.py native ${CMAKE_BINARY_DIR}/NOTICES COMMAND_ERROR_IS_FATAL ANY)
set(packages command:covec library:libcovec0 development:libcovec-dev)
if(TARGET covec_python)
  list(APPEND packages python:python3-covec)
endif()
foreach(package ${packages})
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 component)
  list(GET package 1 name)
  install(FILES ${CMAKE_BINARY_DIR}/NOTICES DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright
          COMPONENT ${component})
  string(TOUPPER ${component} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
endforeach()
list(TRANSFORM packages REPLACE ":.*" "" OUTPUT_VARIABLE CPACK_COMPONENTS_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_VERSION ${COVEC_DEBIAN_VERSION})
set(CPACK_PACKAGE_CONTACT "The Covec maintainers <covec@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION math)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libcairo2, fonts-dejavu-core")  # plot.save to PNG
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libcairo2, fonts-dejavu-core")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libcovec0 (= ${COVEC_DEBIAN_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Small tensor language with derivatives as builtins
 Runs programs and a REPL; compiles functions to machine code.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Covec inside a program (library)
 The shared library that programs with Covec inside need.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Covec inside a program (development files)
 The headers covec.h and covec.hpp, for CMake and pkg-config.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Covec inside Python
 The module covec: programs, functions and their derivatives, arrays of NumPy and
 PyTorch without copies.")
# dpkg-shlibdeps would look for an installed libcovec0.
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "libcovec0 (= ${COVEC_DEBIAN_VERSION}), python3 (>= 3.11~), python3 (<< 3.12), libc6 (>= 2.36), libstdc++6 (>= 12)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/postinst;${CMAKE_CURRENT_LIST_DIR}/prerm")
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tools/release builds what is packed, and no test
include(CPack)
