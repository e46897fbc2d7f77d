// The messages of the protocol over two descriptors: a header that says how long each is, then JSON.
#pragma once

#include <optional>
#include <string>

#include "interpreter/lsp/json.hpp"

namespace covec::lsp {

class Connection {
 public:
  Connection(int input, int output) : input_(input), output_(output) {}

  // The text of the next message; nothing: the other side is gone, or sends what has no end.
  std::optional<std::string> read();
  // False: nobody reads any more.
  bool write(const Json& message) const;

 private:
  bool fill();
  std::optional<std::string> read_line();

  const int input_, output_;
  std::string buffer_;
  size_t at_ = 0;  // in the buffer: what was read of it
};

}  // namespace covec::lsp
