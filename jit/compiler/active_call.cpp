#include "jit/compiler/active_call.hpp"

#include <algorithm>
#include <utility>

#include "jit/lower/paths/chosen.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

class ActiveCall final : public autodiff::Composite {
 public:
  // `inputs` are moved from; `given` becomes the result.
  ActiveCall(RunHost& host, const Specialization& made, Signature& signature, Value& given)
      : host_(host),
        made_(made.shared_from_this()),
        nodes_(signature.nodes),
        paused_(*made.code.plan, made.code.backend, host, signature.leaves, given) {}

  void set_results(uint32_t first) { first_result_ = first; }

  // A cotangent may carry a tangent of the tape's split level (stdlib/autodiff/split.hpp). Code takes numbers, and
  // nobody asks for the tangent any more: the call was recorded before the level was opened, or it would be no entry.
  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions&) override {
    const std::span<Value> results(&cotangents[first_result_], made_->active.results);
    if (std::ranges::all_of(results, &Value::is_none)) return true;
    const bool one = results.size() == 1;
    SmallVector<Value, 8> given((one ? 1 : 2 * results.size()) + 2 * nodes_.size());
    Value* next = given.data();
    const auto hand_over = [&](Value& cotangent, bool certain) {
      if (!certain) *next++ = Value(!cotangent.is_none());
      *next++ = concrete(std::exchange(cotangent, Value()));
    };
    for (Value& cotangent : results) hand_over(cotangent, one);
    for (const uint32_t node : nodes_) hand_over(cotangents[node], false);
    const RunHost::Site site(host_);
    const Value swept = paused_.go_on(host_, span_of(given));
    const std::vector<Value>& sums = swept.tuple().items;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      cotangents[nodes_[i]] = sums[2 * i].boolean() ? sums[2 * i + 1] : Value();
    }
    return true;
  }

 private:
  RunHost& host_;
  const std::shared_ptr<const Specialization> made_;  // a pullback may keep the tape when the table has let it go
  const std::vector<uint32_t> nodes_;
  uint32_t first_result_ = 0;
  runtime::Paused paused_;
};

}  // namespace

bool can_be_entry(const ops::Context& context, const Signature& signature) {
  const autodiff::OpenLevel* level = context.innermost;
  return level != nullptr && level->level == signature.level && level->outer == nullptr && level->sweeps_once;
}

Value call_active(RunHost& host, const ops::Context& context, const Specialization& made, Signature& signature) {
  Value given;
  std::unique_ptr<ActiveCall> owned;
  {
    const RunHost::Site site(host);
    owned = std::make_unique<ActiveCall>(host, made, signature, given);
  }
  uint32_t first = 0;
  if (made.active.results > 0) {
    ActiveCall& call = *owned;
    first = context.innermost->tape->record(std::move(owned), signature.nodes, made.active.results, context.site);
    call.set_results(first);
  }
  return ir::map_settled(made.active.result, given, [&](const Value& like, const Value& leaf) {
    const uint32_t node = like.traced().node;
    if (node == 0) return leaf;
    const bool input = node <= made.active.inputs;
    return autodiff::make_tape(signature.level, leaf,
                               input ? signature.nodes[node - 1] : first + node - made.active.inputs - 1);
  });
}

}  // namespace covec::jit
