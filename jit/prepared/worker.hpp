// A worker runs a prepared call with memory of its own, on one thread at a time. Inputs and outputs are the host's
// memory. A run reads the inputs, computes, and writes the outputs last. So an output may overlap an input, and an
// error leaves the outputs unchanged. The worker's pool keeps its blocks from run to run. Start at run().
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jit/prepared/prepared.hpp"
#include "jit/runtime/activation.hpp"
#include "stdlib/autodiff/eager.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/error.hpp"

namespace covec::jit {

// Raises errors as they are: what they are called in the program is looked up afterwards.
class WorkerHost final : public runtime::Host {
 public:
  struct Raised {
    OpError error;
    const ir::Graph* graph = nullptr;  // nullptr: in no place
    uint32_t place = 0;
  };
  using Host::Host;
  void set_stack_floor(const char* floor) { floor_ = floor; }
  [[noreturn]] void raise(const OpError& error, const ir::Graph& graph, uint32_t place) override;
  int64_t interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                    std::span<Value> results) override;
  Value within(FunctionRef<Value()> f, const ir::Graph& graph, uint32_t place) override;
  Value call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) override;
  [[noreturn]] void make_again(Again why) override;
  int64_t calls_left(size_t bytes) const override;

 private:
  const char* floor_ = nullptr;
};

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
  const char* why_not_ready();

  struct Failure {
    OpError error;
    const ErrorText* text = nullptr;
    std::string message() const;
    const TextPlace* place() const;  // nullptr: unknown
  };
  // Everything is bound. Nothing: it went well. `stack_floor`: the lowest address that may be used of this thread's
  // stack.
  std::optional<Failure> run(const char* (*stack_floor)());
  void interrupt() { interrupt_.store(true, std::memory_order_relaxed); }

 private:
  struct Input {
    loops::SlotId slot = loops::Step::nowhere;
    Dtype dtype = Dtype::f64;
    const void* memory = nullptr;
    Value tensor = {};  // a header over that memory
  };
  struct Output {
    loops::Operand from;
    std::vector<loops::Operand> numbers;
    void* memory = nullptr;
    Value tensor = {};
    size_t bytes = 0;
    Dtype dtype = Dtype::f64;
  };
  struct Fixed {
    loops::SlotId slot;
    Value value;
  };
  class Silent final : public ops::Output {
   public:
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };

  void copy_image();
  void add_places();
  void add_results();
  std::unique_ptr<loops::Plan> own(const Image& image);
  bool are_bools(size_t number) const;
  void put_in();
  void take_out();
  void keep_apart();
  void look_for_overlaps();
  const Value& value_of(const loops::Operand& operand) const;
  const Value& result(const Output& output) const { return value_of(output.from); }
  void write_numbers(Output& output);
  void write_tensor(Output& output, const Value& made);
  void write_number(Output& output, const Value& made);
  Failure failure(const WorkerHost::Raised& raised) const;

  const std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<Pool, Prepared::PoolRelease> pool_;
  std::atomic<bool> interrupt_{false};
  Silent output_;
  ops::Context context_;
  autodiff::EagerBuilder builder_;
  WorkerHost host_;
  std::unique_ptr<loops::Plan> plan_;
  std::vector<std::unique_ptr<loops::Plan>> plans_;  // of functions
  std::vector<runtime::Backend> backends_;           // of those
  std::vector<runtime::Function> functions_;
  runtime::Backend backend_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Fixed> fixed_;
  bool recurses_ = false;
  bool has_bools_ = false;
  size_t unbound_ = 0;
  bool bound_anew_ = true;  // since somebody has looked whether
  bool overlap_ = false;    // an output lies where an input does
  bool clash_ = false;      // or where another output does
  std::unique_ptr<runtime::Activation> activation_;
};

}  // namespace covec::jit
