#include "jit/lower/paths/optional.hpp"

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"

namespace covec::ir {

int64_t Optional::length() const { not_staged("the length of an optional value"); }
Value Optional::at(ops::Builder&, int64_t) const { not_staged("an item of an optional value"); }
std::string Optional::text() const { not_staged("the text of an optional value"); }

Value Optional::with_parts(std::vector<Value> parts) const {
  if (parts[1].tag() == Tag::boolean) return parts[1].boolean() ? std::move(parts[0]) : Value();
  return optional_of(std::move(parts[0]), std::move(parts[1]));
}

const Optional* optional_in(const Value& value) {
  return value.is(ObjectKind::sequence) ? dynamic_cast<const Optional*>(&value.sequence()) : nullptr;
}

Value optional_of(Value value, Value is_defined) {
  return Value::adopt(new Optional(std::move(value), std::move(is_defined)));
}

Facts::Scope::Scope(Facts& facts, const Value& condition, bool holds)
    : facts_(facts), id_(id_of(condition)), is_new_(facts.known_.try_emplace(id_, holds).second) {}

Facts::Scope::~Scope() {
  if (is_new_) facts_.known_.erase(id_);
}

std::optional<bool> Facts::known(const Value& flag) const {
  if (flag.tag() == Tag::boolean) return flag.boolean();
  if (!is_symbol(flag)) return std::nullopt;
  const auto found = known_.find(id_of(flag));
  if (found != known_.end()) return found->second;
  for (const auto& [id, holds] : known_) {
    const auto negated = negations_.find(id);
    if (negated != negations_.end() && negated->second == id_of(flag)) return !holds;
  }
  return std::nullopt;
}

Value Facts::settled(const Value& value) const {
  if (const Optional* const optional = optional_in(value)) {
    const std::optional<bool> there = known(optional->is_defined);
    if (!there) return value;
    return *there ? settled(optional->value) : Value();
  }
  if (!is_tree(value) && !value.is(ObjectKind::sequence)) return value;
  bool any = false;
  std::vector<Value> parts = parts_of(value);
  for (Value& part : parts) {
    Value now = settled(part);
    any |= now.tag() != part.tag() || (now.is_object() && now.object() != part.object());
    part = std::move(now);
  }
  return any ? with_parts(value, std::move(parts)) : value;
}

}  // namespace covec::ir
