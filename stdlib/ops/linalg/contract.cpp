// contract: sums of products of indexed tensors. Its spec names the index of every axis. vmap adds a name to the
// factors that carry examples. The derivative by a factor is the contraction of the cotangent with the other factors.
// Start at contract_eager.
#include <algorithm>

#include "stdlib/convolution/repair_nan.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/pairs.hpp"
#include "stdlib/ops/linalg/rules.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using Indices = std::vector<int64_t>;

Value tuple_of(const Indices& indices) { return make_tuple(std::vector<Value>(indices.begin(), indices.end())); }

Indices indices_of(const Value& tuple) {
  Indices indices;
  for (const Value& item : tuple.tuple().items) indices.push_back(item.i64());
  return indices;
}

bool contains(const Indices& indices, int64_t index) {
  return std::find(indices.begin(), indices.end(), index) != indices.end();
}

Indices unique(const Indices& indices) {
  Indices once;
  for (int64_t index : indices) {
    if (!contains(once, index)) once.push_back(index);
  }
  return once;
}

// --- type rule ---

struct Meeting {
  const Type& first;
  const Type& second;
  int64_t index;
};

// einsum's letters are their own indices; those of index notation have lower numbers, and their names are not known.
std::string name_of_index(int64_t index) {
  const bool letter = (index >= 'a' && index <= 'z') || (index >= 'A' && index <= 'Z');
  return letter ? std::string(": it is index ") + static_cast<char>(index) : "";
}

std::vector<std::string> extents_differ(const void* self, int64_t a, int64_t b) {
  const Meeting& meeting = *static_cast<const Meeting*>(self);
  return {std::to_string(a), meeting.first.text(), std::to_string(b),
          meeting.second.text() + name_of_index(meeting.index)};
}

// The extent of `index`, the same in all factors that have it; along the result's axes a size of 1 broadcasts, and
// where the spec says so along others.
Dim extent_of(ShapeBuilder& shapes, const ContractSpec& spec, std::span<const Type> types, int64_t index) {
  const bool broadcasts = spec.broadcasts || contains(spec.output, index);
  const Type* first = nullptr;
  Dim extent(1);
  for (size_t f = 0; f < types.size(); ++f) {
    for (size_t axis = 0; axis < spec.factors[f].size(); ++axis) {
      if (spec.factors[f][axis] != index) continue;
      const Dim here = types[f].shape[static_cast<unsigned>(axis)];
      if (first == nullptr) {
        first = &types[f];
        extent = here;
      } else {
        const Meeting meeting{*first, types[f], index};
        const Mismatch mismatch{&message("contract_extent"), extents_differ, nullptr, &meeting};
        if (broadcasts) {
          extent = shapes.broadcast(extent, here, mismatch);
        } else {
          shapes.require_equal(extent, here, mismatch);
        }
      }
    }
  }
  return extent;
}

// What the factors are multiplied in: as for `*`. Sums of i32 products are i64.
Dtype factors_dtype(std::span<const Type> types) {
  Dtype dtype = types[0].dtype;
  for (const Type& type : types) dtype = product_dtype(dtype, type.dtype);
  return dtype == Dtype::boolean ? Dtype::i64 : dtype;
}

Dtype sum_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::i64; }

void check_spec(const ContractSpec& spec, std::span<const Type> types) {
  bool fits = !types.empty() && spec.factors.size() == types.size();
  for (size_t f = 0; fits && f < types.size(); ++f) fits = spec.factors[f].size() == types[f].shape.rank();
  if (!fits) fail(message("internal"), {"a contraction whose spec does not fit its factors"});
  if (spec.reduced.size() > max_rank) fail(message("rank_limit"), {std::to_string(spec.reduced.size())});
}

Type contract_type_of(ShapeBuilder& shapes, const ContractSpec& spec, std::span<const Type> types) {
  check_spec(spec, types);
  Type type{sum_dtype(factors_dtype(types)), {}};
  for (int64_t index : spec.output) type.shape.push_back(extent_of(shapes, spec, types, index));
  for (int64_t index : spec.reduced) extent_of(shapes, spec, types, index);
  return type;
}

