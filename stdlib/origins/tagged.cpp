#include "stdlib/origins/tagged.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/origins/elements.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::origins {

namespace {

constexpr unsigned payload_bits = 22;  // of f32, which has no more behind the bit that makes a NaN quiet
constexpr uint64_t max_tags = (uint64_t{1} << payload_bits) - 1;
constexpr uint64_t quiet_nan = 0x7ff8000000000000;  // the bits of an f64
constexpr unsigned below_f32 = 52 - 23;             // bits of an f64's fraction that an f32's does not have

// The lowest bit becomes the highest one, and so on: the first tags keep all their bits in f16 and bf16.
uint64_t reversed(uint64_t bits) {
  uint64_t result = 0;
  for (unsigned i = 0; i < payload_bits; ++i) result |= (bits >> i & 1) << (payload_bits - 1 - i);
  return result;
}

double nan_with(uint64_t tag) { return std::bit_cast<double>(quiet_nan | reversed(tag) << below_f32); }

// Of a NaN; widening keeps the payload.
uint64_t tag_of(const Value& number) {
  const auto bits = std::bit_cast<uint64_t>(float_of(number));
  return reversed(bits >> below_f32 & max_tags);
}

bool acts(const ops::Effects& effects) {
  return effects.random || effects.prints || effects.outside || effects.calls || effects.shared || effects.meets;
}

}  // namespace

// Of equal causes only neighbours are one: a few more tags do no harm.
uint64_t TaggedCall::number_of(const Cause& cause) {
  if ((causes_.empty() || causes_.back() != cause) && causes_.size() < max_tags) causes_.push_back(cause);
  return causes_.size();
}

Value TaggedCall::tagged(ops::Context& context, const Followed& operand, std::optional<Kind> only) {
  Value copy;
  each_not_finite(context, operand, [&](const Value& dense, int64_t i, int64_t origin) {
    const Kind kind = kind_of(element(dense, i));
    const bool is_left = only && kind != *only;
    if (is_left && kind != Kind::nan) return true;
    const double nan = nan_with(is_left ? 0 : number_of({kind, origin}));  // a host's NaN may have a payload
    if (dense.is_scalar()) {
      copy = Value(nan);
      return false;
    }
    if (copy.is_none()) {
      copy = make_tensor(*context.pool, Dtype::f64, shape_of(dense));
      double* const to = copy.tensor().as<double>();
      for (int64_t k = 0; k < dense.tensor().size(); ++k) to[k] = float_of(element(dense, k));
    }
    copy.tensor().as<double>()[i] = nan;
    return true;
  });
  return copy.is_none() ? operand.plain : copy;
}

TaggedCall::TaggedCall(ops::Context& context, const ops::Call& call, std::span<const Followed> operands,
                       std::optional<Kind> only, FunctionRef<Value(ops::Call&)> apply) {
  if (acts(call.entry.effects)) return;
  SmallVector<Value, 4> all(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) all[i] = tagged(context, operands[i], only);
  const std::span<Value> given = span_of(all);
  ops::Call again{call.entry, given.first(call.args.size()), given.subspan(call.args.size()), call.literals};
  try {
    const Value result = apply(again);
    each_leaf(result, [&](const Value& leaf) {
      leaves_.push_back(leaf.is_numeric() ? contiguous(*context.pool, leaf) : Value());
    });
    made_ = true;
  } catch (const OpError& error) {
    if (ends_all(error.kind)) throw;
  }
}

TaggedCall::Seen TaggedCall::at(size_t leaf, int64_t number, Cause& cause) const {
  if (leaf >= leaves_.size() || !leaves_[leaf].is_numeric() || !is_float(dtype_of(leaves_[leaf]))) return Seen::unknown;
  const Value& dense = leaves_[leaf];
  if (number >= (dense.is_scalar() ? 1 : dense.tensor().size())) return Seen::unknown;
  const Value seen = element(dense, number);
  if (kind_of(seen) != Kind::nan) return Seen::number;
  const uint64_t tag = tag_of(seen);
  if (tag == 0 || tag > causes_.size()) return Seen::unknown;
  cause = causes_[static_cast<size_t>(tag) - 1];
  return Seen::cause;
}

}  // namespace covec::origins
