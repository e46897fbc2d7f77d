// Writes operators that move elements, sum over broadcast axes, or make zeros.
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
  if (!result.type.is_empty()) application.frame.clear(result.text, result.type.bytes());
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
  if (!value.is_number()) application.refuse_operator("of a tensor");
  fill(application, application.frame.file.converted(value.text, value.type.dtype, application.result.type.dtype));
}

// 0, 1, … as far as the caller says: staging knows no other count.
void write_arange(const Application& application) {
  Frame& frame = application.frame;
  const Argument& result = application.result;
  const std::string i = frame.open_loop(result.type.elements());
  frame.put(result.text + "[" + i +
            "] = " + source::c_stored(result.type.dtype, frame.file.converted(i, Dtype::i64, result.type.dtype)) + ";");
  frame.close();
}

// (size, other, …): the size, which the other one must be.
void write_expected_size(const Application& application) {
  const Argument &size = application.operands[0], &other = application.operands[1];
  application.frame.put("if (" + size.text + " != " + other.text + ") " + application.fail(fit_error));
  application.frame.put(application.result.text + " = " + size.text + ";");
}

void write_ones(const Application& application) { fill(application, "1"); }

// Where the caller gives extents, the elements must be as many.
void write_reshaped(const Application& application) {
  const Argument &x = application.operands[0], &result = application.result;
  if (x.is_number() || result.is_number() || (x.type.elements().known() && result.type.elements().known()))
    return write_moved(application);
  application.frame.check_equal(x.type.elements(), result.type.elements(), application.step.place, fit_error);
  application.frame.copy(result.text, x.text, result.type.bytes());
}

void write_expected(const Application& application) {
  const Argument &x = application.operands[0], &result = application.result;
  if (x.type == result.type) return write_moved(application);
  for (size_t axis = 0; axis < std::min(x.type.rank(), result.type.rank()); ++axis)
    application.frame.check_equal(x.type.extents[axis], result.type.extents[axis], application.step.place, fit_error);
  application.frame.copy(result.text, x.text, result.type.bytes());
}

// (x, k): zeros on one side of a diagonal.
void write_triangle(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &k = application.operands[1], &result = application.result;
  const std::span<const Size> extents(result.type.extents);
  const Size rows = extents[extents.size() - 2], columns = extents.back();
  const std::string matrix = frame.open_loop(Size::product(extents.first(extents.size() - 2))),
                    i = frame.open_loop(rows), j = frame.open_loop(columns), at = frame.fresh("p");
  frame.put("const int64_t " + at + " = (" + matrix + " * " + rows.factor() + " + " + i + ") * " + columns.factor() +
            " + " + j + ";");
  frame.put(result.text + "[" + at + "] = " + j + " - " + i +
            (&application.entry() == &ops::tril_entry() ? " <= " : " >= ") + k.text + " ? " + x.text + "[" + at +
            "] : 0;");
  for (int open = 0; open < 3; ++open) frame.close();
}

// The axes that have been broadcast are added up: those that are not there, and those of 1.
void write_sum_to(const Application& application) {
  const Argument& x = application.operands[0];
  const Argument& result = application.result;
  if (x.is_number() || x.type.dtype != result.type.dtype) application.refuse_operator("of a number");
  const size_t more = x.type.rank() - result.type.rank();
  uint32_t axes = 0;
  for (size_t axis = 0; axis < x.type.rank(); ++axis) {
    const bool reduced = axis < more || (result.type.extents[axis - more].is(1) && !x.type.extents[axis].is(1));
    if (reduced) axes |= uint32_t{1} << axis;
    if (!reduced && result.type.extents[axis - more] != x.type.extents[axis])
      application.refuse("a derivative of a broadcast that depends on the caller");
  }
  if (axes != 0) return write_reduction(application.frame, ops::sum_entry(), axes, x, result, application.step.place);
  if (!result.type.is_empty()) application.frame.copy(result.text, x.text, result.type.bytes());
}

}  // namespace

std::span<const OperatorRow> shape_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::reshape_entry, write_reshaped},
      {ops::transpose_entry, write_moved},
      {ops::permute_entry, write_moved},
      {ops::squeeze_entry, write_moved},
      {ops::unsqueeze_entry, write_moved},
      {ops::flip_entry, write_moved},
      {ops::broadcast_to_entry, write_moved},
      {ops::concat_entry, write_moved},
      {ops::stack_entry, write_moved},
      {ops::narrow_entry, write_moved},
      {ops::widen_entry, write_moved},
      {ops::stack_examples_entry, write_moved},
      {ops::expect_shape_entry, write_expected},
      {ops::roll_axis_entry, write_moved},
      {ops::tril_entry, write_triangle, true},
      {ops::triu_entry, write_triangle, true},
      {ops::diagonal_entry, write_moved},
      {ops::on_diagonal_entry, write_moved},
      {ops::zeros_entry, write_zeros},
      {ops::zeros_like_entry, write_zeros},
      {ops::ones_entry, write_ones},
      {ops::ones_like_entry, write_ones},
      {ops::full_entry, write_full},
      {ops::sum_to_entry, write_sum_to},
      {ops::expect_size_entry, write_expected_size},
      {ops::arange_entry, write_arange, false, true},
  };
  return rows;
}

}  // namespace covec::emit