std::vector<Type> factor_types(const Call& call) {
  std::vector<Type> types;
  for (unsigned i = first_factor; i < call.operands(); ++i) types.push_back(operand_type(call, i));
  return types;
}

Type contract_type(ShapeBuilder& shapes, const Call& call) {
  return contract_type_of(shapes, ContractSpec::of(call.args[0]), factor_types(call));
}

// --- eager ---

// How far a factor moves along `index`: an index that occurs twice moves along both axes, an axis of size 1 stays.
int64_t stride_along(const kernels::StridedInput& x, const Indices& axes, int64_t index) {
  int64_t stride = 0;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] == index && x.dims[axis] != 1) stride += x.strides[axis];
  }
  return stride;
}

kernels::ContractFactor factor_of(const Value& value, const ContractSpec& spec, const Indices& axes) {
  const kernels::StridedInput x = kernels::strided(value);
  kernels::ContractFactor factor{x.data, {}, {}};
  for (size_t i = 0; i < spec.output.size(); ++i) factor.out_stride[i] = stride_along(x, axes, spec.output[i]);
  for (size_t i = 0; i < spec.reduced.size(); ++i) factor.reduced_stride[i] = stride_along(x, axes, spec.reduced[i]);
  return factor;
}

std::byte* memory_of(Value& result) {
  return static_cast<std::byte*>(result.is_scalar() ? result.scalar_data()
                                                    : static_cast<void*>(result.tensor().data()));
}

// Integers are multiplied in 64 bits, so that no order wraps where another does not.
Value eager_by_pairs(Builder& builder, Call& call, const ContractSpec& spec, const std::vector<Type>& types,
                     const Type& type) {
  std::vector<int64_t> reduced;
  for (int64_t index : spec.reduced) reduced.push_back(extent_of(builder, spec, types, index).number());
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  for (Value& factor : call.rest) factor = cast_to(builder, std::move(factor), type.dtype);
  contract_by_pairs(builder, spec, reduced, type, call.rest, memory_of(result));
  return result;
}

// One factor without a sum: its elements in another order.
Value rearranged(Builder& builder, const ContractSpec& spec, Value factor, const Type& type) {
  const Value x = cast_to(builder, std::move(factor), type.dtype);
  if (x.is_scalar()) return x;
  const kernels::StridedInput from = kernels::strided(x);
  std::vector<int64_t> strides;
  for (const int64_t index : spec.output) strides.push_back(stride_along(from, spec.factors[0], index));
  return contiguous(builder.pool(), Tensor::view(x, x.tensor().data(), type.shape, strides));
}

Value contract_eager(Builder& builder, Call& call) {
  const ContractSpec spec = ContractSpec::of(call.args[0]);
  const std::vector<Type> types = factor_types(call);
  const Type type = contract_type_of(builder, spec, types);
  if (types.size() == 1 && spec.reduced.empty()) return rearranged(builder, spec, std::move(call.rest[0]), type);
  if (spec.by_pairs && types.size() > 2) return eager_by_pairs(builder, call, spec, types, type);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  kernels::Contraction contraction;
  contraction.dtype = factors_dtype(types);
  contraction.outs = type.shape.rank();
  for (unsigned i = 0; i < contraction.outs; ++i) contraction.out_dim[i] = type.shape[i].number();
  contraction.reduced = static_cast<unsigned>(spec.reduced.size());
  for (unsigned i = 0; i < contraction.reduced; ++i)
    contraction.reduced_dim[i] = extent_of(builder, spec, types, spec.reduced[i]).number();
  SmallVector<kernels::ContractFactor, 2> factors(call.rest.size());
  for (size_t f = 0; f < call.rest.size(); ++f) {
    call.rest[f] = cast_to(builder, std::move(call.rest[f]), contraction.dtype);
    factors[f] = factor_of(call.rest[f], spec, spec.factors[f]);
  }
  contraction.factors = span_of(factors);
  std::byte* out = memory_of(result);
  contraction.out = out;
  kernels::contract(builder.context(), contraction);
  if (spec.zeros == 0 || !kernels::may_need_repair(type.dtype, out, type.shape.elements())) return result;
  for (size_t f = 0; f < factors.size(); ++f) {  // the kernel may have packed them
    factors[f] = factor_of(call.rest[f], spec, spec.factors[f]);
  }
  kernels::repair_nan(builder.context(), contraction, spec.zeros);
  return result;
}

