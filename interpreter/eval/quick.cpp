// What the walker spends its time in when numbers are computed one by one: operators on two numbers, and x op= number.
// At its first evaluation a node chooses a way made for its operator and for where its operands come from (a variable,
// a constant, an expression), and keeps it; then one evaluation is a few loads, a test of the two tags, and the
// operation. Anything else than two numbers goes the general way from there. The price is code: some 250 small
// functions.
#include <array>
#include <utility>

#include "interpreter/eval/arithmetic.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/store.hpp"

namespace covec {

namespace {

enum class From : uint8_t { local, global, constant, other };
constexpr size_t from_count = 4, way_count = from_count * from_count;

constexpr size_t quick_count = static_cast<size_t>(Quick::logical_not) + 1;

bool is_number(Raw raw) { return static_cast<uint8_t>(raw.tag) - 1u < 7u; }

}  // namespace

struct QuickWays {
  // Of a variable only the bits are read, without counting: fine for a number, and for anything else read again
  // properly.
  template <From from>
  static Raw fetch(Interpreter& in, const core::Expr& expr, Frame& f) {
    if constexpr (from == From::local) return number(f.slots[static_cast<const core::Local&>(expr).slot]);
    if constexpr (from == From::global) return number(f.globals[static_cast<const core::Global&>(expr).slot]);
    if constexpr (from == From::constant) return number(f.constants[static_cast<const core::Constant&>(expr).id]);
    if (expr.kind == core::ExprKind::op) return in.apply(static_cast<const core::Op&>(expr), f);
    if (expr.kind == core::ExprKind::call) return in.call(static_cast<const core::Call&>(expr), f);
    return in.evaluate(expr, f);
  }

  // `b` was read as bits only and is no number. A function of its own, so that the short way needs no room on the
  // stack.
  [[gnu::noinline]] static Raw retry(Interpreter& in, const core::Op& node, Raw a, Frame& f) {
    return in.finish_binary(node, a, in.operand(*node.args[1], f), f);
  }

  template <Quick op, From left, From right>
  static Raw binary(Interpreter& in, const core::Op& node, Frame& f) {
    if constexpr (left == From::other) in.check_stack(f, node.span);
    const core::Expr* const* args = node.args.data();
    const Raw a = fetch<left>(in, *args[0], f);
    if (!is_number(a)) [[unlikely]] {
      if constexpr (left == From::other) return in.finish_object(node, a, f);
      return in.apply_binary(node, f);
    }
    const Raw b = fetch<right>(in, *args[1], f);
    Raw result;
    if (a.tag == Tag::i64 && b.tag == Tag::i64) {
      if (quick_integers(op, a.i64, b.i64, result)) [[likely]]
        return result;
    } else if (a.tag == Tag::f64 && b.tag == Tag::f64) {
      if (quick_floats(op, a.f64, b.f64, result)) [[likely]]
        return result;
    }
    if constexpr (right == From::other) return in.finish_binary(node, a, b, f);
    return retry(in, node, a, f);
  }

  static Raw unary(Interpreter& in, const core::Op& node, Frame& f) { return in.apply_unary(node, f); }
  static Raw general_binary(Interpreter& in, const core::Op& node, Frame& f) { return in.apply_binary(node, f); }
  static Raw general(Interpreter& in, const core::Op& node, Frame& f) { return in.apply_with(node, f); }

  template <Quick op, bool global>
  static Flow augment(Interpreter& in, const core::UpdatePath& node, Frame& f) {
    const Raw value = in.operand(*node.value, f);
    Value& place = (global ? f.globals : f.slots)[node.target->slot.index];
    const Raw old = number(place);
    Raw result;
    if (old.tag == Tag::i64 && value.tag == Tag::i64) {
      if (quick_integers(op, old.i64, value.i64, result)) [[likely]] {
        store_number(place, result);
        return Flow::next;
      }
    } else if (old.tag == Tag::f64 && value.tag == Tag::f64) {
      if (quick_floats(op, old.f64, value.f64, result)) [[likely]] {
        store_number(place, result);
        return Flow::next;
      }
    }
    in.update_with(node, value, f);
    return Flow::next;
  }

  static Flow general_update(Interpreter& in, const core::UpdatePath& node, Frame& f) {
    in.update_with(node, in.operand(*node.value, f), f);
    return Flow::next;
  }
};

namespace {

template <Quick op, size_t... pair>
constexpr std::array<OpHandler, way_count> ways_of(std::index_sequence<pair...>) {
  return {&QuickWays::binary<op, static_cast<From>(pair / from_count), static_cast<From>(pair % from_count)>...};
}
template <size_t... op>
constexpr std::array<std::array<OpHandler, way_count>, quick_count> all_ways(std::index_sequence<op...>) {
  return {ways_of<static_cast<Quick>(op)>(std::make_index_sequence<way_count>())...};
}
constexpr auto ways = all_ways(std::make_index_sequence<quick_count>());

template <size_t... op>
constexpr std::array<std::array<UpdateHandler, 2>, quick_count> all_augments(std::index_sequence<op...>) {
  return {std::array<UpdateHandler, 2>{&QuickWays::augment<static_cast<Quick>(op), false>,
                                       &QuickWays::augment<static_cast<Quick>(op), true>}...};
}
constexpr auto augments = all_augments(std::make_index_sequence<quick_count>());

bool has_quick_way(Quick quick) {
  return is_binary(quick) && quick != Quick::pow && quick != Quick::bit_and && quick != Quick::bit_or;
}

From operand_from(const core::Expr& expr, const Frame& f) {
  if (expr.kind == core::ExprKind::local) return From::local;
  if (expr.kind == core::ExprKind::global) return From::global;
  if (expr.kind != core::ExprKind::constant) return From::other;
  return f.constants[static_cast<const core::Constant&>(expr).id].is_scalar() ? From::constant : From::other;
}

}  // namespace

void Interpreter::choose(const core::Op& op, const Frame& f) {
  const Quick quick = engine_builtin(*op.builtin).quick;
  OpHandler way = &QuickWays::general;
  if (has_quick_way(quick)) {
    const auto left = static_cast<size_t>(operand_from(*op.args[0], f)),
               right = static_cast<size_t>(operand_from(*op.args[1], f));
    way = ways[static_cast<size_t>(quick)][from_count * left + right];
  } else if (is_binary(quick)) {
    way = &QuickWays::general_binary;
  } else if (quick != Quick::none) {
    way = &QuickWays::unary;
  }
  op.cache = reinterpret_cast<const void*>(way);
}

void Interpreter::choose(const core::UpdatePath& node) {
  UpdateHandler way = &QuickWays::general_update;
  if (node.op && node.target->steps.empty() && has_quick_way(engine_builtin(*node.op).quick)) {
    way = augments[static_cast<size_t>(engine_builtin(*node.op).quick)][node.target->slot.global];
  }
  node.cache = reinterpret_cast<const void*>(way);
}

}  // namespace covec
