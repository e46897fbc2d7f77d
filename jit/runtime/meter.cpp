#include "jit/runtime/meter.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/signal/signal.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/half.hpp"

namespace covec::runtime {

using loops::Launch;
using loops::Operand;
using loops::Step;
using loops::VectorLoop;

namespace {

double bytes_of(const Value& value) {
  if (!value.is_tensor()) return 0;
  return static_cast<double>(value.tensor().size()) * static_cast<double>(size_of(value.tensor().dtype()));
}

const Tensor* tensor_of(const Operand& operand, std::span<const Value> slots) {
  if (operand.kind == Operand::Kind::tree) return nullptr;
  const Value& value = operand.kind == Operand::Kind::slot ? slots[operand.slot] : operand.value;
  return value.is_tensor() ? &value.tensor() : nullptr;
}

// --- library calls ---

std::optional<Shape> shape_of_product(const Tensor& a, const Tensor& b) {
  const Shape left = a.shape(), right = b.shape();
  const unsigned m = left.rank(), n = right.rank();
  if (m == 0 || n == 0) return std::nullopt;
  Shape batch(left.begin(), m - std::min(m, 2u)), other(right.begin(), n - std::min(n, 2u));
  if (fit(batch, other) != Fit::fits) return std::nullopt;
  Shape shape = joined(batch, other);
  if (m > 1) shape.push_back(left[m - 2]);
  if (n > 1) shape.push_back(right[n - 1]);
  return shape;
}

// 2·m·n·k operations, whatever the rank.
Work work_of_product(const Step& step, std::span<const Value> slots) {
  const Tensor *a = tensor_of(step.operands[0], slots), *b = tensor_of(step.operands[1], slots);
  const std::optional<Shape> shape = a != nullptr && b != nullptr ? shape_of_product(*a, *b) : std::nullopt;
  if (!shape || !is_float(a->dtype()) || a->dtype() != b->dtype()) return {};
  const auto size = static_cast<double>(size_of(a->dtype()));
  const auto elements = static_cast<double>(shape->elements());
  return {.bytes = size * (static_cast<double>(a->size()) + static_cast<double>(b->size())),
          .operations = 2 * elements * static_cast<double>(a->dim(a->rank() - 1)),
          .dtype = computing_dtype(a->dtype()),
          .known = true};
}

// Of two factors: a multiplication and an addition for each place that all indices have together.
Work work_of_contraction(const Step& step, const loops::step::Operator& op, std::span<const Value> slots) {
  const std::span<const Operand> factors = std::span(step.operands).subspan(op.parameters);
  if (factors.size() != 2 || step.operands[0].kind != Operand::Kind::constant) return {};
  const ops::ContractSpec spec = ops::ContractSpec::of(step.operands[0].value);
  std::map<int64_t, int64_t> extents;
  Work work{.operations = 2, .known = true};
  for (size_t i = 0; i < factors.size(); ++i) {
    const Tensor* factor = tensor_of(factors[i], slots);
    if (factor == nullptr || !is_float(factor->dtype()) || spec.factors[i].size() != factor->rank()) return {};
    for (unsigned axis = 0; axis < factor->rank(); ++axis) {
      int64_t& extent = extents.try_emplace(spec.factors[i][axis], 1).first->second;
      extent = std::max(extent, factor->dim(axis));
    }
    work.bytes += static_cast<double>(factor->size()) * static_cast<double>(size_of(factor->dtype()));
    work.dtype = computing_dtype(factor->dtype());
  }
  for (const auto& [index, extent] : extents) work.operations *= static_cast<double>(extent);
  return work;
}

bool is_convolution(const loops::step::Operator& op) {
  return op.entry == &ops::convolve_entry() || op.entry == &ops::convolve_input_entry() ||
         op.entry == &ops::convolve_weight_entry();
}

// Where the first of its options is, how many axes it goes along.
const Operand& axes_of_convolution(const Step& step, const loops::step::Operator& op) {
  return step.operands[op.entry == &ops::convolve_entry() ? 2 : op.entry == &ops::convolve_input_entry() ? 4 : 6];
}

// Elements of the weights for one of y; their axes are (…, out, in, rows, columns), of conv1d without rows.
double window_size(const Tensor& weights, const Step& step, const loops::step::Operator& op) {
  const unsigned last = axes_of_convolution(step, op).value.i64() == 1 ? 2 : 3;
  double size = 1;
  for (unsigned axis = weights.rank() - last; axis < weights.rank(); ++axis) {
    size *= static_cast<double>(weights.dim(axis));
  }
  return size;
}

// Two for each element of y and each of its window; y or the weights may be the result, which comes later.
Work work_of_convolution(const Step& step, const loops::step::Operator& op, std::span<const Value> slots) {
  const Tensor *a = tensor_of(step.operands[0], slots), *b = tensor_of(step.operands[1], slots);
  if (a == nullptr || b == nullptr || !is_float(a->dtype()) || a->dtype() != b->dtype()) return {};
  if (axes_of_convolution(step, op).kind != Operand::Kind::constant) return {};
  const auto first = static_cast<double>(a->size());
  double operations = 2;
  if (op.entry != &ops::convolve_entry()) operations *= first;
  if (op.entry != &ops::convolve_weight_entry()) operations *= window_size(*b, step, op);
  return {.bytes = static_cast<double>(size_of(a->dtype())) * (first + static_cast<double>(b->size())),
          .operations = operations,
          .dtype = computing_dtype(a->dtype()),
          .known = true};
}

void complete_convolution(const Step& step, const loops::step::Operator& op, const Tensor& result, Work& work) {
  if (op.entry == &ops::convolve_entry()) work.operations *= static_cast<double>(result.size());
  if (op.entry == &ops::convolve_weight_entry()) work.operations *= window_size(result, step, op);
}

Work work_of_reduction(const Step& step, std::span<const Value> slots) {
  const Tensor* x = tensor_of(step.operands[0], slots);
  if (x == nullptr) return {};
  const auto elements = static_cast<double>(x->size());
  return {.bytes = elements * static_cast<double>(size_of(x->dtype())),
          .operations = is_float(x->dtype()) ? elements : 0,
          .dtype = computing_dtype(x->dtype()),
          .known = true};
}

Work work_of_call(const Step& step, const loops::step::Operator& op, std::span<const Value> slots) {
  const ops::Entry* const products[] = {&ops::matmul_entry(), &ops::scaled_matmul_entry(), &ops::dot_entry()};
  if (std::ranges::find(products, op.entry) != std::end(products)) return work_of_product(step, slots);
  if (is_convolution(op)) return work_of_convolution(step, op, slots);
  if (op.entry == &ops::contract_entry()) return work_of_contraction(step, op, slots);
  return op.entry->reduce != nullptr && !step.operands.empty() ? work_of_reduction(step, slots) : Work();
}

// --- kernels ---

Dtype dtype_of(const Launch& launch) {
  return computing_dtype(!launch.outputs.empty()      ? launch.outputs[0].dtype
                         : !launch.reductions.empty() ? launch.reductions[0].dtype
                                                      : Dtype::f64);
}

// Its elements are those of the shape that its inputs have together. One that makes a product itself reads that before
// it is in memory.
Work work_of_launch(const loops::Plan& plan, const Launch& launch, std::span<const Value> slots) {
  Work work{.dtype = dtype_of(launch), .known = true};
  Shape shape;
  loops::SlotId made = Step::nowhere;
  if (launch.product != Launch::nowhere) {
    const Step& step = plan.steps[launch.product];
    const Tensor *a = tensor_of(step.operands[0], slots), *b = tensor_of(step.operands[1], slots);
    work = work_of_product(step, slots);
    if (!work.known) return {};
    shape = *shape_of_product(*a, *b);
    made = step.results[0];
  }
  for (const Launch::Input& input : launch.inputs) {
    if (input.slot == made) continue;
    const Shape one = slots[input.slot].tensor().shape();
    if (fit(shape, one) != Fit::fits) return {};
    shape = joined(shape, one);
    work.bytes += bytes_of(slots[input.slot]);
  }
  const auto elements = static_cast<double>(shape.elements());
  const bool adds = !launch.reductions.empty() && is_float(launch.reductions[0].dtype);
  work.bytes += elements * launch.bytes_written;
  work.operations += elements * (launch.flops + (adds ? 1 : 0));
  return work;
}

// --- rows ---

// What comes from outside is read once; of what lies between nothing need be in memory.
Work work_of_rows(const loops::Plan& plan, const loops::RowTileSteps& row_tiles, std::span<const Value> slots) {
  Work work{.known = true};
  double elements = 0;
  for (const loops::RowTileSteps::Read& read : row_tiles.reads) {
    const Tensor& x = slots[read.slot].tensor();
    work.bytes += static_cast<double>(x.size()) * static_cast<double>(size_of(x.dtype()));
    elements = std::max(elements, static_cast<double>(x.size()));
  }
  for (const loops::RowTileSteps::Member& member : row_tiles.members) {
    const Step& step = plan.steps[member.step];
    if (member.reduction && is_float(member.reduction->dtype)) work.operations += elements;
    const auto* const run = step.get_if<loops::step::RunLaunch>();
    if (run == nullptr) {
      work.known = work.known && member.reduction.has_value();  // not what an operator of the library computes
      continue;
    }
    const Launch& launch = plan.launches[run->launch];
    const Dim last = launch.extents[launch.extents.rank() - 1];
    const bool adds = !launch.reductions.empty() && is_float(launch.reductions[0].dtype);
    if (last != Dim(1)) work.operations += elements * (launch.flops + (adds ? 1 : 0));
    work.dtype = dtype_of(launch);
  }
  return work;
}

// --- loops ---

Work work_of_iterations(const loops::Plan& plan, const VectorLoop& loop, int64_t iterations) {
  if (loop.kernel == VectorLoop::no_kernel) return {};
  const loops::Kernel& kernel = plan.program.kernels[loop.kernel];
  Work work{.known = true};
  const auto n = static_cast<double>(iterations);
  for (size_t i = 0; i < loop.reads.size(); ++i) {
    const VectorLoop::Access& read = loop.reads[i];
    if (read.slot != Step::nowhere || read.stack != VectorLoop::Access::no_stack)
      work.bytes += n * static_cast<double>(size_of(kernel.inputs[i].dtype));
  }
  for (const loops::Kernel::Output& output : kernel.outputs) {
    work.bytes += n * static_cast<double>(size_of(output.dtype));
    work.dtype = computing_dtype(output.dtype);
  }
  for (const loops::KernelInstruction& i : kernel.code) {
    if (i.kind == loops::KernelInstruction::Kind::scalar && is_float(i.dtype)) work.operations += n;
  }
  return work;
}

}  // namespace

void StepTimes::add(const Sample& sample) {
  if (last_.size() < kept)
    last_.push_back(sample);
  else
    last_[times_ % kept] = sample;
  ++times_;
  seconds_ += sample.seconds;
}

Sample StepTimes::median() const {
  std::vector<Sample> sorted = last_;
  const auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle, {}, &Sample::seconds);
  return *middle;
}