// --- derivative ---

std::span<const Value> residual_factors(const Residuals& residuals) { return residuals.operands.subspan(first_factor); }
std::span<const Type> residual_types(const Residuals& residuals) { return residuals.types.subspan(first_factor); }

Value contract_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const ContractSpec spec = ContractSpec::of(residuals.operands[0]);
  Value sum;
  for (size_t f = 0; f < spec.factors.size(); ++f) {
    const Value& tangent = tangents[first_factor + f];
    if (tangent.is_none()) continue;
    std::vector<Value> factors(residual_factors(residuals).begin(), residual_factors(residuals).end());
    factors[f] = tangent;
    ContractSpec with_tangent = spec;
    if (spec.zeros != 0) with_tangent.set_makes_zeros(f);
    Value term = contract(rule.builder(), with_tangent, factors);
    sum = sum.is_none() ? std::move(term) : rule.add(sum, term);
  }
  return sum;
}

// Numbers that count along axis `axis` of `rank`, of size `size`.
Value count_along(Builder& builder, unsigned axis, unsigned rank, Dim size) {
  Value args[] = {builder.extent(size), Value(), Value(), Value()};
  Value count = call(builder, handles().arange, args);
  Shape shape;
  for (unsigned i = 0; i < rank; ++i) shape.push_back(i == axis ? size : Dim(1));
  return reshape(builder, std::move(count), shape);
}

// The same as below, of sizes that only the run knows.
Value symbolic_mask(Builder& builder, const Indices& axes, const Shape& shape) {
  const unsigned rank = shape.rank();
  Value mask = true;
  for (unsigned i = 0; i < rank; ++i) {
    const auto first = static_cast<unsigned>(std::find(axes.begin(), axes.end(), axes[i]) - axes.begin());
    if (first == i) continue;
    const Value left = count_along(builder, first, rank, shape[first]), right = count_along(builder, i, rank, shape[i]);
    mask = call(builder, handles().bit_and, {mask, call(builder, handles().equal, {left, right})});
  }
  return mask;
}

// Where axes with one name have one index: ones on a diagonal.
Value diagonal_mask(Builder& builder, const Indices& axes, const Shape& shape) {
  if (!shape.known()) return symbolic_mask(builder, axes, shape);
  Value mask = make_tensor(builder.pool(), Dtype::boolean, shape);
  Tensor& bits = mask.tensor();
  std::vector<int64_t> at(axes.size(), 0);
  for (int64_t p = 0; p < bits.size(); ++p) {
    bool equal = true;
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t first = static_cast<size_t>(std::find(axes.begin(), axes.end(), axes[i]) - axes.begin());
      equal = equal && at[i] == at[first];
    }
    bits.as<uint8_t>()[p] = equal;
    for (size_t i = axes.size(); i-- > 0;) {
      if (++at[i] < shape[static_cast<unsigned>(i)].number()) break;
      at[i] = 0;
    }
  }
  return mask;
}

// `part` has the indices `have`, some of a factor's `axes` in their order; gives the factor's shape: summed where the
// factor was broadcast, repeated along what is missing, on the diagonal where an index occurs twice.
Value spread_to(RuleContext& rule, Value part, const Indices& have, const Indices& axes, const Type& type) {
  Shape shape = type.shape;
  Type own{type.dtype, {}};
  Indices seen;
  for (size_t i = 0; i < axes.size(); ++i) {
    const unsigned axis = static_cast<unsigned>(i);
    if (!contains(have, axes[i]) || contains(seen, axes[i])) {
      shape[axis] = Dim(1);
    } else {
      own.shape.push_back(shape[axis]);
    }
    seen.push_back(axes[i]);
  }
  Value whole = rule.broadcast_to(rule.reshape(rule.sum_to(std::move(part), own), shape), type.shape);
  if (unique(axes).size() == axes.size()) return whole;
  return rule.where(diagonal_mask(rule.builder(), axes, type.shape), whole, rule.number(0, type.dtype));
}

