// The addresses of files: "file:///home/a/b%20c.covec" and "/home/a/b c.covec".
#pragma once

#include <string>
#include <string_view>

namespace covec::lsp {

// "" of what is no file.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

}  // namespace covec::lsp
