#include "jit/runtime/row_run.hpp"

#include <algorithm>
#include <bit>

#include "jit/runtime/launch_extents.hpp"
#include "jit/runtime/reduction.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

using loops::Launch;
using loops::RowTileSteps;
using loops::SlotId;

namespace {

constexpr int64_t few_rows = 12;         // of which calls count for less than steps do
constexpr int64_t min_columns = 96;      // of more rows: below, calls count
constexpr int64_t min_of_library = 256;  // columns, where the library's operators are called
constexpr int64_t max_room = 256 << 10;  // bytes: of the second-level cache
constexpr int64_t grain = 1 << 12;       // elements that are worth a thread
constexpr int64_t piece = 1 << 12;       // elements, where there are no rows: some kernels' worth of the nearest cache
constexpr int64_t min_pieces = 16;       // from which on there are pieces
constexpr int64_t checked_piece = 5;     // where memory is guarded (COVEC_CHECK), for the tests' small tensors
constexpr int64_t line = 64;             // bytes of a cache line

// A member that is no launch applies an operator.
const ops::Entry& entry_of(const loops::Step& step) { return *std::get<loops::step::Apply>(step.action).op.entry; }

}  // namespace

// --- what a row is ---

// Of the largest tensor.
int64_t RowRun::elements_read() const {
  int64_t most = 0;
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    if (slots_[read.slot].is_tensor()) most = std::max(most, slots_[read.slot].tensor().size());
  }
  return most;
}

bool RowRun::has_pieces(int64_t elements) const { return context_.pool->guarded() || elements >= min_pieces * piece; }

// All reductions take the same axes, the last ones. Few elements along one axis are not worth the preparation.
bool RowRun::find_axes() {
  uint32_t axes = 0;
  const auto agrees = [&](const Launch::Reduction& reduction) {
    if (axes == 0) {
      axes = reduction.axes;
      rank_ = reduction.rank;
    }
    return reduction.axes == axes && reduction.rank == rank_;
  };
  for (const RowTileSteps::Read& read : row_tiles_.reads) rank_ = std::max(rank_, read.rank);
  const uint32_t most = rank_;
  for (const RowTileSteps::Member& member : row_tiles_.members) {
    const loops::Step& step = plan_.steps[member.step];
    if (const auto* run = step.get_if<loops::step::RunLaunch>()) {
      if (!std::ranges::all_of(plan_.launches[run->launch].reductions, agrees)) return false;
    } else if (entry_of(step).reduce == nullptr) {
      calls_library_ = true;
    } else if (!member.reduction || !agrees(*member.reduction)) {
      return false;
    }
  }
  if (rank_ != most) return false;
  if (rank_ < 2 && (axes != 0 || !has_pieces(elements_read()))) return false;
  reduces_ = axes != 0;
  if (axes != 0) reduced_ = static_cast<uint32_t>(std::popcount(axes));
  return axes == 0 || axes == ((uint32_t{1} << rank_) - 1) >> (rank_ - reduced_) << (rank_ - reduced_);
}

bool RowRun::find_domain() {
  int64_t dims[max_rank];
  std::fill_n(dims, rank_, 1);
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    if (!slots_[read.slot].is_tensor()) return false;
    const Tensor& x = slots_[read.slot].tensor();
    if (x.on_device() || x.rank() > read.rank || x.size() == 0) return false;
    if (read.rank != rank_) continue;
    for (unsigned axis = 0; axis < x.rank(); ++axis) {
      int64_t& dim = dims[rank_ - x.rank() + axis];
      dim = std::max(dim, x.dim(axis));
    }
  }
  domain_ = Shape(dims, rank_);
  for (unsigned axis = 0; axis < rank_; ++axis) {
    if (__builtin_mul_overflow(elements_, dims[axis], &elements_)) return false;
    (axis < rank_ - reduced_ ? rows_ : columns_) *= dims[axis];
  }
  return true;
}