// The cotangent of factor f: the result's cotangent contracted with the other factors, in order. It makes terms 0, and
// so do those factors that have done so.
Value factor_cotangent(RuleContext& rule, const Residuals& residuals, const ContractSpec& spec, size_t f,
                       const Value& cotangent) {
  ContractSpec back;
  back.factors.push_back(spec.output);
  std::vector<Value> factors{cotangent};
  back.zeros = rule.ieee() ? 0 : 1;
  back.by_pairs = spec.by_pairs;
  back.broadcasts = spec.factors.size() > 2;  // of two factors each has the other's extents
  back.examples = spec.examples;
  Indices available = spec.output;
  for (size_t g = 0; g < spec.factors.size(); ++g) {
    if (g == f) continue;
    if (spec.makes_zeros(g)) back.set_makes_zeros(back.factors.size());
    back.factors.push_back(spec.factors[g]);
    factors.push_back(rule.cast(residual_factors(residuals)[g], residuals.result_type->dtype));
    available.insert(available.end(), spec.factors[g].begin(), spec.factors[g].end());
  }
  for (int64_t index : unique(spec.factors[f])) {
    if (contains(available, index)) back.output.push_back(index);
  }
  for (const Indices* indices : {&spec.output, &spec.reduced}) {
    for (int64_t index : *indices) {
      if (!contains(spec.factors[f], index) && contains(available, index)) back.reduced.push_back(index);
    }
  }
  const Type& type = residual_types(residuals)[f];
  Value part = contract(rule.builder(), back, factors);
  return spread_to(rule, std::move(part), back.output, spec.factors[f], type);
}

void contract_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const ContractSpec spec = ContractSpec::of(residuals.operands[0]);
  for (size_t f = 0; f < spec.factors.size(); ++f) {
    const unsigned operand = first_factor + static_cast<unsigned>(f);
    if (out.wants(operand)) out.add(operand, factor_cotangent(rule, residuals, spec, f, cotangent));
  }
}

int64_t largest_index(const ContractSpec& spec) {
  int64_t largest = -1;
  for (const Indices& axes : spec.factors) {
    for (int64_t index : axes) largest = std::max(largest, index);
  }
  return largest;
}

}  // namespace

// The examples are one more index: of the factors that carry them, and of the result.
Value contract_batch(Builder& builder, Call& call, const Batching& batching) {
  ContractSpec spec = ContractSpec::of(call.args[0]);
  const int64_t example = largest_index(spec) + 1;
  for (size_t f = 0; f < spec.factors.size(); ++f) {
    if (batching.batched[first_factor + f]) spec.factors[f].insert(spec.factors[f].begin(), example);
  }
  spec.output.insert(spec.output.begin(), example);
  spec.examples.push_back(example);
  return contract(builder, spec, call.rest);
}

Derivative contract_derivative() { return Derivative::by_hand(Derivative::rest_bit, contract_jvp, contract_vjp); }

Value ContractSpec::value() const {
  std::vector<Value> items;
  for (const Indices& axes : factors) items.push_back(tuple_of(axes));
  items.push_back(tuple_of(output));
  items.push_back(tuple_of(reduced));
  Indices rest{static_cast<int64_t>(zeros), by_pairs, broadcasts};
  rest.insert(rest.end(), examples.begin(), examples.end());
  items.push_back(tuple_of(rest));
  return make_tuple(std::move(items));
}

