#include "interpreter/lsp/uri.hpp"

#include <cctype>

namespace covec::lsp {

namespace {

constexpr std::string_view scheme = "file://";
constexpr char digits[] = "0123456789ABCDEF";

int value_of(char digit) {
  if (std::isdigit(static_cast<unsigned char>(digit)) != 0) return digit - '0';
  return std::isxdigit(static_cast<unsigned char>(digit)) != 0 ? (digit | 0x20) - 'a' + 10 : -1;
}

}  // namespace

// A name of a host before the path is left out: the file is on this machine.
std::string path_of(std::string_view uri) {
  if (!uri.starts_with(scheme)) return "";
  uri.remove_prefix(scheme.size());
  const size_t slash = uri.find('/');
  if (slash == uri.npos) return "";
  std::string path;
  for (size_t i = slash; i < uri.size(); ++i) {
    const bool escaped = uri[i] == '%' && i + 2 < uri.size() && value_of(uri[i + 1]) >= 0 && value_of(uri[i + 2]) >= 0;
    path += escaped ? static_cast<char>(value_of(uri[i + 1]) * 16 + value_of(uri[i + 2])) : uri[i];
    if (escaped) i += 2;
  }
  return path;
}

std::string uri_of(std::string_view path) {
  std::string uri(scheme);
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos);
    if (plain) {
      uri += c;
    } else {
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return uri;
}

}  // namespace covec::lsp
