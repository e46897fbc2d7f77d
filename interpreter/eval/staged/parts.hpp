// StagedParts: the walk of functions while they are staged for the compiler, and its answers to the ordinary walk.
// Where to start: CompiledCode::stage, then StagedStatements::body.
#pragma once

#include "interpreter/eval/apply/staged_walk.hpp"
#include "interpreter/eval/staged/choices.hpp"
#include "interpreter/eval/staged/lists.hpp"
#include "interpreter/eval/staged/loops.hpp"
#include "interpreter/eval/staged/paths.hpp"
#include "interpreter/eval/staged/statements.hpp"
#include "interpreter/eval/staged/values.hpp"
#include "interpreter/eval/walk/parts.hpp"

namespace covec {

struct StagedParts final : StagedWalk {
  explicit StagedParts(Parts& parts) : walk(parts) {}

  void enter(Frame& f) const override { statements.enter(f); }
  Raw body(const core::Function& function, Frame& f) override { return statements.body(function, f); }
  Raw select(const core::Select& node, Frame& f) override { return choices.select(node, f); }
  Raw format(const core::Format& node, Frame& f) override { return choices.format(node, f); }
  bool is_run_part(const Value& object, const IndexValues& at, Span whole, const Frame& f) const override {
    return lists.is_run_part(object, at, whole, f);
  }
  Value part(Value list, const IndexValues& at, Span whole, Span object_span, const Frame& f) const override {
    return lists.part(std::move(list), at, whole, object_span, f);
  }
  void set(Value& list, const IndexValues& at, Value item, Span whole, std::span<const Span> spans,
           const Frame& f) const override {
    lists.set(list, at, std::move(item), whole, spans, f);
  }
  void push(Value& list, Value item, Span whole, Span item_span, const Frame& f) const override {
    lists.push(list, std::move(item), whole, item_span, f);
  }
  Value pop(Value& list, Span whole, const Frame& f) const override { return lists.pop(list, whole, f); }
  void each(const Value& over, Value& list, FunctionRef<void(Value item)> body, Span span, Frame& f) const override {
    lists.each(over, list, body, span, f);
  }
  Value apart(const core::MapIndex& node, const Value& over, FunctionRef<Value()> at_once,
              FunctionRef<Value(Value item)> body, Span span, Frame& f) const override {
    return lists.apart(node, over, at_once, body, span, f);
  }
  Value pushed(const autodiff::ApartLater& later, const core::MapIndex& node, Frame& f) const override {
    return lists.pushed(later, node, f);
  }
  Value stacked(const core::MapIndex& node, Value list, const Frame& f) const override {
    return lists.stacked(node, std::move(list), f);
  }
  void where(const core::Expr& condition, Value& list, FunctionRef<void()> then, Frame& f) override {
    choices.where(condition, list, then, f);
  }
  Value map(const core::MapIndex& node, const Value& over, FunctionRef<Value(Value item)> body, Span span,
            Frame& f) const override {
    return lists.map(node, over, body, span, f);
  }
  void agree(Dim a, Dim b, Span span, Frame& f) const override { values.agree(a, b, span, f); }
  void dimension(const core::DimAnnotation& dim, Dim size, Frame& f) const override { values.dimension(dim, size, f); }
  void know_extents(const core::Annotation& annotation, Value& argument, const Frame& f) const override {
    values.know_extents(annotation, argument, f);
  }
  Value size(const Shape& shape, const Frame& f) const override { return values.size(shape, f); }
  Value local(const core::Local& node, const Frame& f) const override { return values.local(node, f); }
  void capture(const core::MakeClosure& node, const Value& variable, const Frame& f) const override {
    values.capture(node, variable, f);
  }

  Parts& walk;
  StagedValues values{*this};
  StagedPaths paths{*this};
  StagedLists lists{*this};
  StagedChoices choices{*this};
  StagedLoops loops{*this};
  StagedStatements statements{*this};
};

}  // namespace covec
