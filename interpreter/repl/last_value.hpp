// The last value that was shown, as `ans` and `_`, and in a notebook that of each cell, as `_3`. The name `_` serves
// programs too, for what they do not need
// (`for _ in range(3)`, `a, _ = pair`): after an input it is the last value again. Where a program assigns it by itself
// (`_ = 5`), it is the program's from then on.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "interpreter/session/session.hpp"

namespace covec {

class LastValue {
 public:
  explicit LastValue(Session& session);
  void shown(const Value& value, unsigned number);     // 0: it has none
  void has_run(const std::string& text, bool failed);  // an input, before its value is shown
  bool is_ours(std::string_view name) const;
  void reset();

 private:
  void give();

  Session& session_;
  Value last_ = Value::unbound();
  std::set<std::string, std::less<>> numbered_;
  bool is_programs_ = false;
};

}  // namespace covec
