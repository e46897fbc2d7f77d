#include "interpreter/web/input.hpp"

#include <utility>

#include "interpreter/web/host.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::page {

bool Input::read_line(std::string& line, const std::atomic<bool>*) {
  const int32_t answer = covec_page_ask();
  if (answer < 0) fail(message("no_input"));
  if (answer == 0) return false;
  line = std::exchange(line_, {});
  return true;
}

}  // namespace covec::page
