// Contracts factors by pairs. An index is a number here: indices of the result first, summed indices behind them. A
// factor has a set of indices. An axis of extent 1 has no index, so broadcasting needs no special case. Before the
// first pair, each factor is summed over the indices that only it has. Start at ByPairs::run.
#include "stdlib/ops/linalg/pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "stdlib/convolution/repair_nan.hpp"
#include "stdlib/kernels/contract.hpp"
#include "stdlib/kernels/pair_order.hpp"

namespace covec::ops {

namespace {

using Numbers = std::vector<unsigned>;

// A factor, or what was made of two.
struct Part {
  Value owner;
  const std::byte* data = nullptr;
  uint64_t indices = 0;
  std::array<int64_t, 2 * max_rank> stride{};
  bool zeros = false;  // makes terms 0 where it is ±0
};

constexpr uint64_t bit(unsigned index) { return uint64_t{1} << index; }

Numbers members(uint64_t indices) {
  Numbers numbers;
  for (; indices != 0; indices &= indices - 1) numbers.push_back(static_cast<unsigned>(std::countr_zero(indices)));
  return numbers;
}

// As they lie in memory: an intermediate result that keeps this order is written and read in long runs.
Numbers as_they_lie(const Part& part, uint64_t indices) {
  Numbers numbers = members(indices);
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](unsigned a, unsigned b) { return std::abs(part.stride[a]) > std::abs(part.stride[b]); });
  return numbers;
}

// One index of a result, or several that its factors walk through as one.
struct Run {
  int64_t dim;
  std::array<int64_t, 2> stride;
};

class ByPairs {
 public:
  ByPairs(Builder& builder, const ContractSpec& spec, std::span<const int64_t> reduced, const Type& type)
      : builder_(builder), spec_(spec), dtype_(type.dtype), outs_(static_cast<unsigned>(spec.output.size())) {
    for (unsigned i = 0; i < outs_; ++i) extents_.push_back(type.shape[i].number());
    extents_.insert(extents_.end(), reduced.begin(), reduced.end());
    for (unsigned i = 0; i < outs_; ++i) output_ |= extents_[i] == 1 ? 0 : bit(i);
  }

  void run(std::span<Value> factors, std::byte* out) {
    parts_.reserve(2 * factors.size());  // what lies in a Value must not move
    for (size_t f = 0; f < factors.size(); ++f) take(std::move(factors[f]), f);
    for (unsigned f = 0; f < factors.size(); ++f) sum_own(f);
    const std::vector<kernels::PairStep> steps = order();
    for (const kernels::PairStep& step : steps) {
      const unsigned both[] = {step.left, step.right};
      if (&step == &steps.back()) {
        contract(both, members(output_), out);
      } else {
        parts_.push_back(contracted(both));
      }
      for (const unsigned number : both) parts_[number] = Part();
    }
  }

 private:
  void take(Value value, size_t f) {
    Part& part = parts_.emplace_back();
    part.owner = std::move(value);
    part.zeros = spec_.makes_zeros(f);
    const kernels::StridedInput x = kernels::strided(part.owner);
    part.data = x.data;
    for (unsigned axis = 0; axis < x.rank; ++axis) {
      if (x.dims[axis] == 1) continue;
      const unsigned index = number_of(spec_.factors[f][axis]);
      part.indices |= bit(index);
      part.stride[index] += x.strides[axis];  // an index that occurs twice moves along both axes
    }
  }
  unsigned number_of(int64_t index) const {
    const auto at = std::find(spec_.output.begin(), spec_.output.end(), index);
    if (at != spec_.output.end()) return static_cast<unsigned>(at - spec_.output.begin());
    const auto reduced = std::find(spec_.reduced.begin(), spec_.reduced.end(), index);
    return outs_ + static_cast<unsigned>(reduced - spec_.reduced.begin());
  }

  // What is left of `some` parts' product: what the result has, or other parts.
  uint64_t kept(std::span<const unsigned> some) const {
    uint64_t inside = 0, outside = output_;
    for (unsigned p = 0; p < parts_.size(); ++p) {
      const bool one_of_them = std::find(some.begin(), some.end(), p) != some.end();
      (one_of_them ? inside : outside) |= parts_[p].indices;
    }
    return inside & outside;
  }

  void sum_own(unsigned f) {
    const unsigned one[] = {f};
    if (kept(one) == parts_[f].indices) return;
    Part sum = contracted(one);
    parts_[f] = std::move(sum);
  }

  // Axes of examples count as one example: each is contracted in the order in which it would be alone. Those that are
  // summed over are no examples of the result.
  std::vector<kernels::PairStep> order() const {
    std::vector<int64_t> counted = extents_;
    for (unsigned i = 0; i < outs_; ++i) {
      if (std::find(spec_.examples.begin(), spec_.examples.end(), spec_.output[i]) != spec_.examples.end())
        counted[i] = 1;
    }
    std::vector<uint64_t> factors;
    for (const Part& part : parts_) factors.push_back(part.indices);
    return kernels::pair_order(factors, output_, counted);
  }