// Of a tensor from outside that is read by what goes over so many axes. Nothing: it varies otherwise.
std::optional<uint8_t> RowRun::varies(const Tensor& x, uint32_t rank) const {
  if (x.size() == 1) return nothing;
  if (!x.contiguous() || (rank != rank_ && rank != rank_ - reduced_)) return std::nullopt;
  bool whole[2] = {true, true}, one[2] = {true, true};  // of the rows' axes, and of the columns'
  for (unsigned axis = 0; axis < rank; ++axis) {
    const unsigned missing = rank - x.rank();
    const int64_t dim = axis < missing ? 1 : x.dim(axis - missing);
    const unsigned part = axis < rank_ - reduced_ ? 0 : 1;
    whole[part] &= dim == domain_[axis].number();
    one[part] &= dim == 1;
  }
  if (rank != rank_) return whole[0] ? std::optional(with_row) : std::nullopt;
  if (whole[0] && whole[1]) return with_both;
  if (whole[0] && one[1]) return with_row;
  if (one[0] && whole[1]) return with_column;
  return std::nullopt;
}

bool RowRun::place_reads() {
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    Tensor& x = slots_[read.slot].tensor();
    const std::optional<uint8_t> how = varies(x, read.rank);
    if (!how) return false;
    const auto size = static_cast<int64_t>(size_of(x.dtype()));
    const int64_t step = *how == with_both ? columns_ * size : *how == with_row ? size : 0;
    if (!places_.add({read.slot, x.dtype(), *how, false, false, read.rank == rank_, x.data(), 0, step})) return false;
  }
  return true;
}

// Rows as they are, where they are long enough or few; pieces, where there are none.
bool RowRun::choose_rows() {
  const auto is_row_or_column = [](const RowBuffer& place) {
    return place.varies == with_row || place.varies == with_column;
  };
  if (!reduces_ && std::ranges::none_of(places_, is_row_or_column)) return cut_into_pieces();
  const int64_t fewest = calls_library_ ? min_of_library : min_columns;
  return context_.pool->guarded() || columns_ >= fewest || rows_ <= few_rows;
}

// All elements are alike: rows of them as they suit us.
bool RowRun::cut_into_pieces() {
  if (!has_pieces(elements_)) return false;
  columns_ = std::min(elements_, context_.pool->guarded() ? checked_piece : piece);
  rows_ = (elements_ + columns_ - 1) / columns_;
  for (RowBuffer& place : places_) {
    if (place.varies == with_both) place.step = columns_ * static_cast<int64_t>(size_of(place.dtype));
  }
  return true;
}

// --- steps ---

const RowRun::RowBuffer* RowRun::place_of(SlotId slot) const {
  const RowBuffer* found = std::ranges::find(places_, slot, &RowBuffer::slot);
  return found != places_.end() ? found : nullptr;
}

std::optional<uint8_t> RowRun::add_made(SlotId slot, Dtype dtype, uint8_t varies, bool keeps) {
  const auto made = std::ranges::find(row_tiles_.made, slot, &RowTileSteps::Made::slot);
  const bool needed = made != row_tiles_.made.end() && made->needed;
  const auto size = static_cast<int64_t>(size_of(dtype));
  const int64_t bytes = varies == with_both ? columns_ * size : size;
  if (!places_.add({slot, dtype, varies, !needed, needed, keeps, nullptr, room_, bytes})) return std::nullopt;
  if (!needed) room_ += (bytes + line - 1) / line * line;
  return static_cast<uint8_t>(places_.size() - 1);
}

bool RowRun::add(const RowTileSteps::Member& member) {
  const loops::Step& step = plan_.steps[member.step];
  if (const auto* run = step.get_if<loops::step::RunLaunch>()) return add_launch(plan_.launches[run->launch]);
  if (entry_of(step).reduce == nullptr) return add_elementwise(step);
  const RowBuffer* x = place_of(step.operands[0].slot);
  if (x == nullptr || (x->varies != with_both && x->varies != with_row)) return false;
  Task task;
  return add_reduction(*member.reduction, step.results[0], static_cast<uint8_t>(x - places_.begin()), task) &&
         tasks_.add(task);
}

