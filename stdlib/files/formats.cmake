# The file formats need zlib (archives) and nlohmann's JSON (headers, seen by one source). Both end up in whatever links
# the library, so that an installed one needs neither: zlib is static where there is a static one.
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
find_library(ZLIB_LIBRARY NAMES libz.a z REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
target_include_directories(covec_formats SYSTEM PRIVATE ${ZLIB_INCLUDE})
target_link_libraries(covec_formats PRIVATE nlohmann_json::nlohmann_json)
target_link_libraries(covec_stdlib PRIVATE ${ZLIB_LIBRARY})
