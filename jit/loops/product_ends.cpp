#include "jit/loops/product_ends.hpp"

#include <algorithm>

#include "stdlib/ops/linalg/linalg.hpp"

namespace covec::loops {

namespace {

using Op = Instruction::Kind;

bool is_product(const Step& step) {
  return step.kind == Step::Kind::apply && step.entry == &ops::matmul_entry() && !step.raises && !step.unless_done &&
         step.results.size() == 1 && step.results[0] != Step::nowhere && step.operands.size() == 2;
}

bool takes(const Launch& launch, SlotId slot) {
  const auto reads = [&](const Launch::Input& input) { return input.slot == slot; };
  return !launch.can_fail && launch.into == Launch::nowhere && launch.reductions.empty() && !launch.outputs.empty() &&
         std::ranges::any_of(launch.inputs, reads);
}

// Between the two only numbers are computed that have nothing to do with the product.
bool may_stand_between(const Instruction& i, SlotId product) {
  switch (i.kind) {
    case Op::constant:
    case Op::move:
    case Op::scalar:
    case Op::load:
    case Op::store: return true;
    case Op::extent: return i.slot != product;
    default: return false;
  }
}

// The launch that takes the product of the step at `at`.
Launch* end_of(Plan& plan, size_t at) {
  const std::vector<Instruction>& code = plan.program.code.instructions;
  const SlotId product = plan.steps[code[at].index].results[0];
  for (++at; at < code.size() && may_stand_between(code[at], product);) ++at;
  if (at == code.size() || code[at].kind != Op::step) return nullptr;
  const Step& step = plan.steps[code[at].index];
  if (step.kind != Step::Kind::launch) return nullptr;
  Launch& launch = plan.launches[static_cast<size_t>(step.number)];
  return takes(launch, product) && launch.product == Launch::nowhere ? &launch : nullptr;
}

}  // namespace

void product_ends(Plan& plan) {
  std::vector<Instruction>& code = plan.program.code.instructions;
  std::vector<bool> goes(code.size(), false);
  for (size_t at = 0; at < code.size(); ++at) {
    if (code[at].kind != Op::step || !is_product(plan.steps[code[at].index])) continue;
    if (Launch* launch = end_of(plan, at)) {
      launch->product = code[at].index;
      goes[at] = true;
    }
  }
  size_t kept = 0;
  for (size_t at = 0; at < code.size(); ++at) {
    if (!goes[at]) std::swap(code[kept++], code[at]);
  }
  code.resize(kept);
}

}  // namespace covec::loops
