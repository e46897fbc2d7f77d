// A host function as a value of the language. A call becomes one application of an operator that the function itself
// provides. So eager and compiled code treat it like a builtin: its effects say what it may do, and compiled code has a
// step that calls it. Only the operator's eager function calls the host. Staging never calls it, not even when it
// applies operators to constants: the function is an operand, and counts as not constant. Start at HostFunction::call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/host/result_type.hpp"
#include "interpreter/host/state.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::embedding {

// What a host says of its function.
struct HostDefinition {
  std::string name;
  covec_callback callback = nullptr;
  void* user = nullptr;
  std::optional<std::vector<std::string>> parameters;  // nothing: any number of arguments
  std::optional<ResultType> result;                    // nothing: anything
  bool pure = false;
  std::string documentation;
};

class HostFunction final : public Callable {
 public:
  // `owner` is told of the end.
  HostFunction(covec_session& session, HostDefinition definition, std::unique_ptr<SharedMemory> owner);
  ~HostFunction() override;

  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override;
  std::string name() const override { return definition_.name; }
  std::vector<std::string_view> parameter_names() const override;
  int rest_parameter() const override { return definition_.parameters ? -1 : 0; }
  std::string signature() const override;
  std::string doc() const override { return definition_.documentation; }

 private:
  // The operands are the function, which so lives as long as code with the operator in it, and the call's arguments.
  struct Operator : ops::Entry {
    explicit Operator(HostFunction& owner);
    HostFunction& function;
  };
  static Type declared_type(ops::ShapeBuilder& builder, const ops::Call& call);

  size_t count_of(std::span<const Value> args, size_t named) const;
  void put_in_order(std::span<Value> args, std::span<const std::string_view> keywords, std::span<Value> ordered) const;
  size_t place_of(std::string_view keyword) const;
  void want_examples_one_by_one(const ops::Context& context, std::span<const Value> args) const;
  [[noreturn]] void fail_derivative(TraceKind mode) const;
  Value answer(ops::Builder& builder, std::span<const Value> args);
  Value call_host(const ops::Context& context, std::span<const Value> args);
  [[noreturn]] void fail_as_session() const;

  covec_session& session_;
  const HostDefinition definition_;
  const Operator operator_;
  std::unique_ptr<SharedMemory> owner_;
};

}  // namespace covec::embedding
