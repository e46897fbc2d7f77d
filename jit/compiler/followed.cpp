// A call of a compiled function whose arguments an eager gradient follows: one entry of that gradient's tape. Its code
// runs in two parts: the first gives the result, the second, when the sweep comes by, adds to the arguments' cotangents
// in the order in which the entries of an interpreted call would have (jit/lower/followed.hpp).
#include "jit/compiler/site.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

class FollowedCall final : public autodiff::Composite {
 public:
  // `inputs` are moved from; `given` becomes the result.
  FollowedCall(JitCompiler& compiler, const Specialization& made, Signature& signature, Value& given)
      : compiler_(compiler),
        made_(made),
        nodes_(signature.nodes),
        paused_(*made.plan, made.backend, compiler, signature.leaves, given) {}

  void set_results(uint32_t first) { first_result_ = first; }

  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions&) override {
    std::vector<Value> given;
    const bool one = made_.followed.results == 1;
    bool any = false;
    const auto hand_over = [&](Value& cotangent, bool certain) {
      if (!certain) given.emplace_back(!cotangent.is_none());
      given.push_back(std::move(cotangent));
      cotangent = Value();
    };
    for (uint32_t i = 0; i < made_.followed.results; ++i) {
      Value& cotangent = cotangents[first_result_ + i];
      any |= !cotangent.is_none();
      hand_over(cotangent, one);
    }
    if (!any) return true;
    for (const uint32_t node : nodes_) hand_over(cotangents[node], false);
    const JitCompiler::Site site(compiler_);
    const Value sums = paused_.go_on(compiler_, given);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const std::vector<Value>& sum = sums.tuple().items[i].tuple().items;
      cotangents[nodes_[i]] = sum[0].boolean() ? sum[1] : Value();
    }
    return true;
  }

 private:
  JitCompiler& compiler_;
  const Specialization& made_;
  const std::vector<uint32_t> nodes_;
  uint32_t first_result_ = 0;
  runtime::Paused paused_;
};

Value JitCompiler::run_followed(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  const Value& function = compiled.function();
  const auto interpreted = [&] { return function.function().call(eager(), args, {}); };
  const autodiff::OpenLevel* level = context_.innermost;
  // Under other transformations cotangents are theirs, and no plain values.
  if (level == nullptr || level->level != signature.level || level->outer != nullptr || !level->sweeps_once) {
    return interpreted();
  }
  const Specialization& made = find(function, args, signature);
  check_strict(compiled, made);
  if (made.interpreted) return interpreted();
  Value given;
  std::unique_ptr<FollowedCall> owned;
  {
    const Site site(*this);
    owned = std::make_unique<FollowedCall>(*this, made, signature, given);
  }
  uint32_t first = 0;
  if (made.followed.results > 0) {
    FollowedCall& call = *owned;
    first = level->tape->record(std::move(owned), signature.nodes, made.followed.results, context_.site);
    call.set_results(first);
  }
  size_t next = 0;
  return autodiff::map_deep(given, [&](const Value& leaf) {
    const uint32_t node = made.followed.leaves[next++];
    if (node == 0) return leaf;
    const bool input = node <= made.followed.inputs;
    return autodiff::make_tape(signature.level, leaf,
                               input ? signature.nodes[node - 1] : first + node - made.followed.inputs - 1);
  });
}

}  // namespace covec::jit