void Meter::add(size_t step, const Sample& sample, uint64_t loop) {
  times_[step].add(sample);
  (loop == 0 ? outside_ : inside_[loop - 1]) += sample.seconds;
}

// Ticks are as long as those since the beginning.
double Meter::seconds(uint64_t ticks) const {
  const std::chrono::duration<double> whole = Clock::now() - begin_;
  return static_cast<double>(ticks) * whole.count() / static_cast<double>(__rdtsc() - first_tick_);
}

double Meter::seconds_of_loop(size_t poll) const { return std::max(seconds(loops_[poll].ticks) - inside_[poll], 0.0); }

void Meter::end_loop(size_t poll, uint64_t began) {
  ++loops_[poll].times;
  loops_[poll].ticks += __rdtsc() - began;
}

double Meter::accounted() const {
  double sum = outside_;
  for (size_t poll = 0; poll < loops_.size(); ++poll) sum += std::max(seconds(loops_[poll].ticks), inside_[poll]);
  return sum;
}

bool is_measured(const Step& step, std::span<const Value> slots) {
  if (const auto* apply = step.get_if<loops::step::Apply>())
    return !(apply->unless_done && slots[step.operands[1].slot].is_none());
  return step.is<loops::step::RunLaunch>() || step.is<loops::step::RunVectorLoop>() ||
         step.is<loops::step::RunLaneLoop>() || step.is<loops::step::Interpret>() ||
         step.is<loops::step::CallValue>() || step.is<loops::step::Invoke>();
}

