#include "interpreter/repl/last_value.hpp"

#include "frontend/resolve/resolve.hpp"

namespace covec {

namespace {

constexpr std::string_view last_name = "_";

bool assigned_in(const std::string& text) {
  SourceMap sources;
  return assigns(sources, sources.add("<input>", text), last_name);
}

}  // namespace

LastValue::LastValue(Session& session) : session_(session) { give(); }

// Without a value the name is known all the same.
void LastValue::give() { session_.set_global(last_name, last_); }

void LastValue::shown(const Value& value) {
  session_.set_global("ans", value);
  last_ = value;
  if (!is_programs_) give();
}

void LastValue::has_run(const std::string& text, bool failed) {
  if (is_programs_ || text.find(last_name) == text.npos) return;
  is_programs_ = !failed && assigned_in(text);
  if (!is_programs_) give();
}

void LastValue::reset() {
  last_ = Value::unbound();
  is_programs_ = false;
  give();
}

}  // namespace covec
