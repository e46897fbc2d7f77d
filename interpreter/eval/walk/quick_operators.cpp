// Applies operators to two numbers fast; the walker spends its time here when it computes numbers one by one. At its
// first evaluation a node chooses and keeps a function made for its operator and its operands (a variable, a constant,
// an expression). One evaluation then is a few loads, a test of the two tags, and the operation. Operands other than
// two numbers take the general path from there. The trade-off is code size: some 200 small functions.
#include <algorithm>
#include <array>
#include <utility>

#include "interpreter/eval/values/arithmetic.hpp"
#include "interpreter/eval/walk/calls.hpp"

#include "interpreter/eval/walk/operators.hpp"
#include "interpreter/eval/walk/parts.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

enum class From : uint8_t { local, global, constant, other };
constexpr size_t from_count = 4, way_count = from_count * from_count;  // enumerators of From, and pairs of them

bool is_number(Raw raw) { return static_cast<uint8_t>(raw.tag) - 1u < 7u; }

std::string_view text_of(const core::Expr& constant, const Frame& f) {
  return f.constants[static_cast<const core::Constant&>(constant).id].string().text;
}

// Whether a tensor of this type can be what the text says: its dtype and rank.
bool may_be_called(const Type& type, std::string_view text) {
  const std::string_view dtype = name_of(type.dtype);
  if (!text.starts_with(dtype)) return false;
  text.remove_prefix(dtype.size());
  if (type.shape.empty() || text.empty()) return type.shape.empty() && text.empty();
  return text.front() == '[' && std::ranges::count(text, ',') + 1 == type.shape.rank();
}

// … or one of several texts.
bool may_be_called(const Type& type, const core::Expr& texts, const Frame& f) {
  if (texts.kind == core::ExprKind::constant) return may_be_called(type, text_of(texts, f));
  const auto& items = static_cast<const core::MakeTuple&>(texts).items;
  return std::ranges::any_of(items, [&](const core::Expr* item) { return may_be_called(type, text_of(*item, f)); });
}

}  // namespace

struct Operators::Ways {
  // Of a variable only the bits are read, without counting: fine for a number, and for anything else read again
  // properly.
  template <From from>
  static Raw fetch(Operators& in, const core::Expr& expr, Frame& f) {
    if constexpr (from == From::local) return number(f.slots[static_cast<const core::Local&>(expr).slot]);
    if constexpr (from == From::global) return number(f.globals[static_cast<const core::Global&>(expr).slot]);
    if constexpr (from == From::constant) return number(f.constants[static_cast<const core::Constant&>(expr).id]);
    if (expr.kind == core::ExprKind::op) return in.apply(static_cast<const core::Op&>(expr), f);
    if (expr.kind == core::ExprKind::call) return in.parts_.calls.call(static_cast<const core::Call&>(expr), f);
    return in.parts_.expressions.evaluate(expr, f);
  }

  // `b` was read as bits only and is no number. A function of its own, so that the short way needs no room on the
  // stack.
  [[gnu::noinline]] static Raw retry(Operators& in, const core::Op& node, Raw a, Frame& f) {
    return in.finish_binary(node, a, in.operand(*node.args[1], f), f);
  }

  // `a` is what a variable holds, read as bits only: a string is compared with a constant where it lies.
  [[gnu::noinline]] static Raw variable_binary(Operators& in, const core::Op& node, Raw a, Frame& f) {
    Raw result;
    if (a.tag != Tag::object || !in.compare_text(node, a.object, f, result)) return in.apply_binary(node, f);
    const core::Expr& variable = *node.args[0];
    if (variable.kind == core::ExprKind::local && static_cast<const core::Local&>(variable).last_use && !f.is_staged())
      const Value gone(std::move(f.slots[static_cast<const core::Local&>(variable).slot]));
    return result;
  }

  template <Quick op, From left, From right>
  static Raw binary(Operators& in, const core::Op& node, Frame& f) {
    if constexpr (left == From::other) in.parts_.stack.check(f, node.span);
    const core::Expr* const* args = node.args.data();
    const Raw a = fetch<left>(in, *args[0], f);
    if (!is_number(a)) [[unlikely]] {
      if constexpr (left == From::other) return in.finish_object(node, a, f);
      return variable_binary(in, node, a, f);
    }
    const Raw b = fetch<right>(in, *args[1], f);
    Raw result;
    if (a.tag == Tag::i64 && b.tag == Tag::i64) {
      if (quick_numbers<op>(a.i64, b.i64, result)) [[likely]]
        return result;
    } else if (a.tag == Tag::f64 && b.tag == Tag::f64) {
      if (quick_numbers<op>(a.f64, b.f64, result)) [[likely]]
        return result;
    }
    if constexpr (right == From::other) return in.finish_binary(node, a, b, f);
    return retry(in, node, a, f);
  }

