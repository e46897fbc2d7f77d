// The compiler of a session, as the interpreter sees it. Its parts find code, make it and run calls. Start at
// CompilerParts.
#pragma once

#include <optional>

#include "interpreter/compiler.hpp"
#include "jit/compiler/compiled.hpp"
#include "jit/compiler/parts.hpp"
#include "jit/cost/roofline.hpp"

namespace covec::jit {

class JitCompiler final : public Compiler {
 public:
  explicit JitCompiler(Session& session);
  ~JitCompiler() override;

  Value compile(const Value& function, const CompileRequest& request = {}) override;
  std::string explain(const Value& function, const ExplainRequest& request) override;
  bool compiles_all() const override { return parts_.policy.compiles_all; }
  bool is_compiled(const Value& function) const override;
  CompileRequest request_of(const Value& function) const override {
    return static_cast<const Compiled&>(function.function()).request();
  }
  void forget(FunctionRef<bool(const void* source_unit)> gone) override { parts_.specializer.forget(gone); }
  bool is_full() const override { return parts_.table.is_full(); }
  void expect_rules() override { parts_.table.invalidate("functions it reads may be given rules since"); }
  std::shared_ptr<const void> texts() const override { return texts_of(session_); }

  CompilerParts& parts() { return parts_; }

 private:
  Session& session_;
  CompilerParts parts_;
  std::optional<Roofline> roofline_;  // where somebody has asked for it
};

// Those of a session's compiler.
inline CompilerParts& parts_of(Compiler& compiler) { return static_cast<JitCompiler&>(compiler).parts(); }

}  // namespace covec::jit
