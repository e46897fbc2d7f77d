// A worker runs a prepared call with memory of its own, on one thread at a time. Inputs and outputs are the host's
// memory. A run reads the inputs, computes, and writes the outputs last. So an output may overlap an input, and an
// error leaves the outputs unchanged. The worker's pool keeps its blocks from run to run. Start at run().
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "jit/prepared/bindings.hpp"
#include "jit/prepared/prepared_copy.hpp"
#include "jit/prepared/result_writer.hpp"
#include "jit/prepared/worker_failure.hpp"
#include "stdlib/autodiff/eager.hpp"
#include "stdlib/value/context.hpp"

namespace covec::jit {

class Worker {
 public:
  explicit Worker(std::shared_ptr<const Prepared> prepared);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const Prepared& prepared() const { return *prepared_; }
  // `memory` holds what the type says, and stays until another one is bound or the worker goes.
  void bind_input(size_t number, const void* memory);
  void bind_output(size_t number, void* memory);
  // Why it cannot be run; nullptr: it can.
  const char* why_not_ready() { return bindings_->why_not_ready(); }

  // Everything is bound. Nothing: it went well. `stack_floor`: the lowest address that may be used of this thread's
  // stack.
  std::optional<WorkerFailure> run(const char* (*stack_floor)());
  void interrupt() { interrupt_.store(true, std::memory_order_relaxed); }

 private:
  class Silent final : public ops::Output {
   public:
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };

  void put_in();

  const std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<Pool, Prepared::PoolRelease> pool_;
  std::atomic<bool> interrupt_{false};
  Silent output_;
  ops::Context context_;
  autodiff::EagerBuilder builder_;
  WorkerHost host_;
  std::optional<PreparedCopy> copy_;
  std::optional<Bindings> bindings_;
  std::optional<runtime::Activation> activation_;
};

}  // namespace covec::jit
