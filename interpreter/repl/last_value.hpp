// The last value that was shown, as `ans` and `_`. The name `_` serves programs too, for what they do not need
// (`for _ in range(3)`, `a, _ = pair`): after an input it is the last value again. Where a program assigns it by itself
// (`_ = 5`), it is the program's from then on.
#pragma once

#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

class LastValue {
 public:
  explicit LastValue(Session& session);
  void shown(const Value& value);
  void has_run(const std::string& text, bool failed);  // an input, before its value is shown
  bool is_ours(std::string_view name) const { return name == "_" && !is_programs_; }
  void reset();

 private:
  void give();

  Session& session_;
  Value last_ = Value::unbound();
  bool is_programs_ = false;
};

}  // namespace covec