ContractSpec ContractSpec::of(const Value& attribute) {
  const std::vector<Value>& items = attribute.tuple().items;
  ContractSpec spec;
  const size_t factors = items.size() - 3;
  for (size_t i = 0; i < factors; ++i) spec.factors.push_back(indices_of(items[i]));
  spec.output = indices_of(items[factors]);
  spec.reduced = indices_of(items[factors + 1]);
  const Indices rest = indices_of(items[factors + 2]);
  spec.zeros = static_cast<uint64_t>(rest[0]);
  spec.by_pairs = rest[1] != 0;
  spec.broadcasts = rest[2] != 0;
  spec.examples.assign(rest.begin() + 3, rest.end());
  return spec;
}

Value contract(Builder& builder, const ContractSpec& spec, std::span<Value> factors) {
  Value args[] = {spec.value(), Value()};
  return call(builder, contract_entry(), args, factors);
}

namespace {

// Of two axes of one index, the diagonal, which becomes the last axis. False where there are none.
bool take_diagonal(Builder& builder, Value& factor, Indices& indices) {
  const auto is_twice = [&](int64_t index) { return std::ranges::count(indices, index) > 1; };
  const auto found = std::ranges::find_if(indices, is_twice);
  if (found == indices.end()) return false;
  const int64_t index = *found;
  const auto first = static_cast<unsigned>(found - indices.begin());
  const auto second = static_cast<unsigned>(std::find(found + 1, indices.end(), index) - indices.begin());
  SmallVector<unsigned, 8> order(indices.size());
  Indices left;
  for (unsigned axis = 0; axis < indices.size(); ++axis) {
    if (axis == first || axis == second) continue;
    order[left.size()] = axis;
    left.push_back(indices[axis]);
  }
  order[left.size()] = first;
  order[left.size() + 1] = second;
  left.push_back(index);
  factor = diagonal(builder, permute(builder, std::move(factor), span_of(order)), Value(int64_t{0}));
  indices = std::move(left);
  return true;
}

// Each element on those of each factor that have its indices.
Value pattern_of_contraction(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  const ContractSpec spec = ContractSpec::of(residuals.operands[0]);
  Value all;
  for (size_t f = 0; f < spec.factors.size(); ++f) {
    Value factor = of[residuals.parameters + f];
    if (factor.is_none()) continue;
    Indices indices = spec.factors[f];
    while (take_diagonal(sets.builder(), factor, indices)) continue;
    SmallVector<unsigned, 8> order(indices.size());
    uint32_t reduced = 0;
    for (unsigned axis = 0; axis < indices.size(); ++axis) {
      if (!contains(spec.output, indices[axis])) reduced |= uint32_t{1} << axis;
    }
    // The axes in the result's order, then those that were summed over.
    unsigned kept = 0;
    Shape shape;
    const Value united = sets.along(factor, reduced);
    for (const int64_t index : spec.output) {
      const auto found = std::ranges::find(indices, index);
      const auto axis = static_cast<unsigned>(found - indices.begin());
      const bool has = found != indices.end() && (reduced >> axis & 1) == 0;
      shape.push_back(has ? shape_of(united)[axis] : Dim(1));
      if (has) order[kept++] = axis;
    }
    for (unsigned axis = 0; axis < indices.size(); ++axis) {
      if ((reduced >> axis & 1) != 0) order[kept++] = axis;
    }
    const Value permuted = indices.empty() ? united : permute(sets.builder(), united, span_of(order));
    all = sets.unite(all, reshaped(sets, permuted, shape), residuals.result_type->shape);
  }
  return all;
}

}  // namespace

const Entry& contract_entry() {
  static const Entry entry{
      .name = "contract",
      .doc = "Sum of a product of tensors over indices that they share; `spec` names the index of every axis.",
      .parameters = {attribute("spec"), tensors_parameter("factors")},
      .variadic = true,
      .variadic_at = 1,
      .widens_integers = true,
      .type = contract_type,
      .eager = contract_eager,
      .device = DeviceForm::contraction,
      .complex = multilinear,
      .derivative = contract_derivative(),
      .batch = contract_batch,
      .pattern = pattern_of_contraction,
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

Family linalg_contract_entries() {
  static const Entry* const entries[] = {&contract_entry()};
  return entries;
}

}  // namespace covec::ops
