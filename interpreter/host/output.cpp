// See output.hpp.
#include "interpreter/host/output.hpp"

#include <exception>
#include <string>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec::embedding {

void HostOutput::hand_over(covec_stream stream, std::string_view text) {
  std::string thrown;
  try {
    const SessionGuard::Outside outside(guard_);
    function_(user_, stream, text.data(), text.size());
    return;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of unknown type";
  }
  fail(eval::row("host_exception"), {std::move(thrown)});
}

}  // namespace covec::embedding
