#include "jit/prepared/prepared_copy.hpp"

namespace covec::jit {

PreparedCopy::PreparedCopy(const Prepared& prepared, Pool& pool) {
  const std::lock_guard alone(prepared.copying);
  plan_ = copy_plan(*prepared.main.plan, pool, Elements::shared);
  copy_functions(prepared, pool);
  backend_ = prepared.code.backend;
  backend_.functions = functions_.data();
  recurses_ = plan_->program.routine.has_value() || !plans_.empty();
  for (size_t i = 0; i < prepared.places.size(); ++i) {
    const PreparedInput& place = prepared.places[i];
    if (place.argument == PreparedInput::no_argument && plan_->inputs[i] != loops::Step::nowhere)
      fixed_.push_back({plan_->inputs[i], deep_copy(place.value, pool, Elements::shared)});
  }
  for (const PreparedOutput& result : prepared.results) {
    PreparedOutput& copy = results_.emplace_back(result);  // numbers are not counted
    copy.from.value = deep_copy(result.from.value, pool, Elements::shared);
  }
}

void PreparedCopy::copy_functions(const Prepared& prepared, Pool& pool) {
  for (size_t i = 0; i < prepared.functions.size(); ++i) {
    plans_.push_back(copy_plan(*prepared.functions[i].plan, pool, Elements::shared));
    backends_.push_back(prepared.code.functions[i].backend);
  }
  for (size_t i = 0; i < plans_.size(); ++i) functions_.push_back({plans_[i].get(), &backends_[i]});
  for (runtime::Backend& backend : backends_) backend.functions = functions_.data();
}

}  // namespace covec::jit