Work work_before(const loops::Plan& plan, const Step& step, std::span<const Value> slots) {
  if (const auto* apply = step.get_if<loops::step::Apply>()) return work_of_call(step, apply->op, slots);
  if (const auto* run = step.get_if<loops::step::RunRowTiles>())
    return work_of_rows(plan, plan.row_tiles[run->row_tiles], slots);
  if (const auto* run = step.get_if<loops::step::RunLaunch>())
    return work_of_launch(plan, plan.launches[run->launch], slots);
  return {};
}

bool add_work_after(const loops::Plan& plan, const Step& step, std::span<const Value> slots, Work& work) {
  if (const auto* run = step.get_if<loops::step::RunVectorLoop>()) {
    const int64_t iterations = slots[step.results[0]].i64();
    work = work_of_iterations(plan, plan.vector_loops[run->loop], iterations);
    return iterations > 0;
  }
  if (const auto* run = step.get_if<loops::step::RunRowTiles>()) {
    for (const loops::RowTileSteps::Made& made : plan.row_tiles[run->row_tiles].made) {
      if (made.needed) work.bytes += bytes_of(slots[made.slot]);
    }
  } else if (const auto* launched = step.get_if<loops::step::RunLaunch>()) {
    for (const Launch::Reduction& reduction : plan.launches[launched->launch].reductions) {
      if (reduction.slot != Step::nowhere) work.bytes += bytes_of(slots[reduction.slot]);
    }
  } else if (const auto* apply = step.get_if<loops::step::Apply>();
             apply != nullptr && work.known && step.results[0] != Step::nowhere) {
    const Value& result = slots[step.results[0]];
    work.bytes += bytes_of(result);
    if (is_convolution(apply->op)) complete_convolution(step, apply->op, result.tensor(), work);
  }
  return true;
}

}  // namespace covec::runtime