  // In memory of its own: what both have first, then what the left one has, then the right one.
  Part contracted(std::span<const unsigned> some) {
    Part result;
    result.indices = kept(some);
    const Part &left = parts_[some.front()], &right = parts_[some.back()];
    Numbers outs;
    for (const auto& [part, indices] :
         {std::pair(&left, left.indices & right.indices), std::pair(&left, left.indices & ~right.indices),
          std::pair(&right, right.indices & ~left.indices)}) {
      const Numbers more = as_they_lie(*part, indices & result.indices);
      outs.insert(outs.end(), more.begin(), more.end());
    }
    int64_t elements = 1;
    for (size_t i = outs.size(); i-- > 0;) {
      result.stride[outs[i]] = elements;
      if (__builtin_mul_overflow(elements, extents_[outs[i]], &elements))
        elements = std::numeric_limits<int64_t>::max();
    }
    for (const unsigned number : some) result.zeros |= parts_[number].zeros;
    result.owner = make_tensor(builder_.pool(), dtype_, Shape{Dim(elements)});
    std::byte* data = result.owner.tensor().data();
    result.data = data;
    contract(some, outs, data);
    return result;
  }

  // One or two parts into `out`, row-major in the order `outs`.
  void contract(std::span<const unsigned> some, const Numbers& outs, std::byte* out) {
    kernels::Contraction c;
    c.dtype = dtype_;
    uint64_t all = 0, zeros = 0;
    std::vector<kernels::ContractFactor> factors;
    for (size_t f = 0; f < some.size(); ++f) {
      const Part& part = parts_[some[f]];
      all |= part.indices;
      if (part.zeros) zeros |= uint64_t{1} << f;
      factors.push_back({part.data, {}, {}});
    }
    for (const unsigned index : outs) all &= ~bit(index);
    for (const unsigned index : members(all)) {
      c.reduced_dim[c.reduced] = extents_[index];
      for (size_t f = 0; f < some.size(); ++f) factors[f].reduced_stride[c.reduced] = parts_[some[f]].stride[index];
      ++c.reduced;
    }
    c.factors = factors;
    c.out = out;
    run_kernel(c, runs_of(some, outs), zeros);
  }
  std::vector<Run> runs_of(std::span<const unsigned> some, const Numbers& outs) const {
    std::vector<Run> runs;
    for (const unsigned index : outs) {
      Run run{extents_[index], {}};
      bool one_run = !runs.empty();
      for (size_t f = 0; f < some.size(); ++f) {
        run.stride[f] = parts_[some[f]].stride[index];
        one_run = one_run && runs.back().stride[f] == run.dim * run.stride[f];
      }
      if (one_run) {
        run.dim *= runs.back().dim;
        runs.back() = run;
      } else {
        runs.push_back(run);
      }
    }
    return runs;
  }

  // An intermediate result may have more axes than a tensor: the kernel takes the last of them.
  void run_kernel(kernels::Contraction c, std::span<const Run> runs, uint64_t zeros) {
    int64_t elements = 1;
    for (const Run& run : runs) elements *= run.dim;
    if (runs.size() > max_rank) {
      const auto size = static_cast<int64_t>(size_of(dtype_));
      std::vector<kernels::ContractFactor> factors(c.factors.begin(), c.factors.end());
      c.factors = factors;
      for (int64_t i = 0; i < runs[0].dim; ++i) {
        run_kernel(c, runs.subspan(1), zeros);
        for (size_t f = 0; f < factors.size(); ++f) factors[f].data += runs[0].stride[f] * size;
        c.out += elements / runs[0].dim * size;
      }
      return;
    }
    for (const Run& run : runs) {
      for (size_t f = 0; f < c.factors.size(); ++f) c.factors[f].out_stride[c.outs] = run.stride[f];
      c.out_dim[c.outs++] = run.dim;
    }
    kernels::contract(builder_.context(), c);
    if (zeros == 0 || c.factors.size() < 2 || !kernels::may_need_repair(dtype_, c.out, elements)) return;
    kernels::repair_nan(builder_.context(), c, zeros);
  }

  Builder& builder_;
  const ContractSpec& spec_;
  const Dtype dtype_;
  const unsigned outs_;
  uint64_t output_ = 0;           // the result's indices
  std::vector<int64_t> extents_;  // by number
  std::vector<Part> parts_;
};

}  // namespace

void contract_by_pairs(Builder& builder, const ContractSpec& spec, std::span<const int64_t> reduced, const Type& type,
                       std::span<Value> factors, std::byte* out) {
  if (type.shape.elements() == 0) return;
  if (std::find(reduced.begin(), reduced.end(), 0) != reduced.end()) {  // a sum of no terms, whatever the factors are
    std::memset(out, 0, static_cast<size_t>(type.shape.elements()) * size_of(type.dtype));
    return;
  }
  ByPairs(builder, spec, reduced, type).run(factors, out);
}

}  // namespace covec::ops
