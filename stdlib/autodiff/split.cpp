#include "stdlib/autodiff/split.hpp"

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

OpenLevel* find_open(const ops::Context& context, uint64_t level) {
  return const_cast<OpenLevel*>(find_level(context, level));
}

// Where a level of that number stands in the chain of open ones.
OpenLevel** place_of(ops::Context& context, uint64_t level) {
  OpenLevel** at = &context.innermost;
  while (*at != nullptr && (*at)->level > level) at = &(*at)->outer;
  return at;
}

// `direction` where it is not 0, else what the value has.
Value joined_tangent(ops::Builder& b, const Value& primal, uint64_t level, const Value& direction) {
  if (!is_traced_at(primal, level) || primal.traced().tangent.is_none()) return direction;
  const Value zero = ops::RuleContext(b, false).number(0, logical_type(direction).dtype);
  const Value moves = ops::call(b, ops::handles().not_equal, {direction, zero});
  return ops::call(b, ops::handles().where, {moves, direction, primal.traced().tangent});
}

}  // namespace

Value split(ops::Builder& b, const Value& x, const Value& direction) {
  if (!x.is_traced()) return x;
  const Traced& traced = x.traced();
  if (traced.trace == TraceKind::batch) {
    if (!is_traced_at(direction, traced.level)) return x;
    return make_batch(traced.level, split(b, traced.primal, direction.traced().primal));
  }
  OpenLevel* const open = find_open(b.context(), traced.level);
  if (open == nullptr || open->kind != TraceKind::tape) return x;
  const uint64_t level = split_level(traced.level);
  if (!open->tape->is_split()) open->outer = open->tape->split_below(level, open->outer);
  const Value plain = is_traced_at(traced.primal, level) ? traced.primal.traced().primal : traced.primal;
  return make_tape(traced.level, make_jvp(level, plain, joined_tangent(b, traced.primal, level, direction)),
                   traced.node);
}

namespace {

// The tape on which a value lies, inside batches.
const Traced* on_tape(const ops::Context& context, const Value& x, Tape*& tape) {
  const Value* at = &x;
  while (at->is_traced() && at->traced().trace == TraceKind::batch) at = &at->traced().primal;
  if (!at->is_traced() || at->traced().trace != TraceKind::tape) return nullptr;
  const OpenLevel* const open = find_level(context, at->traced().level);
  if (open == nullptr) return nullptr;
  tape = open->tape;
  return &at->traced();
}

}  // namespace

Value split_before(const ops::Context& context, const Value& operand, std::string_view key) {
  Tape* tape = nullptr;
  const Traced* const traced = on_tape(context, operand, tape);
  return traced == nullptr ? Value() : tape->cached(traced->node, key);
}

void cache_split(const ops::Context& context, const Value& operand, std::string_view key, Value result) {
  Tape* tape = nullptr;
  if (const Traced* traced = on_tape(context, operand, tape)) tape->cache(traced->node, key, std::move(result));
}

SplitParts split_parts(ops::Builder& b, const Value& x, uint64_t level) {
  if (!x.is_traced() || x.traced().level < level) return {x, Value()};
  const Traced& traced = x.traced();
  if (traced.level == level) return {traced.primal, traced.tangent};
  const SplitParts below = split_parts(b, traced.primal, level);
  const auto wrapped = [&](const Value& primal, const Value& tangent) {
    if (primal.is_none()) return primal;
    if (traced.trace == TraceKind::batch) return make_batch(traced.level, primal);
    if (traced.trace == TraceKind::jvp && !tangent.is_none()) return make_jvp(traced.level, primal, tangent);
    return primal;
  };
  if (traced.trace != TraceKind::jvp) return {wrapped(below.plain, Value()), wrapped(below.tangent, Value())};
  const SplitParts along = split_parts(b, traced.tangent, level);
  return {wrapped(below.plain, along.plain), wrapped(below.tangent, along.tangent)};
}

SplitScope::SplitScope(ops::Context& context, const Tape& tape) : context_(context) {
  if (!tape.is_split() || find_level(context, tape.split_number()) != nullptr) return;
  OpenLevel** const at = place_of(context, tape.split_number());
  open_ = OpenLevel{TraceKind::jvp, tape.split_number(), *at};
  *at = &open_;
  if (context.innermost == &open_) context.level = open_.level;
  is_open_ = true;
}

SplitScope::~SplitScope() {
  if (!is_open_) return;
  *place_of(context_, open_.level) = open_.outer;
  context_.level = context_.innermost == nullptr ? 0 : context_.innermost->level;
}

namespace {

ops::Parameter any(std::string_view name) { return ops::Parameter{name, ops::ParameterKind::any, true, {}}; }

}  // namespace

const ops::Entry& split_before_entry() {
  static const ops::Entry entry{
      .name = "split_before",
      .doc = "What an operator gave for this operand on its tape before.",
      .parameters = {any("operand"), any("key")},
      .carries = true,
      .eager = [](ops::Builder& b,
                  ops::Call& call) { return split_before(b.context(), call.args[0], call.args[1].string().text); },
      .derivative = ops::Derivative::none("looks a value up"),
      .internal = true,
      .staging = ops::Staging::structural};
  return entry;
}

const ops::Entry& split_entry() {
  static const ops::Entry entry{.name = "split_on_tape",
                                .doc = "A value on a tape moved by an infinitesimal along a direction.",
                                .parameters = {any("x"), any("direction"), any("operand"), any("key")},
                                .carries = true,
                                .eager =
                                    [](ops::Builder& b, ops::Call& call) {
                                      Value result = split(b, call.args[0], call.args[1]);
                                      cache_split(b.context(), call.args[2], call.args[3].string().text, result);
                                      return result;
                                    },
                                .derivative = ops::Derivative::none("moves nothing"),
                                .internal = true,
                                .staging = ops::Staging::structural};
  return entry;
}

const ops::Entry& split_parts_entry() {
  static const ops::Entry entry{
      .name = "split_parts",
      .doc = "Whether a level of split is open, and a value's parts below it and along its direction.",
      .parameters = {any("x"), any("level")},
      .carries = true,
      .eager =
          [](ops::Builder& b, ops::Call& call) {
            const uint64_t level = static_cast<uint64_t>(call.args[1].i64());
            const SplitParts parts = split_parts(b, call.args[0], level);
            return make_tuple({Value(find_level(b.context(), level) != nullptr), parts.plain, parts.tangent});
          },
      .derivative = ops::Derivative::none("takes apart"),
      .internal = true,
      .staging = ops::Staging::structural};
  return entry;
}

}  // namespace covec::autodiff