// Columns are one element for a row, everything else is as long as a row; of single elements all are.
bool RowRun::choose_kernel(const Launch& launch, uint8_t all, Task& task) const {
  const bool by_rows = all == with_both && launch.columns != 0;
  if (by_rows && launch.row_kernel == Launch::no_kernel) return false;
  task.kernel = backend_.kernels[by_rows ? launch.row_kernel : launch.kernel];
  task.whole = all == with_both;
  if (all != with_both) return true;
  for (size_t i = 0; i < launch.inputs.size(); ++i) {
    const bool is_column = (launch.columns >> i & 1) != 0, varies = (places_[task.in[i]].varies & with_column) != 0;
    if (is_column == varies) return false;
  }
  return true;
}

// Whether all that is stored or reduced varies as all operands together do.
bool RowRun::fits(const Launch& launch, uint8_t all) const {
  SmallVector<uint8_t, 256> members(launch.members.size());
  for (size_t m = 0; m < members.size(); ++m) {
    const Launch::Member& member = launch.members[m];
    members[m] = nothing;
    for (uint32_t i = 0; i < member.operands; ++i) {
      const Launch::Source& source = member.args[i];
      if (source.kind == Launch::Source::Kind::input) members[m] |= place_of(launch.inputs[source.index].slot)->varies;
      if (source.kind == Launch::Source::Kind::member) members[m] |= members[source.index];
    }
  }
  return std::ranges::all_of(launch.outputs, [&](const auto& output) { return members[output.member] == all; }) &&
         std::ranges::all_of(launch.reductions, [&](const auto& one) { return members[one.member] == all; });
}

bool RowRun::add_launch(const Launch& launch) {
  Task task;
  uint8_t all = nothing;
  for (const Launch::Input& input : launch.inputs) {
    const RowBuffer* place = place_of(input.slot);
    if (place == nullptr) return false;
    all |= place->varies;
    if (!task.in.add(static_cast<uint8_t>(place - places_.begin()))) return false;
  }
  if (all != with_both && all != with_row) return false;
  if (!choose_kernel(launch, all, task) || !fits(launch, all)) return false;
  task.words = words_.size();
  for (size_t i = 0; i < launch.numbers.size(); ++i) {
    if (!words_.add(word_of(slots_[launch.numbers[i]], launch.number_dtypes[i]))) return false;
  }
  for (const Launch::Output& output : launch.outputs) {
    const auto made = add_made(output.slot, output.dtype, all, launch.extents.rank() == rank_);
    if (!made || !task.out.add(*made)) return false;
  }
  if (!launch.reductions.empty()) {
    const Launch::Reduction& reduction = launch.reductions[0];
    const auto reduced = add_made(loops::Step::nowhere, reduction.dtype, all, true);
    if (!reduced || !task.out.add(*reduced)) return false;
    if (!add_reduction(reduction, reduction.slot, *reduced, task)) return false;
  }
  return tasks_.add(task);
}

// exp(x) and the like: of one operand, whose dtype the result has, and which cannot fail.
bool RowRun::add_elementwise(const loops::Step& step) {
  const ops::PointwiseOperator& op = *entry_of(step).pointwise;
  if (step.operands.size() != 1 || op.info.arity != 1 || op.info.parameter) return false;
  const RowBuffer* x = place_of(step.operands[0].slot);
  if (x == nullptr || (x->varies != with_both && x->varies != with_row)) return false;
  const auto dtype = static_cast<unsigned>(x->dtype);
  const bool may_fail = op.info.failure != ops::Failure::none;
  if (kind_of(x->dtype) != DtypeKind::floating || op.plain[dtype] != dtype || may_fail) return false;
  Task task;
  task.elementwise = op.kernel(context_.isa, x->dtype);
  task.whole = x->varies == with_both;
  if (!task.in.add(static_cast<uint8_t>(x - places_.begin()))) return false;
  const auto made = add_made(step.results[0], x->dtype, x->varies, x->keeps);
  return made && task.out.add(*made) && tasks_.add(task);
}

