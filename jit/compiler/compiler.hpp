// The compiler of a session. It finds the code for a call in its table, compiles it if it is missing, and runs it.
// Start at run(), then make().
#pragma once

#include <optional>

#include "interpreter/compiler.hpp"
#include "jit/compiler/compiled.hpp"
#include "jit/compiler/emit.hpp"
#include "jit/compiler/prepare.hpp"
#include "jit/compiler/run_host.hpp"
#include "jit/cost/roofline.hpp"
#include "jit/dispatch/dispatcher.hpp"
#include "jit/source/engine.hpp"
#include "jit/specialize/code_table.hpp"
#include "jit/specialize/compilations.hpp"
#include "jit/specialize/policy.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::jit {

class JitCompiler final : public Compiler {
 public:
  explicit JitCompiler(Session& session);
  ~JitCompiler() override;

  // --- Compiler ---
  Value compile(const Value& function, const CompileRequest& request = {}) override;
  std::string explain(const Value& function, const ExplainRequest& request) override;
  bool compiles_all() const override { return policy_.compiles_all; }
  bool is_compiled(const Value& function) const override;
  CompileRequest request_of(const Value& function) const override {
    return static_cast<const Compiled&>(function.function()).request();
  }
  void forget(FunctionRef<bool(const void* home)> gone) override;
  bool is_full() const override { return table_.is_full(); }
  void expect_rules() override { table_.set_aside("functions it reads may be given rules since"); }
  std::shared_ptr<const void> texts() const override { return texts_of(session_); }

  ops::Builder& eager() const { return host_.eager(); }
  // Calls a compiled function.
  Value run(Compiled& compiled, std::span<Value> args, LastCalls& last);
  // Compiles for arguments of these types and shows a stage of it (dump.cpp); the code is not kept.
  std::string dump(const Value& function, const std::string& wanted, const std::string& types) const;
  // As one file of C and its header (emit.cpp).
  std::shared_ptr<const Prepared> prepare(const EmitRequest& request, const ExtentSizes& sizes, PlaceText place_text);
  emit::Emitted emit(const EmitRequest& request, PlaceText place_text);
  std::shared_ptr<const Prepared> prepare(const Value& function, const std::string& types, PlaceOf place_of);

 private:
  std::vector<Value> arguments_to_emit(const EmitRequest& request, const ExtentSizes& sizes, WrittenExtents& written);
  std::shared_ptr<const Prepared> prepare(const Value& body, std::span<const Value> given, PlaceOf place_of,
                                          bool none_too);
  // `written`: of the arguments' leaves, where not all extents are numbers.
  std::unique_ptr<ir::Graph> stage_fixed(const Value& function, std::span<const Value> given, FixedWalk& walk,
                                         const WrittenExtents* written = nullptr);
  Code code_to_prepare(const Value& function, std::span<const Value> given, FixedWalk& walk);
  Value run_watched(Compiled& compiled, std::span<Value> args, LastCalls& last);
  Value run_any_way(Compiled& compiled, std::span<Value> args, LastCalls& last);
  Value run_code(Compiled& compiled, std::span<Value> args, const LastCalls& last);
  template <class ByCode, class ByInterpreter>
  Value dispatch(Compiled& compiled, std::span<Value> args, LastCalls& last, Specialization& made, uint64_t began,
                 ByCode by_code, ByInterpreter by_interpreter);
  template <class ByInterpreter>
  Value interpret_for_now(Compiled& compiled, LastCalls& last, Standing& standing, Dispatcher::Turn turn,
                          ByInterpreter by_interpreter);
  template <class ByInterpreter>
  Value interpret(Compiled& compiled, LastCalls& last, uint64_t look, ByInterpreter by_interpreter);
  void skip_looks(Compiled& compiled, LastCalls& last, uint64_t look, uint64_t call, uint64_t most);
  void finish(Specialization& made, const char* why);
  Value run_any(Compiled& compiled, std::span<Value> args, LastCalls& last, uint64_t began);
  Value run_carefully(Compiled& compiled, std::span<Value> args, const LastCalls& last);
  Value run_again(const Specialization& made, std::span<const Value> captured, std::span<Value> args);
  Value run_active(Compiled& compiled, std::span<Value> args, Signature& signature, LastCalls& last, uint64_t began);
  template <class Run>
  Value carefully(const Specialization& made, Compiled& compiled, std::span<Value> args, Run run);
  bool has_room(const Specialization& made) const;
  Value execute(const Specialization& made, std::span<Value> inputs);
  // Describes a call; false where code cannot be made for it.
  bool describe(const Compiled& compiled, std::span<const Value> args, Signature& signature, bool open) const;
  bool is_of(const LastCalls& last, Signature& signature) const;  // the last call's code fits
  Specialization* known_open(const Compiled& compiled, std::span<Value> args, Signature& signature,
                             const LastCalls& last) const;
  // The code for these types, made now if need be. `signature` becomes the open one where that has been found.
  Specialization& find(const Compiled& compiled, std::span<Value> args, Signature& signature);
  Specialization* find_open(const Compiled& compiled, std::span<Value> args, Signature& signature);
  static void keep(ir::Graph& graph, Specialization& made);
  void compile(Specialization& made, std::unique_ptr<ir::Graph> graph, const Signature* signature);
  bool stays_code(const Specialization& made, const Signature& signature) const;
  Specialization& make(const Value& function, std::span<Value> args, const Signature& signature);
  void count(const Value& function, const Specialization& made);
  void count_closed(const Compiled& compiled, std::span<const Value> args, const Specialization& made);
  bool has_many(const Value& function, bool varies) const;

  Session& session_;
  ops::Context& context_;
  Walker& walker_;
  const Policy policy_;
  RunHost host_;
  CodeTable table_;
  source::Cache libraries_;           // of the C99 engine: equal functions are compiled by cc once
  std::optional<Roofline> roofline_;  // where somebody has asked for it
  Signature spare_signature_;         // for its memory
  Compilations compilations_;
  Dispatcher dispatcher_;
  bool watching_ = false;  // a call that is watched (run_watched) is under way
};

}  // namespace covec::jit
