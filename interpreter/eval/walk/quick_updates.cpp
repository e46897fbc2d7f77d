// x op= number, like the operators of quick_operators.cpp. At its first execution an update of a variable chooses a
// function made for its operator and the variable's location.
#include <array>
#include <utility>

#include "interpreter/eval/values/arithmetic.hpp"
#include "interpreter/eval/values/store.hpp"
#include "interpreter/eval/walk/updates.hpp"

#include "interpreter/eval/walk/parts.hpp"
#include "stdlib/ops/general/general.hpp"

namespace covec {

struct Updates::Ways {
  template <Quick op, bool global>
  static Flow augment(Updates& in, const core::UpdatePath& node, Frame& f) {
    const Raw value = in.parts_.operators.operand(*node.value, f);
    Value& place = (global ? f.globals : f.slots)[node.target->slot.index];
    const Raw old = number(place);
    Raw result;
    if (old.tag == Tag::i64 && value.tag == Tag::i64) {
      if (quick_numbers<op>(old.i64, value.i64, result)) [[likely]] {
        store_number(place, result);
        return Flow::next;
      }
    } else if (old.tag == Tag::f64 && value.tag == Tag::f64) {
      if (quick_numbers<op>(old.f64, value.f64, result)) [[likely]] {
        store_number(place, result);
        return Flow::next;
      }
    }
    in.update_with(node, value, f);
    return Flow::next;
  }

  static Flow general(Updates& in, const core::UpdatePath& node, Frame& f) {
    in.update_with(node, in.parts_.operators.operand(*node.value, f), f);
    return Flow::next;
  }

  // g[k] = push(g[k], v): a list that nobody else holds grows where it is.
  static Flow push(Updates& in, const core::UpdatePath& node, Frame& f) {
    if (f.is_staged()) return general(in, node, f);
    const auto& op = static_cast<const core::Op&>(*node.value);
    Value args[] = {in.parts_.expressions.value_of(*op.args[0], f), in.parts_.expressions.value_of(*op.args[1], f)};
    if (Value* const place = in.own_list(*node.target, args[0], f)) {
      args[0] = Value();
      in.push_item(*place, std::move(args[1]), op.span, f);
    } else {
      const uint32_t literals = uint32_t{op.args[0]->literal} | uint32_t{op.args[1]->literal} << 1;
      in.update_with(node, in.parts_.operators.call_operator(op, args, {}, literals, f), f);
    }
    return Flow::next;
  }

  template <size_t... op>
  static constexpr std::array<std::array<core::ApplyUpdate, 2>, quick_count> all(std::index_sequence<op...>) {
    return {std::array<core::ApplyUpdate, 2>{&augment<static_cast<Quick>(op), false>,
                                             &augment<static_cast<Quick>(op), true>}...};
  }
};

Flow Updates::update_first(const core::UpdatePath& node, Frame& f) {
  node.apply_update = chosen(node);
  return node.apply_update(*this, node, f);
}

core::ApplyUpdate Updates::chosen(const core::UpdatePath& node) const {
  static constexpr auto ways = Ways::all(std::make_index_sequence<quick_count>());
  if (node.reads_target && static_cast<const core::Op&>(*node.value).entry == &ops::push_entry()) return &Ways::push;
  if (!node.op || !node.target->steps.empty() || parts_.applier.watches_numbers()) return &Ways::general;
  const Quick quick = engine_builtin(*node.op).quick;
  return has_quick_form(quick) ? ways[static_cast<size_t>(quick)][node.target->slot.global] : &Ways::general;
}

}  // namespace covec