  // len of a variable: a list or string is looked at where it lies.
  static Raw length(Operators& in, const core::Op& node, Frame& f) {
    const core::Expr& variable = *node.args[0];
    const bool global = variable.kind == core::ExprKind::global;
    const Value& value = global ? f.globals[static_cast<const core::Global&>(variable).slot]
                                : f.slots[static_cast<const core::Local&>(variable).slot];
    if (f.is_staged()) return general(in, node, f);
    if (value.is(ObjectKind::list)) return raw_i64(static_cast<int64_t>(value.list().size()));
    if (value.is(ObjectKind::string)) return raw_i64(value.string().length());
    return general(in, node, f);
  }

  static Raw unary(Operators& in, const core::Op& node, Frame& f) { return in.apply_unary(node, f); }
  static Raw general_binary(Operators& in, const core::Op& node, Frame& f) { return in.apply_binary(node, f); }
  static Raw general(Operators& in, const core::Op& node, Frame& f) { return in.apply_with(node, f); }

  // type_of(x) == "text" and type_of(x) in ("text", …): of a tensor whose extents only the run knows the texts mostly
  // say enough.
  template <bool is_one>
  static Raw type_test(Operators& in, const core::Op& node, Frame& f) {
    in.parts_.stack.check(f, node.span);
    const auto& asked = static_cast<const core::Op&>(*node.args[0]);
    Value x = in.parts_.expressions.value_of(*asked.args[0], f);
    if (is_operand(x) && is_symbolic(x)) [[unlikely]] {
      if (!may_be_called(logical_type(x), *node.args[1], f))
        return raw_bool(engine_builtin(*node.builtin).quick == Quick::not_equal);
    }
    if constexpr (is_one) return in.finish_object(node, in.apply_with(asked, f, &x), f);
    Value text = own(in.apply_with(asked, f, &x));
    return in.apply_with(node, f, &text);
  }

  template <Quick op, size_t... pair>
  static constexpr std::array<core::ApplyOp, way_count> of(std::index_sequence<pair...>) {
    return {&binary<op, static_cast<From>(pair / from_count), static_cast<From>(pair % from_count)>...};
  }
  template <size_t... op>
  static constexpr std::array<std::array<core::ApplyOp, way_count>, quick_count> all(std::index_sequence<op...>) {
    return {of<static_cast<Quick>(op)>(std::make_index_sequence<way_count>())...};
  }
};

namespace {

From operand_from(const core::Expr& expr, const Frame& f) {
  if (expr.kind == core::ExprKind::local) return From::local;
  if (expr.kind == core::ExprKind::global) return From::global;
  if (expr.kind != core::ExprKind::constant) return From::other;
  return f.constants[static_cast<const core::Constant&>(expr).id].is_scalar() ? From::constant : From::other;
}

// A variable that is read again.
bool is_kept(const core::Expr* expr) {
  if (expr == nullptr) return false;
  if (expr->kind == core::ExprKind::global) return !static_cast<const core::Global*>(expr)->last_use;
  return expr->kind == core::ExprKind::local && !static_cast<const core::Local*>(expr)->last_use;
}

bool asks_for_type(const core::Op& op) {
  return op.args.size() == 2 && op.args[0] != nullptr && op.args[0]->kind == core::ExprKind::op &&
         static_cast<const core::Op&>(*op.args[0]).entry == &ops::type_of_entry();
}

bool is_text(const core::Expr& expr, const Frame& f) {
  return expr.kind == core::ExprKind::constant &&
         f.constants[static_cast<const core::Constant&>(expr).id].is(ObjectKind::string);
}

bool are_texts(const core::Expr& expr, const Frame& f) {
  return expr.kind == core::ExprKind::make_tuple &&
         std::ranges::all_of(static_cast<const core::MakeTuple&>(expr).items,
                             [&](const core::Expr* item) { return is_text(*item, f); });
}

}  // namespace

// A function of its own, so that apply() needs no room on the stack.
Raw Operators::apply_first(const core::Op& op, Frame& f) {
  op.apply_op = chosen(op, f);
  return op.apply_op(*this, op, f);
}

core::ApplyOp Operators::chosen(const core::Op& op, const Frame& f) const {
  static constexpr auto ways = Ways::all(std::make_index_sequence<quick_count>());
  const Quick quick = engine_builtin(*op.builtin).quick;
  if (asks_for_type(op)) {
    if ((quick == Quick::equal || quick == Quick::not_equal) && is_text(*op.args[1], f)) return &Ways::type_test<true>;
    if (op.entry == &ops::in_entry() && are_texts(*op.args[1], f)) return &Ways::type_test<false>;
  }
  if (parts_.applier.watches_numbers() && quick != Quick::none) return &Ways::general;
  if (has_quick_form(quick)) {
    const auto left = static_cast<size_t>(operand_from(*op.args[0], f)),
               right = static_cast<size_t>(operand_from(*op.args[1], f));
    return ways[static_cast<size_t>(quick)][from_count * left + right];
  }
  if (op.entry == &ops::len_entry() && is_kept(op.args[0])) return &Ways::length;
  if (is_binary(quick)) return &Ways::general_binary;
  return quick == Quick::none ? &Ways::general : &Ways::unary;
}

}  // namespace covec
