if(NOT COVEC_WEB)
  # Headers alone: the libraries are opened when a picture is read or written.
  find_path(PNG_INCLUDE png.h REQUIRED)
  find_path(JPEG_INCLUDE jpeglib.h REQUIRED)
  target_include_directories(covec_images SYSTEM PRIVATE ${PNG_INCLUDE} ${JPEG_INCLUDE})
  target_link_libraries(covec_stdlib PRIVATE ${CMAKE_DL_LIBS})
endif()
