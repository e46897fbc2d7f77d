// Compiler: makes compiled functions from functions, if the session has a compiler. Operators reach it through their
// Context (compile, explain, the derivatives of compiled functions); the interpreter uses it too. jit implements it.
#pragma once

#include <memory>
#include <string>

#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/precision.hpp"
#include "stdlib/value/value.hpp"

namespace covec::device {
class Accelerator;  // stdlib/device/devices.hpp
}

namespace covec {

// What is asked of a compiled function. strict: one that is not compiled as a whole is an error at its call. device:
// where its kernels run (nullptr: the processor); automatic: where the arguments make it pay. precision: what is enough
// of a device's products.
struct CompileRequest {
  bool strict = false;
  bool automatic = false;
  device::Accelerator* device = nullptr;
  Precision precision = Precision::full;
  bool operator==(const CompileRequest&) const = default;
};

// detail: all that there is to say. measure: what the code takes, which is measured from now on.
struct ExplainRequest {
  bool detail = false;
  bool measure = false;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // What `@compile fn f` and compile(f) give: a callable of the same meaning, which compiles itself when it is called.
  virtual Value compile(const Value& function, const CompileRequest& request = {}) = 0;
  virtual bool is_compiled(const Value& function) const = 0;
  // Of a compiled function.
  virtual CompileRequest request_of(const Value& function) const = 0;
  virtual std::string explain(const Value& function, const ExplainRequest& request) = 0;
  // Whether every function is to be compiled, marked or not (a way to test; see docs).
  virtual bool compiles_all() const { return false; }
  // Between two runs: lets code go that was made of functions of texts that are gone, and of the oldest where there is
  // too much.
  virtual void forget(FunctionRef<bool(const void* source_unit)>) {}
  virtual bool is_full() const { return false; }
  // From now on some function that code may have been made with gets a rule while others run.
  virtual void expect_rules() {}
  // The texts that run now. Who outlives the run and points at places in them (a tape that a pullback keeps) holds
  // this.
  virtual std::shared_ptr<const void> texts() const { return nullptr; }
};

}  // namespace covec
