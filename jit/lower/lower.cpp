// The walk over the core that lowers it: one slot table, one Value (a Symbol or a number) per local.
#include "jit/lower/lower.hpp"

#include "jit/lower/ir_builder.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

class Lowering {
 public:
  Lowering(Graph& graph, ops::Context& context, uint32_t slots)
      : graph_(graph), builder_(context, graph), slots_(slots, Value::unbound()) {}

  void parameters(const core::Function& function, std::span<const ParameterType> types) {
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const core::Parameter& parameter = function.parameters[i];
      slots_[i] = builder_.parameter(std::string(parameter.name), types[i].dtype, types[i].rank);
    }
  }

  void body(const core::Function& function) {
    if (function.expression != nullptr) return give(*function.expression);
    for (const core::Stmt* statement : function.body) {
      if (done_) return;
      lower(*statement);
    }
  }

 private:
  [[noreturn]] static void refuse(Span span, std::string reason) { throw NotLowered{span, std::move(reason)}; }

  void lower(const core::Stmt& statement) {
    switch (statement.kind) {
      case core::StmtKind::assign: {
        const auto& assign = static_cast<const core::Assign&>(statement);
        if (assign.slot.global) refuse(statement.span, "it assigns a global");
        slots_[assign.slot.index] = lower(*assign.value);
        return;
      }
      case core::StmtKind::evaluate:
        lower(*static_cast<const core::Evaluate&>(statement).value);
        return;
      case core::StmtKind::return_: {
        const auto& result = static_cast<const core::Return&>(statement);
        if (result.value == nullptr) refuse(statement.span, "it returns none");
        return give(*result.value);
      }
      default:
        refuse(statement.span, "only straight-line statements are lowered");
    }
  }

  void give(const core::Expr& expression) {
    done_ = true;
    if (expression.kind != core::ExprKind::make_tuple) {
      graph_.results.push_back(lower(expression));
      return;
    }
    graph_.returns_tuple = true;
    for (const core::Expr* item : static_cast<const core::MakeTuple&>(expression).items) {
      graph_.results.push_back(lower(*item));
    }
  }

  Value lower(const core::Expr& expression) {
    switch (expression.kind) {
      case core::ExprKind::constant:
        return constant(static_cast<const core::Constant&>(expression));
      case core::ExprKind::local:
        return slots_[static_cast<const core::Local&>(expression).slot];
      case core::ExprKind::builtin:
        return builtin(static_cast<const core::BuiltinRef&>(expression));
      case core::ExprKind::op:
        return operation(static_cast<const core::Op&>(expression));
      case core::ExprKind::method_call:
        return method(static_cast<const core::MethodCall&>(expression));
      case core::ExprKind::make_tuple: {
        std::vector<Value> items;
        for (const core::Expr* item : static_cast<const core::MakeTuple&>(expression).items) {
          items.push_back(lower(*item));
        }
        return make_tuple(std::move(items));  // an attribute such as axis=(0, 1)
      }
      default:
        refuse(expression.span, "an expression of this kind is interpreted");
    }
  }

  static Value constant(const core::Constant& constant) {
    if (const auto* b = std::get_if<bool>(&constant.value)) return *b;
    if (const auto* i = std::get_if<int64_t>(&constant.value)) return *i;
    if (const auto* d = std::get_if<double>(&constant.value)) return *d;
    if (const auto* s = std::get_if<std::string>(&constant.value)) return make_string(*s);
    return {};
  }

  Value builtin(const core::BuiltinRef& reference) {
    const ops::Entry& entry = *reference.builtin->entry;
    if (entry.constant) return *entry.constant;
    return ops::function_of(entry);
  }

  Value operation(const core::Op& op) { return apply(op, nullptr); }

  // x.sum(axis=0): the object is the first argument.
  Value method(const core::MethodCall& call) {
    if (call.as_builtin == nullptr) refuse(call.span, "a call of a function is interpreted");
    return apply(*call.as_builtin, call.object);
  }

  Value apply(const core::Op& op, const core::Expr* object) {
    if (op.entry->pointwise == nullptr && op.entry->reduce == nullptr) {
      refuse(op.span, "`" + std::string(op.entry->name) + "` is interpreted");
    }
    std::vector<Value> args, rest;
    uint32_t literals = 0;
    for (size_t i = 0; i < op.args.size(); ++i) {
      const core::Expr* argument = i == 0 && object != nullptr ? object : op.args[i];
      args.push_back(argument == nullptr ? Value::unbound() : lower(*argument));
      if (argument != nullptr && argument->literal && i < 32) literals |= 1u << i;
    }
    for (const core::Expr* argument : op.rest) rest.push_back(lower(*argument));
    builder_.set_span(op.span);
    return ops::call(builder_, *op.entry, args, rest, literals);
  }

  Graph& graph_;
  IrBuilder builder_;
  std::vector<Value> slots_;
  bool done_ = false;
};

}  // namespace

Graph lower(const core::Function& function, std::span<const ParameterType> parameters, ops::Context& context) {
  Graph graph;
  graph.name = function.name.empty() ? "lambda" : std::string(function.name);
  Lowering lowering(graph, context, function.slots);
  lowering.parameters(function, parameters);
  lowering.body(function);
  if (graph.results.empty()) throw NotLowered{function.span, "it returns none"};
  return graph;
}

}  // namespace covec::ir
