#include "stdlib/autodiff/renewal.hpp"

#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

constexpr unsigned max_depth = 1000;  // of closures that capture closures

class Renewal {
 public:
  explicit Renewal(const ops::Context& context) : context_(context) {}

  // `shared`: somebody else holds what holds the value. True when it has become another one.
  bool renew(Value& value, bool shared, unsigned depth) {
    if (!value.is_object() || value.is_tensor()) return false;
    shared |= !value.unique();
    if (value.is_traced()) return renew_traced(value, shared, depth);
    if (const std::vector<Value>* items = children(value)) return renew_items(value, *items, shared, depth);
    if (value.is(ObjectKind::function) || value.is(ObjectKind::sequence)) return renew_parts(value, depth);
    return false;
  }

 private:
  bool renew_traced(Value& value, bool shared, unsigned depth) {
    Traced& traced = value.traced();
    if (!shared) return renew(traced.primal, false, depth) | renew(traced.tangent, false, depth);
    Value primal = traced.primal, tangent = traced.tangent;
    const bool changed = renew(primal, true, depth) | renew(tangent, true, depth);
    const OpenLevel* const level = traced.trace == TraceKind::tape ? find_level(context_, traced.level) : nullptr;
    if (level == nullptr && !changed) return false;
    const uint64_t number = traced.level;
    switch (traced.trace) {
      case TraceKind::tape: {
        const uint32_t node = level != nullptr ? level->tape->pass_on(traced.node) : traced.node;
        value = make_tape(number, std::move(primal), node);
        break;
      }
      case TraceKind::jvp: value = make_jvp(number, std::move(primal), std::move(tangent)); break;
      case TraceKind::batch: value = make_batch(number, std::move(primal)); break;
    }
    return true;
  }

  bool renew_items(Value& value, const std::vector<Value>& items, bool shared, unsigned depth) {
    if (!shared) {
      bool changed = false;
      for (const Value& item : items) changed |= renew(const_cast<Value&>(item), false, depth);
      return changed;
    }
    std::vector<Value> renewed;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i].is_object() || items[i].is_tensor()) continue;
      Value item = items[i];
      if (!renew(item, true, depth)) continue;
      if (renewed.empty()) renewed = items;
      renewed[i] = std::move(item);
    }
    if (renewed.empty()) return false;
    value = with_parts(value, std::move(renewed));
    return true;
  }

  bool renew_parts(Value& value, unsigned depth) {
    if (depth > max_depth) fail(message("too_deep"), {std::to_string(max_depth)});
    std::vector<Value> parts = parts_of(value);
    bool changed = false;
    for (Value& part : parts) changed |= renew(part, true, depth + 1);
    if (changed) value = with_parts(value, std::move(parts));
    return changed;
  }

  const ops::Context& context_;
};

}  // namespace

void renew(const ops::Context& context, Value& value) { Renewal(context).renew(value, false, 0); }

}  // namespace covec::autodiff
