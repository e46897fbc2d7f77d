// Passes a session's output to the host's function, in the host's own environment.
#pragma once

#include <covec/covec.h>

#include "interpreter/host/state.hpp"
#include "interpreter/session/output.hpp"
#include "stdlib/value/context.hpp"

namespace covec::embedding {

class HostOutput final : public ops::Output {
 public:
  HostOutput(covec_session& session, covec_output function, covec_show show, void* user)
      : session_(session), function_(function), show_(show), user_(user) {}
  void write(std::string_view text) override { hand_over(COVEC_STDOUT, text); }
  void warn(std::string_view text) override { hand_over(COVEC_STDERR, text); }
  void display(const Value& value, std::string_view text) override;

 private:
  // An exception of the host's becomes an error of the program: between here and the host lie frames that are not
  // prepared for one.
  template <class Call>
  void call_host(Call call);
  void hand_over(covec_stream stream, std::string_view text);

  covec_session& session_;
  const covec_output function_;  // null: the process's own streams
  const covec_show show_;        // null: texts are written
  StandardOutput standard_;
  void* const user_;
};

}  // namespace covec::embedding
