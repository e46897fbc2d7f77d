// Runs steps with a common first axis on tiles of rows (loops::RowTileSteps). A tile has as many rows as fit the
// second-level cache, with everything that the steps read and make. Each step runs unchanged on tensors of these rows.
// No step combines rows, so all results are the same. If rows are few or long, differ between the steps, or a step
// fails, nothing has happened here. The steps then run one after the other on all rows. Start at RowTileRun::run.
#pragma once

#include <functional>

#include "jit/loops/plan.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::runtime {

class RowTileRun {
 public:
  // Performs a step; a launch puts its results into the tensors of `places` that are not none.
  using Perform = std::function<void(uint32_t step, std::span<const Value> places)>;
  RowTileRun(const loops::Plan& plan, const loops::RowTileSteps& row_tiles, ops::Context& context,
             std::span<Value> slots, const Perform& perform)
      : plan_(plan), row_tiles_(row_tiles), context_(context), slots_(slots), perform_(perform) {}
  // False: nothing has happened.
  bool run();

 private:
  bool find_rows();
  bool find_length();
  bool has_rows(const loops::RowTileSteps::Read& read) const;
  void take();
  void restore();
  bool tile(int64_t begin, int64_t end);
  void member(const loops::RowTileSteps::Member& member, int64_t begin, int64_t end);
  bool collect(int64_t begin, int64_t end);
  void finish();

  const loops::Plan& plan_;
  const loops::RowTileSteps& row_tiles_;
  ops::Context& context_;
  const std::span<Value> slots_;
  const Perform& perform_;
  int64_t rows_ = 0, length_ = 0;  // of all, and of a tile
  std::vector<Value> read_;        // what the slots of RowTileSteps::reads held
  std::vector<Value> made_;        // RowTileSteps::made, all rows, as far as they are needed
};

}  // namespace covec::runtime
