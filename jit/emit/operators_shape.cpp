// Operators that move elements, add broadcast axes up, or make zeros.
#include "jit/emit/moves.hpp"
#include "jit/emit/reductions.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/create/matrix.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/ops/shape/move.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::emit {

namespace {

void write_zeros(const Application& application) {
  const Argument& result = application.result;
  if (result.is_number()) return application.frame.put(result.text + " = 0;");
  if (result.type.elements() > 0)
    application.frame.put("memset(" + result.text + ", 0, " + std::to_string(result.type.bytes()) + ");");
}

void fill(const Application& application, const std::string& number) {
  const Argument& result = application.result;
  if (result.is_number()) return application.frame.put(result.text + " = " + number + ";");
  const std::string index = application.frame.open_loop(result.type.elements());
  application.frame.put(result.text + "[" + index + "] = " + source::c_stored(result.type.dtype, number) + ";");
  application.frame.close();
}

// (shape, value, dtype)
void write_full(const Application& application) {
  const Argument& value = application.operands[1];
  if (!value.is_number()) application.refuse("`full` of a tensor");
  fill(application, application.frame.file.converted(value.text, value.type.dtype, application.result.type.dtype));
}

void write_ones(const Application& application) { fill(application, "1"); }

// The axes that have been broadcast are added up: those that are not there, and those of 1.
void write_sum_to(const Application& application) {
  const Argument& x = application.operands[0];
  const Argument& result = application.result;
  if (x.is_number() || x.type.dtype != result.type.dtype) application.refuse("`sum_to` of a number");
  const size_t more = x.type.rank() - result.type.rank();
  uint32_t axes = 0;
  for (size_t axis = 0; axis < x.type.rank(); ++axis) {
    const bool reduced = axis < more || (result.type.extents[axis - more] == 1 && x.type.extents[axis] != 1);
    if (reduced) axes |= uint32_t{1} << axis;
  }
  if (axes != 0) return write_reduction(application.frame, ops::sum_entry(), axes, x, result, application.step.place);
  if (result.type.elements() > 0)
    application.frame.put("memcpy(" + result.text + ", " + x.text + ", " + std::to_string(result.type.bytes()) + ");");
}

}  // namespace

std::span<const OperatorRow> shape_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::reshape_entry, write_moved},      {ops::transpose_entry, write_moved},
      {ops::permute_entry, write_moved},      {ops::squeeze_entry, write_moved},
      {ops::unsqueeze_entry, write_moved},    {ops::flip_entry, write_moved},
      {ops::broadcast_to_entry, write_moved}, {ops::concat_entry, write_moved},
      {ops::stack_entry, write_moved},        {ops::narrow_entry, write_moved},
      {ops::widen_entry, write_moved},        {ops::stack_examples_entry, write_moved},
      {ops::expect_shape_entry, write_moved}, {ops::roll_axis_entry, write_moved},
      {ops::tril_entry, write_moved},         {ops::triu_entry, write_moved},
      {ops::diagonal_entry, write_moved},     {ops::on_diagonal_entry, write_moved},
      {ops::zeros_entry, write_zeros},        {ops::zeros_like_entry, write_zeros},
      {ops::ones_entry, write_ones},          {ops::ones_like_entry, write_ones},
      {ops::full_entry, write_full},          {ops::sum_to_entry, write_sum_to},
  };
  return rows;
}

}  // namespace covec::emit
