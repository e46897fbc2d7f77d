#include "jit/lower/paths/chosen.hpp"

#include <algorithm>

#include "jit/lower/paths/alike.hpp"
#include "jit/lower/paths/optional.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"

namespace covec::ir {

namespace {

bool is_one_of_parts(const Value& a, const Value& b) { return same_value(a, b) || same_but_parts(a, b); }

size_t number_in(const std::vector<Value>& functions, const Value& function) {
  const auto same = [&](const Value& other) { return is_one_of_parts(other, function); };
  return static_cast<size_t>(std::ranges::find_if(functions, same) - functions.begin());
}

std::vector<Value> all_of(const Value& function) {
  const Chosen* const chosen = chosen_in(function);
  return chosen != nullptr ? chosen->functions : std::vector<Value>{function};
}

}  // namespace

Value Chosen::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  return at_each_function(builder, *this, [&](const Value& function) {
    std::vector<Value> own(args.begin(), args.end());
    return function.function().call(builder, own, keywords);
  });
}

std::vector<Value> Chosen::captures() const {
  std::vector<Value> parts = {which};
  parts.insert(parts.end(), functions.begin(), functions.end());
  return parts;
}

Value Chosen::with_captures(std::vector<Value> values) const {
  if (values[0].tag() == Tag::i64) return values.at(1 + static_cast<size_t>(values[0].i64()));
  Value number = std::move(values[0]);
  values.erase(values.begin());
  return chosen_of(std::move(number), std::move(values));
}

bool Chosen::same_but_captures(const Callable& other) const {
  const auto* const chosen = dynamic_cast<const Chosen*>(&other);
  return chosen != nullptr && std::ranges::equal(functions, chosen->functions, is_one_of_parts);
}

const Chosen* chosen_in(const Value& value) {
  return value.is(ObjectKind::function) ? dynamic_cast<const Chosen*>(&value.function()) : nullptr;
}

Value chosen_of(Value which, std::vector<Value> functions) {
  return Value::adopt(new Chosen(std::move(which), std::move(functions)));
}

bool differ_as_functions(const Value& a, const Value& b) {
  return a.is(ObjectKind::function) && b.is(ObjectKind::function) && !is_one_of_parts(a, b);
}

std::vector<Value> functions_of(const Value& a, const Value& b) {
  std::vector<Value> all = all_of(a);
  for (const Value& function : all_of(b)) {
    if (number_in(all, function) == all.size()) all.push_back(function);
  }
  return all;
}

Value as_chosen(ops::Builder& builder, const Value& function, const std::vector<Value>& functions,
                FunctionRef<Value(const Value& like)> undefined) {
  std::vector<Value> parts;
  for (const Value& like : functions) {
    const std::vector<Value> own = all_of(function);
    const size_t number = number_in(own, like);
    parts.push_back(number < own.size() ? own[number] : undefined(like));
  }
  const Chosen* const chosen = chosen_in(function);
  Value which(static_cast<int64_t>(number_in(functions, all_of(function)[0])));
  if (chosen == nullptr) return chosen_of(std::move(which), std::move(parts));
  const ops::Handles& by = ops::handles();
  for (size_t i = 1; i < chosen->functions.size(); ++i) {
    const Value is_this = ops::call(builder, by.equal, {chosen->which, Value(static_cast<int64_t>(i))});
    const Value number(static_cast<int64_t>(number_in(functions, chosen->functions[i])));
    which = ops::call(builder, by.where, {is_this, number, which});
  }
  return chosen_of(std::move(which), std::move(parts));
}

Value map_settled(const Value& like, const Value& given, FunctionRef<Value(const Value& like, const Value& leaf)> f) {
  if (const Chosen* const chosen = chosen_in(like); chosen != nullptr && chosen_in(given) == nullptr)
    return map_settled(chosen->functions.at(number_in(chosen->functions, given)), given, f);
  if (const ConditionalValue* const optional = optional_in(like))
    return given.is_none() ? given : map_settled(optional->value, given, f);
  if (like.is_traced()) return f(like, given);
  return map_parts(given, [&, likes = parts_of(like), i = size_t{0}](const Value& part) mutable {
    return map_settled(likes.at(i++), part, f);
  });
}

Value at_each_function(ops::Builder& builder, const Chosen& chosen, FunctionRef<Value(const Value& function)> make) {
  const auto from = [&](const auto& self, size_t number) -> Value {
    const Value& function = chosen.functions[number];
    if (number + 1 == chosen.functions.size()) return make(function);
    const Value is_this = ops::call(builder, ops::handles().equal, {chosen.which, Value(static_cast<int64_t>(number))});
    return builder.choose(
        is_this, [&] { return make(function); }, [&] { return self(self, number + 1); });
  };
  return from(from, 0);
}

}  // namespace covec::ir
