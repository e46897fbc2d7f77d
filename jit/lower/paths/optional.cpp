#include "jit/lower/paths/optional.hpp"

#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

struct Optional final : Sequence {
  explicit Optional(ConditionalValue h) : held(std::move(h)) {}
  const ConditionalValue held;
  int64_t length() const override { not_staged("the length of an optional value"); }
  Value at(ops::Builder&, int64_t) const override { not_staged("an item of an optional value"); }
  std::string text() const override { not_staged("the text of an optional value"); }
  bool only_the_run_knows() const override { return true; }
  std::string staging_key() const override { return "optional"; }
  std::vector<Value> parts() const override { return {held.value, held.is_defined}; }
  // With a known flag: the value, or none.
  Value with_parts(std::vector<Value> parts) const override {
    if (parts[1].tag() == Tag::boolean) return parts[1].boolean() ? std::move(parts[0]) : Value();
    return optional_of({std::move(parts[0]), std::move(parts[1])});
  }
};

}  // namespace

const ConditionalValue* optional_in(const Value& value) {
  const auto* const optional =
      value.is(ObjectKind::sequence) ? dynamic_cast<const Optional*>(&value.sequence()) : nullptr;
  return optional == nullptr ? nullptr : &optional->held;
}

Value optional_of(ConditionalValue held) { return Value::adopt(new Optional(std::move(held))); }

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
  if (const ConditionalValue* const optional = optional_in(value)) {
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
