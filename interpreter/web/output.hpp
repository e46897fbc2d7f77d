// Output: what programs write, in pieces to the host. A piece holds all that is printed until something of another kind
// comes, or until it is large or late.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "interpreter/web/host.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/value.hpp"

namespace covec {
class Session;
}

namespace covec::page {

void tell(Kind kind, std::string_view text);

class Output final : public ops::Output {
 public:
  void serve(Session& session) { session_ = &session; }
  void show(const Value& value);

  void write(std::string_view text) override;
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override;
  void progress(std::string_view text) override;
  void display(const Value& value, std::string_view text) override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string piece_;
  Clock::time_point last_;  // when a piece was told
  Session* session_ = nullptr;
};

}  // namespace covec::page
