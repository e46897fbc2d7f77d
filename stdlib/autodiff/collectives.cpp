#include "stdlib/autodiff/collectives.hpp"

#include <algorithm>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::autodiff {

void refuse_one_by_one(const ops::Builder& b, const ops::Entry& entry) {
  const auto is_one = [](const ops::OpenBatch& batch) { return batch.level == 0; };
  if (std::ranges::none_of(b.context().batches, is_one)) return;
  if (!b.is_eager()) fail_not_staged("a collective for each example");
  fail(message("ranks_examples"), {ops::shown_name(entry)});
}

namespace {

bool has_rule(const ops::Entry& entry) { return entry.effects.meets && entry.derivative.none() == nullptr; }

bool is_derivative(const OpenLevel& level) {
  return (level.kind == TraceKind::jvp && !level.split && !level.runs_again) || level.of_all_ranks;
}

// The levels that follow a collective, the innermost first.
class Followers {
 public:
  // `in_rule`: its operand is a tangent or a cotangent.
  Followers(ops::Builder& b, bool in_rule) : builder_(b), in_rule_(in_rule) {}

  Value followed(Value value, const OpenLevel* from) const {
    const OpenLevel* level = from;
    while (level != nullptr && !follows(*level)) level = level->outer;
    if (level == nullptr) return value;
    if (!value.is_traced() || value.traced().level < level->level)
      return wrapped(*level, followed(std::move(value), level->outer));
    const Traced& traced = value.traced();
    const OpenLevel* const below = traced.level == level->level ? level->outer : level;
    Value primal = followed(traced.primal, below);
    if (traced.trace == TraceKind::tape) return make_tape(traced.level, std::move(primal), traced.node);
    if (traced.trace == TraceKind::batch) return make_batch(traced.level, std::move(primal));
    if (below == level) return make_jvp(traced.level, std::move(primal), traced.tangent);
    return with_tangent(*level, std::move(primal), traced.tangent);
  }

 private:
  bool follows(const OpenLevel& level) const {
    return follows_collectives(level) || (in_rule_ && level.kind == TraceKind::batch && !level.acts);
  }
  Value wrapped(const OpenLevel& level, Value below) const {
    if (level.kind == TraceKind::jvp) return with_tangent(level, std::move(below), Value());
    if (level.kind == TraceKind::tape) return make_tape(level.level, std::move(below), 0);
    Shape shape = logical_type(below).shape;
    shape.insert(0, level.size);
    return make_batch(level.level, ops::RuleContext(builder_, false).broadcast_to(std::move(below), shape));
  }
  Value with_tangent(const OpenLevel& level, Value primal, const Value& tangent) const {
    Value given = tangent_or_zeros(builder_, tangent, logical_type(primal));
    return make_jvp(level.level, std::move(primal), std::move(given));
  }

  ops::Builder& builder_;
  const bool in_rule_;
};

}  // namespace

bool follows_collectives(const OpenLevel& level) { return is_derivative(level) && !level.acts; }

const OpenLevel* innermost_follower(const ops::Context& context) {
  const OpenLevel* level = context.innermost;
  while (level != nullptr && !follows_collectives(*level)) level = level->outer;
  return level;
}

const OpenLevel* follower_of_functions(const ops::Context& context) {
  const OpenLevel* first = nullptr;
  for (const OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (!follows_collectives(*level)) continue;
    if (first == nullptr) first = level;
    if (level->of_all_ranks) return first;
  }
  return nullptr;
}

void follow(ops::Builder& b, ops::Call& call) {
  Value& operand = call.args[0];
  if (!has_rule(call.entry) || !is_differentiable(operand)) return;
  operand = Followers(b, b.context().rule_of != nullptr).followed(std::move(operand), b.context().innermost);
}

int64_t active_bit(const OpenLevel& level) {
  unsigned depth = 0;
  for (const OpenLevel* outer = level.outer; outer != nullptr; outer = outer->outer) depth += is_derivative(*outer);
  return int64_t{1} << depth % 62;
}

namespace {

void add_bit(ops::Call& call, int64_t bit) {
  Value& active = call.args.back();
  active = Value(active.i64() | bit);
}

}  // namespace

void note_active(const OpenLevel& level, ops::Call& call) {
  if (!has_rule(call.entry)) return;
  add_bit(call, active_bit(level));
}

void begin_on_tape(const ops::Builder& b, const OpenLevel& level, ops::Call& call) {
  if (!has_rule(call.entry) || level.only_looks) return;
  if (level.of_all_ranks) return note_active(level, call);
  if (!b.is_eager()) fail_not_staged("a collective in a gradient of one rank");
  add_bit(call, ops::refused_follower);
}

}  // namespace covec::autodiff
