#include "jit/runtime/row_tile_run.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstring>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

using loops::RowTileSteps;

namespace {

constexpr int64_t min_rows = 4;            // in a tile
constexpr int64_t max_elements = 1 << 20;  // in a row
constexpr int64_t checked_panels = 3;      // where memory is guarded (COVEC_CHECK), for the tests' small tensors
constexpr int64_t quantum = 64;            // long row tiles begin where cache lines do

// A thread of several gets all of its core's second-level cache, so that they wait for each other less often.
int64_t bytes_of_panel(const ops::Context& context) {
  static const int64_t cache = [] {
    const int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? std::clamp<int64_t>(bytes, 512 << 10, 4 << 20) : 1 << 20;
  }();
  return context.threads > 1 ? cache * context.threads : cache / 2;
}

bool has_adjacent_columns(const Tensor& x) { return x.rank() < 2 || x.contiguous() || x.stride(x.rank() - 1) == 1; }

}  // namespace

bool RowTileRun::has_rows(const RowTileSteps::Read& read) const {
  const Tensor& x = slots_[read.slot].tensor();
  return x.rank() == read.rank && x.dim(0) == rows_;
}

// How many rows the steps have in common.
bool RowTileRun::find_rows() {
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    if (!slots_[read.slot].is_tensor()) return false;
    const Tensor& x = slots_[read.slot].tensor();
    if (x.rank() > read.rank || x.on_device()) return false;
    if (x.rank() == read.rank) rows_ = std::max(rows_, x.dim(0));
  }
  if (rows_ < 2) return false;
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    const Tensor& x = slots_[read.slot].tensor();
    if (has_rows(read) ? x.storage() == nullptr || !has_adjacent_columns(x) : x.rank() == read.rank && x.dim(0) != 1)
      return false;
  }
  return std::ranges::all_of(row_tiles_.members, [&](const RowTileSteps::Member& member) {
    return member.reads_made ||
           std::ranges::any_of(member.reads, [&](uint32_t read) { return has_rows(row_tiles_.reads[read]); });
  });
}

// How many make a tile.
bool RowTileRun::find_length() {
  int64_t dims[max_rank] = {}, bytes = 0;
  std::ranges::fill(dims, 1);
  for (const RowTileSteps::Read& read : row_tiles_.reads) {
    const Tensor& x = slots_[read.slot].tensor();
    for (unsigned axis = 0; axis < x.rank(); ++axis) {
      int64_t& dim = dims[max_rank - x.rank() + axis];
      dim = std::max(dim, x.dim(axis));
    }
    if (has_rows(read)) bytes += x.size() / rows_ * static_cast<int64_t>(size_of(x.dtype()));
  }
  uint32_t rank = 0;
  for (const RowTileSteps::Read& read : row_tiles_.reads) rank = std::max(rank, read.rank);
  int64_t elements = 1;
  for (unsigned axis = max_rank - rank + 1; axis < max_rank; ++axis) {
    if (__builtin_mul_overflow(elements, dims[axis], &elements) || elements > max_elements) return false;
  }
  for (const RowTileSteps::Made& made : row_tiles_.made) {
    if (made.whole) bytes += elements * static_cast<int64_t>(size_of(made.dtype));
  }
  if (context_.pool->guarded()) {
    length_ = std::max<int64_t>(2, (rows_ + checked_panels - 1) / checked_panels);  // of one row all have the shape
    return true;
  }
  length_ = bytes_of_panel(context_) / std::max<int64_t>(1, bytes);
  if (length_ >= quantum) length_ -= length_ % quantum;
  return length_ >= min_rows && rows_ >= 2 * length_;
}

bool RowTileRun::run() {
  if (!find_rows() || !find_length()) return false;
  take();
  try {
    for (int64_t begin = 0; begin < rows_; begin += length_) {
      if (!tile(begin, std::min(rows_, begin + length_))) {
        restore();
        return false;
      }
    }
  } catch (...) {
    restore();
    return false;
  }
  finish();
  return true;
}

void RowTileRun::take() {
  read_.reserve(row_tiles_.reads.size());
  for (const RowTileSteps::Read& read : row_tiles_.reads) read_.push_back(std::move(slots_[read.slot]));
  made_.resize(row_tiles_.made.size());
}

void RowTileRun::restore() {
  for (const RowTileSteps::Made& made : row_tiles_.made) slots_[made.slot] = Value();
  for (size_t i = 0; i < read_.size(); ++i) slots_[row_tiles_.reads[i].slot] = std::move(read_[i]);
}

bool RowTileRun::tile(int64_t begin, int64_t end) {
  for (size_t i = 0; i < read_.size(); ++i) {
    const RowTileSteps::Read& read = row_tiles_.reads[i];
    const Tensor& x = read_[i].tensor();
    const bool cut = x.rank() == read.rank && x.dim(0) == rows_;
    slots_[read.slot] = cut ? Tensor::rows(read_[i], begin, end) : read_[i];
  }
  for (const RowTileSteps::Member& each : row_tiles_.members) member(each, begin, end);
  return collect(begin, end);
}

// A launch puts what is needed where it belongs, as soon as there is a tensor for all rows.
void RowTileRun::member(const RowTileSteps::Member& member, int64_t begin, int64_t end) {
  const loops::Step& step = plan_.steps[member.step];
  const auto* const run = step.get_if<loops::step::RunLaunch>();
  if (run == nullptr) return perform_(member.step, {});
  const loops::Launch& launch = plan_.launches[run->launch];
  SmallVector<Value, 16> places(launch.outputs.size());
  bool any = false;
  for (size_t i = 0; i < row_tiles_.made.size(); ++i) {
    if (made_[i].is_none() || !row_tiles_.made[i].whole || made_[i].tensor().storage() == nullptr) continue;
    for (size_t k = 0; k < launch.outputs.size(); ++k) {
      if (launch.outputs[k].slot != row_tiles_.made[i].slot) continue;
      places[k] = Tensor::rows(made_[i], begin, end);
      any = true;
    }
  }
  perform_(member.step, any ? std::span<const Value>(span_of(places)) : std::span<const Value>());
}

// What is needed of the tile goes to the rest of its rows. False: something has not the rows.
bool RowTileRun::collect(int64_t begin, int64_t end) {
  for (size_t i = 0; i < row_tiles_.made.size(); ++i) {
    const RowTileSteps::Made& made = row_tiles_.made[i];
    if (!made.needed) continue;
    const Value value = std::exchange(slots_[made.slot], Value());
    if (!value.is_tensor() || value.tensor().dim(0) != end - begin) return false;
    const Tensor& x = value.tensor();
    if (made_[i].is_none()) {
      Shape shape = x.shape();
      shape[0] = Dim(rows_);
      made_[i] = make_tensor(*context_.pool, x.dtype(), shape);
    }
    Tensor& all = made_[i].tensor();
    const int64_t row = all.size() / rows_;
    std::byte* const to = all.data() + begin * row * static_cast<int64_t>(size_of(all.dtype()));
    if (x.size() != row * (end - begin) || !x.contiguous()) return false;
    if (x.data() != to) std::memcpy(to, x.data(), static_cast<size_t>(x.size()) * size_of(x.dtype()));
  }
  return true;
}

void RowTileRun::finish() {
  for (size_t i = 0; i < read_.size(); ++i) {
    const RowTileSteps::Read& read = row_tiles_.reads[i];
    slots_[read.slot] = read.last ? Value() : std::move(read_[i]);
  }
  for (size_t i = 0; i < made_.size(); ++i) slots_[row_tiles_.made[i].slot] = std::move(made_[i]);
}

}  // namespace covec::runtime
