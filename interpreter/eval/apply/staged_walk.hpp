// StagedWalk: the questions of the walk about values that only the run has, while a function is staged for the compiler
// (interpreter/compiler.hpp). Room `staged` answers them. Nothing here is called unless a function is being staged.
#pragma once

#include "frontend/core/core.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/eval/values/frame.hpp"
#include "interpreter/eval/values/index_values.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

class StagedWalk {
 public:
  virtual ~StagedWalk() = default;

  // A function's frame opens; its body.
  virtual void enter(Frame& f) const = 0;
  virtual Raw body(const core::Function& function, Frame& f) = 0;

  // Expressions whose condition only the run knows, and text with values that only it has.
  virtual Raw select(const core::Select& node, Frame& f) = 0;
  virtual Raw format(const core::Format& node, Frame& f) = 0;

  // Whether `object[at]` is an item, or a slice, of a list that only the run can find; and that item.
  virtual bool is_run_part(const Value& object, const IndexValues& at, Span whole, const Frame& f) const = 0;
  virtual Value part(Value list, const IndexValues& at, Span whole, Span object_span, const Frame& f) const = 0;
  // Item `at` of the list becomes `item`; spans are those of the step, of its index and of the item.
  virtual void set(Value& list, const IndexValues& at, Value item, Span whole, std::span<const Span> spans,
                   const Frame& f) const = 0;
  virtual void push(Value& list, Value item, Span whole, Span item_span, const Frame& f) const = 0;
  virtual Value pop(Value& list, Span whole, const Frame& f) const = 0;  // the last item
  // list(e for …): runs `body` for each item of `over`; it pushes to `list`.
  virtual void each(const Value& over, Value& list, FunctionRef<void(Value item)> body, Span span, Frame& f) const = 0;
  // [e for i in r], whose items may be no numbers: what `at_once` gives, or the list that a loop of `body` pushes to.
  virtual Value apart(const core::MapIndex& node, const Value& over, FunctionRef<Value()> at_once,
                      FunctionRef<Value(Value item)> body, Span span, Frame& f) const = 0;
  // A list of what all examples gave at once.
  virtual Value pushed(const autodiff::ApartLater& later, const core::MapIndex& node, Frame& f) const = 0;
  // The items of a list whose length is the run's, side by side.
  virtual Value stacked(const core::MapIndex& node, Value list, const Frame& f) const = 0;
  // Runs `then`, which pushes to `list`, where the condition holds.
  virtual void where(const core::Expr& condition, Value& list, FunctionRef<void()> then, Frame& f) = 0;
  // [e for x in xs]: the numbers that a loop gives, side by side.
  virtual Value map(const core::MapIndex& node, const Value& over, FunctionRef<Value(Value item)> body, Span span,
                    Frame& f) const = 0;

  // Two extents that must agree.
  virtual void agree(Dim a, Dim b, Span span, Frame& f) const = 0;
  // An annotated dimension.
  virtual void dimension(const core::DimAnnotation& dim, Dim size, Frame& f) const = 0;
  // An argument that has been checked gets the extents that its annotation writes out.
  virtual void know_extents(const core::Annotation& annotation, Value& argument, const Frame& f) const = 0;
  // How many elements.
  virtual Value size(const Shape& shape, const Frame& f) const = 0;
  // A variable that some path may have defined: its value, after a check that the run makes.
  virtual Value local(const core::Local& node, const Frame& f) const = 0;
  // A function captures what a variable holds when it is made: whether it holds anything must be known then.
  virtual void capture(const core::MakeClosure& node, const Value& variable, const Frame& f) const = 0;
};

}  // namespace covec
