// The captures of a function as values, in a fixed order: all floats, those of functions among the captures included.
#include "stdlib/ops/derivatives/captures.hpp"

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using autodiff::is_float_leaf;

template <class Each>
void each_float(const Context& context, const Value& f, const Each& each) {
  const Value shown = autodiff::with_replayed_pullbacks(context, f);
  for (const Value& leaf : autodiff::deep_leaves(std::span(&shown, 1))) {
    if (is_float_leaf(leaf)) each(leaf);
  }
}

Entry entry_with(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                 Value (*eager)(Builder&, Call&)) {
  return {.name = name,
          .doc = doc,
          .parameters = std::move(parameters),
          .eager = eager,
          .derivative = Derivative::of_parts(),
          .internal = true,
          .staging = Staging::structural};
}

Parameter any(std::string_view name) { return Parameter{name, ParameterKind::any}; }

}  // namespace

// A text, which is known wherever code is staged.
const Entry& active_captures_entry() {
  static const Entry entry =
      entry_with("_active_captures",
                 "For each float that a function has captured \"1\" if a derivative follows it, or else \"0\".",
                 {any("f")}, [](Builder& b, Call& call) {
                   std::string text;
                   each_float(b.context(), call.args[0],
                              [&](const Value& leaf) { text += autodiff::is_active(b.context(), leaf) ? '1' : '0'; });
                   return make_string(std::move(text));
                 });
  return entry;
}

const Entry& captures_entry() {
  static const Entry entry = entry_with(
      "_captures", "The floats that a function has captured; none where `active` has a \"0\".",
      {any("f"), any("active")}, [](Builder& b, Call& call) {
        const std::string& active = call.args[1].string().text;
        std::vector<Value> items;
        each_float(b.context(), call.args[0],
                   [&](const Value& leaf) { items.push_back(active.at(items.size()) == '1' ? leaf : Value()); });
        return make_tuple(std::move(items));
      });
  return entry;
}

const Entry& with_captures_entry() {
  static const Entry entry =
      entry_with("_with_captures", "A function that has captured other floats; none leaves one as it is.",
                 {any("f"), any("values")}, [](Builder& b, Call& call) {
                   const std::vector<Value>& values = call.args[1].tuple().items;
                   size_t next = 0;
                   const Value f = autodiff::with_replayed_pullbacks(b.context(), call.args[0]);
                   return autodiff::map_deep(f, [&](const Value& leaf) {
                     if (!is_float_leaf(leaf)) return leaf;
                     const Value& given = values.at(next++);
                     return given.is_none() ? leaf : given;
                   });
                 });
  return entry;
}

}  // namespace covec::ops
