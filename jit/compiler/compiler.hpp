// The compiler of a session: keeps the code made for each function and each set of types, makes what is missing, and
// runs it. Start at JitCompiler::run.
#pragma once

#include <list>
#include <map>
#include <unordered_map>

#include "interpreter/compiler.hpp"
#include "jit/compiler/compiled.hpp"
#include "jit/pipeline.hpp"

namespace covec::jit {

class JitCompiler final : public Compiler, public runtime::Host, public ops::Engine {
 public:
  explicit JitCompiler(Session& session);
  ~JitCompiler() override;

  // --- Compiler, ops::Engine ---
  Value compile(const Value& function, bool strict = false) override;
  std::string explain(const Value& function) override;
  bool compiles_all() const override { return compiles_all_; }
  bool is_compiled(const Value& function) const override;

  // --- runtime::Host ---
  const void* call_site() const override { return site_; }
  [[noreturn]] void raise(const OpError& error, const ir::Graph& graph, uint32_t place) override;
  int64_t interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                    std::span<Value> results) override;
  Value call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) override;

  // Calls a compiled function.
  Value run(Compiled& function, std::span<Value> args, LastCall& last);
  Value run_any(Compiled& function, std::span<Value> args, LastCall& last);
  Value run_again(const Specialization& made, std::span<const Value> captured, std::span<Value> args);
  Value execute(const Specialization& made, std::span<Value> inputs);
  // An eager derivative follows arguments: one entry of its tape (active.cpp).
  Value run_active(const Compiled& compiled, std::span<Value> args, Signature& signature);
  static void check_strict(const Compiled& compiled, const Specialization& made);
  Value run_carefully(const Specialization& made, const Value& function, std::span<Value> args,
                      std::span<Value> inputs);
  // The code for these types, made now if need be.
  const Specialization& find(const Value& function, std::span<Value> args, Signature& signature);
  // Code for arguments of these types, made anew and not kept; and one stage of it as text (dump.cpp).
  Specialization dump(const Value& function, std::span<Value> args, const PipelineOptions& options);
  std::string dump(const Value& function, const std::string& stage, const std::string& types);

 private:
  struct Known {  // the code of one function
    std::list<Specialization> made;
  };
  static bool describe(const Value& function, std::span<const Value> args, Signature& signature);
  void decide(Specialization& made, const ir::Graph& graph, const Value& function);
  friend class ActiveCall;
  class Site;
  void count(const Value& function, const Specialization& made);
  static bool as_before(const Specialization& made, std::span<const Value> args);
  static void prepare_comparison(Specialization& made, const Value& function, std::span<const Value> args);
  static bool globals_match(const Specialization& made, Signature& signature);
  void explain_cause(Specialization& made, const Value& function, std::span<const Value> args) const;
  std::string explain(const Specialization& made) const;
  std::string explain_kernel(const Specialization& made, const loops::Launch& launch) const;
  Specialization& make(Known& known, const Value& function, std::span<Value> args, const Signature& signature);
  std::unique_ptr<ir::Graph> stage(Specialization& made, const Value& function, std::span<Value> args,
                                   const Signature& signature);
  std::vector<WalkedCall> calls_of(const ir::Graph& graph, uint32_t frame) const;

  ops::Context& context_;
  Walker& walker_;
  PipelineOptions options_;
  bool compiles_all_ = false;
  unsigned made_ = 0;
  Specialization full_;         // stands for code that is not made any more
  const void* site_ = nullptr;  // where the running compiled function was called
  Signature spare_signature_;   // for its memory
  bool enabled_ = true;         // false: no instruction set to compile for
  std::unordered_map<uint64_t, Known> known_;
  std::unordered_map<const core::Function*, unsigned> compilations_;
};

}  // namespace covec::jit
