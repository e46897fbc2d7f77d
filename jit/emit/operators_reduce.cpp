// Writes reductions that are not part of a kernel.
#include "jit/emit/operators.hpp"
#include "jit/emit/reductions.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::emit {

namespace {

void write_reduced(const Application& application) {
  const Argument& x = application.operands[0];
  const Argument& result = application.result;
  if (x.is_number())
    return application.frame.put(result.text + " = " +
                                 application.frame.file.converted(x.text, x.type.dtype, result.type.dtype) + ";");
  std::vector<Value> args = application.apply.operation->args;
  const ops::Call call{application.entry(), args, {}, application.apply.op.literals};
  const ops::ReduceArguments arguments = ops::reduce_arguments(call, static_cast<unsigned>(x.type.rank()));
  write_reduction(application.frame, application.entry(), arguments.axes, x, application.result,
                  application.step.place);
}

void write_position(const Application& application) {
  const Argument& x = application.operands[0];
  if (x.is_number()) application.refuse_operator("of no tensor");
  std::vector<Value> args = application.apply.operation->args;
  const ops::Call call{application.entry(), args, {}, application.apply.op.literals};
  const uint32_t axes = ops::reduce_arguments(call, static_cast<unsigned>(x.type.rank())).axes;
  write_positions(application.frame, application.entry().reduce->kind == ops::ReduceKind::argmin, axes, x,
                  application.result, false, application.step.place);
}

// (x, axes, smallest)
void write_mask(const Application& application) {
  const Argument& x = application.operands[0];
  if (x.is_number()) application.refuse("a derivative of the largest number");
  std::vector<Value> args = {application.apply.operation->args[0], application.attribute(1), Value(false)};
  const ops::Call call{ops::max_entry(), args, {}, 0};
  const uint32_t axes = ops::reduce_arguments(call, static_cast<unsigned>(x.type.rank())).axes;
  const bool smallest = application.attribute(2).boolean();
  if (axes == 0) application.refuse("a derivative of the largest element along no axis");
  write_positions(application.frame, smallest, axes, x, application.result, true, application.step.place);
}

}  // namespace

std::span<const OperatorRow> reduce_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::sum_entry, write_reduced},       {ops::mean_entry, write_reduced},    {ops::prod_entry, write_reduced},
      {ops::max_entry, write_reduced},       {ops::min_entry, write_reduced},     {ops::any_entry, write_reduced},
      {ops::all_entry, write_reduced},       {ops::argmax_entry, write_position}, {ops::argmin_entry, write_position},
      {ops::extreme_mask_entry, write_mask},
  };
  return rows;
}

}  // namespace covec::emit
