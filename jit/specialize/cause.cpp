#include "jit/specialize/cause.hpp"

#include "jit/specialize/stage.hpp"

namespace covec::jit {

namespace {

void add_types(Specialization& made, const Callable& function, std::span<const Value> args) {
  const std::vector<std::string_view> names = names_of_arguments(function);
  for (size_t i = 0; i < args.size(); ++i) {
    made.cause.argument_types.push_back((i < names.size() ? std::string(names[i]) + ": " : "") +
                                        describe_signature(args[i], made.key.generic));
    made.cause.types += (i > 0 ? ", " : "") + made.cause.argument_types.back();
  }
}

// Another of that name whose arguments differ least.
const Specialization* nearest_to(const Specialization& made, const CodeTable& table) {
  const Specialization* nearest = nullptr;
  size_t most = 0;
  table.each([&](const Specialization& other) {
    const size_t arguments = made.cause.argument_types.size();
    if (&other == &made || other.name != made.name || other.cause.argument_types.size() != arguments) return;
    size_t same = 1;
    for (size_t i = 0; i < arguments; ++i) same += other.cause.argument_types[i] == made.cause.argument_types[i];
    if (same <= most) return;
    most = same;
    nearest = &other;
  });
  return nearest;
}

bool has_others(const Specialization& made, const CodeTable& table) {
  bool found = false;
  table.each([&](const Specialization& other) { found |= &other != &made && other.name == made.name; });
  return found;
}

}  // namespace

void explain_cause(Specialization& made, const CodeTable& table, const Value& function, std::span<const Value> args) {
  add_types(made, function.function(), args);
  const Specialization* nearest = nearest_to(made, table);
  if (nearest == nullptr) {
    made.cause.text = has_others(made, table) ? "another number of arguments" : "the first call";
    return;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (nearest->cause.argument_types[i] == made.cause.argument_types[i]) continue;
    made.cause.text += (made.cause.text.empty() ? "" : "; ") + made.cause.argument_types[i] + " after " +
                       nearest->cause.argument_types[i];
  }
  if (made.cause.text.empty()) made.cause.text = "a captured value or a module-level name has changed";
}

}  // namespace covec::jit
