// Memory of texts: what reading one takes is the session's, and short ones have room where values leave none.
#pragma once

#include <algorithm>

#include "frontend/source/meter.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/memory.hpp"

namespace covec {

// Texts that are read count as the session's memory, and an interrupt ends the reading.
class TextMeter final : public Meter {
 public:
  explicit TextMeter(const ops::Context& context) : context_(context) {}
  void end() { charge_.change(0); }

 protected:
  void take(size_t bytes) override {
    kernels::poll_interrupt(context_);
    charge_.change(used_ += bytes);
  }

 private:
  const ops::Context& context_;
  size_t used_ = 0;
  MemoryCharge charge_{0};
};

// Short texts may be read, and short values shown, where values have used up the memory: so that the host can let them
// go. While this holds only that takes any.
class RoomForText {
 public:
  explicit RoomForText(Pool& pool) : pool_(pool), limit_(pool.account().limit) {
    pool_.set_limit(limit_ + std::min(reserve, UINT64_MAX - limit_));
  }
  ~RoomForText() { pool_.set_limit(limit_); }
  RoomForText(const RoomForText&) = delete;
  RoomForText& operator=(const RoomForText&) = delete;

 private:
  static constexpr uint64_t reserve = uint64_t{1} << 20;  // bytes beyond the session's limit
  Pool& pool_;
  const uint64_t limit_;
};

}  // namespace covec
