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

bool LastValue::is_ours(std::string_view name) const {
  return (name == last_name && !is_programs_) || numbered_.contains(name);
}

void LastValue::shown(const Value& value, unsigned number) {
  if (number > 0) {
    const std::string name = std::string(last_name) + std::to_string(number);
    session_.set_global(name, value);
    numbered_.insert(name);
  }
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
  numbered_.clear();
  is_programs_ = false;
  give();
}

}  // namespace covec