bool RowRun::add_reduction(const Launch::Reduction& reduction, SlotId slot, uint8_t reduced, Task& task) {
  const ops::ReduceOperator& op = *reduction.entry->reduce;
  if (is_narrow(reduction.dtype)) return false;
  const kernels::ReduceKind kind = kernel_kind(op.kind);
  const Dtype dtype = kernels::reduced_dtype(kind, reduction.dtype);
  task.reduction = &kernels::reduce_kernel_for(context_.isa, kind, reduction.dtype);
  task.reduced = reduced;
  task.reduces_whole = places_[reduced].varies == with_both;
  task.divides = op.divides;
  const auto result = add_made(slot, dtype, with_row, reduction.keepdims);
  if (result) task.result = *result;
  return result.has_value();
}

// --- all rows ---

void RowRun::make_results() {
  for (size_t i = 0; i < places_.size(); ++i) {
    RowBuffer& place = places_[i];
    if (!place.needed) continue;
    Shape shape = domain_;
    if (place.varies == with_row)
      shape = ops::reduced_shape(domain_, {((uint32_t{1} << reduced_) - 1) << (rank_ - reduced_), place.keeps});
    results_[i] = make_tensor(*context_.pool, place.dtype, shape);
    place.data = results_[i].tensor().data();
  }
}

[[gnu::always_inline]] inline void RowRun::run_task(const Task& task, int64_t row, int64_t columns,
                                                    std::byte* room) const {
  const void* in[max_inputs];
  void* out[max_outputs];
  for (size_t i = 0; i < task.in.size(); ++i) in[i] = places_[task.in[i]].of_row(row, room);
  for (size_t i = 0; i < task.out.size(); ++i) out[i] = places_[task.out[i]].of_row(row, room);
  const int64_t n = task.whole ? columns : 1;
  if (task.kernel != nullptr) task.kernel(out, in, n, words_.begin() + task.words);
  if (task.elementwise != nullptr) task.elementwise(out[0], in, n, 0, 0);
  if (task.reduction == nullptr) return;
  std::byte* const result = places_[task.result].of_row(row, room);
  const int64_t reduced = task.reduces_whole ? columns : 1;
  task.reduction->rows(places_[task.reduced].of_row(row, room), 1, reduced, reduced, result);
  if (task.divides) divide_all(places_[task.result].dtype, result, 1, reduced);
}

void RowRun::run_rows(int64_t begin, int64_t end, std::byte* room) const {
  const int64_t most = columns_, elements = elements_;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t columns = std::min(most, elements - row * most);
    for (const Task& task : tasks_) run_task(task, row, columns, room);
  }
}

bool RowRun::run() {
  if (!find_axes() || !find_domain() || !place_reads() || !choose_rows()) return false;
  for (const RowTileSteps::Member& member : row_tiles_.members) {
    if (!add(member)) return false;
  }
  if (room_ > max_room) return false;
  try {
    make_results();
    kernels::ScratchSlots slots(context_, static_cast<size_t>(room_));
    kernels::parallel_units(context_, rows_, std::max<int64_t>(1, grain / columns_), [&](int64_t begin, int64_t end) {
      const kernels::ScratchSlots::Slot slot(slots);
      run_rows(begin, end, slot.data());
    });
  } catch (...) {  // the steps, one by one, say what it is
    return false;
  }
  finish();
  return true;
}

void RowRun::finish() {
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    if (read.last) slots_[read.slot] = Value();
  }
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].needed) slots_[places_[i].slot] = std::move(results_[i]);
  }
}

}  // namespace covec::runtime
