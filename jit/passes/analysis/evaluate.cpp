#include "jit/passes/analysis/evaluate.hpp"

#include <numeric>

#include "stdlib/autodiff/eager.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

namespace {

// Constants that an operation may be applied to now; notes a pool that one of them lies in.
bool is_small(const Value& value, Pool*& pool) {
  if (value.is_scalar() || value.is_none() || value.is_unbound() || value.is(ObjectKind::string)) return true;
  if (value.is(ObjectKind::function)) return value.function().entry() != nullptr;  // a dtype
  if (value.is_tensor()) {
    pool = &value.tensor().pool();
    return value.tensor().size() <= small_constant;
  }
  if (!is_tree(value)) return false;
  for (const Value& item : *children(value)) {
    if (!is_small(item, pool)) return false;
  }
  return true;
}

bool is_pure(const ops::Entry& entry) {
  const ops::Effects& effects = entry.effects;
  return entry.staging == ops::Staging::typed && !effects.random && !effects.prints && !effects.outside &&
         !effects.calls && !effects.repeatable;
}

// Extents as constants tell them.
class KnownExtents final : public ops::ShapeBuilder {
 public:
  Dim unknown_dim() override { return Dim::symbol(0); }
  Dim dim_of(const Value& number) override { return Dim(ops::integer_of(number)); }

 protected:
  void guard_equal(Dim, Dim, const ops::Mismatch&) override {}
  Dim symbolic_add(Dim, Dim) override { return unknown_dim(); }
  Dim symbolic_multiply(Dim, Dim) override { return unknown_dim(); }
  Dim symbolic_broadcast(Dim, Dim, const ops::Mismatch&) override { return unknown_dim(); }
};

// Asked before anything is computed: a result could be as large as memory.
bool makes_small(const ops::Call& call, bool tensors) {
  KnownExtents extents;
  const Shape shape = call.entry.type(extents, call).shape;
  if (!tensors) return shape.empty();
  Dim size(1);
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].known()) size = extents.multiply(size, shape[axis]);
  }
  return size.number() <= small_constant;
}

}  // namespace

Evaluator::~Evaluator() {
  if (pool_ != nullptr) pool_->release();
}

std::optional<Value> Evaluator::run(const ir::Operation& operation) {
  return run(*operation.entry, operation.args, operation.rest, operation.literals);
}

std::optional<Value> Evaluator::run(const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest,
                                    uint32_t literals) {
  return apply(entry, args, rest, literals, false);
}

std::optional<Value> Evaluator::run_any(const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest) {
  return apply(entry, args, rest, 0, true);
}

std::optional<Value> Evaluator::apply(const ops::Entry& entry, std::vector<Value>& args, std::vector<Value>& rest,
                                      uint32_t literals, bool any) {
  if (!is_pure(entry)) return std::nullopt;
  Pool* pool = nullptr;
  for (std::vector<Value>* list : {&args, &rest}) {
    for (const Value& value : *list) {
      if (!is_small(value, pool)) return std::nullopt;
    }
  }
  const bool numbers = pool == nullptr;
  ops::Context context;
  context.gate = &ops::closed_gate();  // nothing outside is known here
  context.pool = numbers ? &this->pool() : pool;
  autodiff::EagerBuilder builder(context);
  try {
    ops::Call call{entry, args, rest, literals};
    if (!makes_small(call, any || !numbers)) return std::nullopt;
    Value result = builder.apply(call);
    if (result.is_scalar()) return result;
    if ((any || !numbers) && result.is_tensor() && result.tensor().size() <= small_constant) {
      return contiguous(*context.pool, result);
    }
  } catch (const OpError&) {  // the run will say it, in its place
  }
  return std::nullopt;
}

Pool& Evaluator::pool() {
  if (pool_ == nullptr) pool_ = Pool::create();
  return *pool_;
}

Value Evaluator::numbered(const Shape& shape, int64_t first) {
  if (shape.empty()) return Value(first);
  Value value = make_tensor(pool(), Dtype::i64, shape);
  Tensor& tensor = value.tensor();
  std::iota(tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.size(), first);
  return value;
}

Value Evaluator::number(int32_t whole, Dtype dtype) { return Value::number(dtype, int64_t{whole}); }

}  // namespace covec::passes
