// Writes operators that move elements, fill tensors, cut triangles, or sum over broadcast axes. Of those that only move
// elements, the rule of the shape says which pieces the result consists of, and where these come from.
#include <algorithm>
#include <cstdlib>

#include "jit/emit/moves.hpp"
#include "jit/emit/reductions.hpp"
#include "stdlib/ops/contract/attributes.hpp"
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

// --- operators that only move elements: the rule of each holds for all extents ---

void write_expected(const Application& application) {
  const Argument &x = application.operands[0], &result = application.result;
  for (size_t axis = 0; axis < std::min(x.type.rank(), result.type.rank()); ++axis)
    application.frame.check_equal(x.type.extents[axis], result.type.extents[axis], application.step.place, fit_error);
  write_reshaped(application);
}

// (x, *axes): axis i of the result is axis axes[i] of x. `transpose` without axes reverses them.
void write_permuted(const Application& application) {
  const Argument &x = application.operands[0], &result = application.result;
  if (x.is_number()) return write_reshaped(application);
  Attributes attributes(application);
  const ops::Call call = attributes.call();
  const auto rank = static_cast<unsigned>(x.type.rank());
  const ops::Integers axes = ops::variadic_integers(call);
  const std::vector<Size> own = row_major(x.type.extents);
  std::vector<Size> strides;
  for (unsigned axis = 0; axis < rank; ++axis)
    strides.push_back(own[ops::variadic_given(call) ? ops::normal_axis(call, axes[axis], rank) : rank - 1 - axis]);
  write_piece(application, 0, whole(result, 0, std::move(strides)));
}

// (x, axes): all of them where none are given.
void write_flipped(const Application& application) {
  const Argument& x = application.operands[0];
  if (x.is_number()) return write_reshaped(application);
  Attributes attributes(application);
  const ops::Call call = attributes.call();
  const auto rank = static_cast<unsigned>(x.type.rank());
  const uint32_t axes = call.args[1].is_none() ? (uint32_t{1} << rank) - 1 : ops::axis_set(call, 1, rank);
  Piece piece = whole(application.result, 0, row_major(x.type.extents));
  for (unsigned axis = 0; axis < rank; ++axis) {
    if ((axes >> axis & 1) == 0) continue;
    piece.first += (x.type.extents[axis] - 1) * piece.strides[axis];
    piece.strides[axis] *= Size(-1);
  }
  write_piece(application, 0, piece);
}

// (x, *shape)
void write_broadcast(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &result = application.result;
  std::vector<Size> strides(result.type.rank(), 0);
  const std::vector<Size> own = row_major(x.type.extents);
  const size_t more = strides.size() - own.size();
  for (size_t axis = 0; axis < own.size(); ++axis) {
    const Size &from = x.type.extents[axis], &to = result.type.extents[more + axis];
    strides[more + axis] = from == to ? own[axis] : own[axis] * Size::unless_one(from);
    if (from == to || from.is(1)) continue;
    frame.put("if (" + from.factor() + " != " + to.factor() + " && " + from.factor() + " != 1) " +
              application.fail(fit_error));
  }
  write_piece(application, 0, whole(result, 0, std::move(strides)));
}

// (none, axis, …; parts): one behind the other, or side by side along an axis of their own.
void write_joined(const Application& application) {
  const Argument& result = application.result;
  Attributes attributes(application);
  const ops::Call call = attributes.call();
  const auto rank = static_cast<unsigned>(result.type.rank());
  const unsigned along = ops::normal_axis(call, ops::integer_argument(call, 1), rank);
  const bool stacks = &application.entry() != &ops::concat_entry();
  Size at = 0;
  for (size_t number = application.parameters(); number < application.operands.size(); ++number) {
    const Argument& part = application.operands[number];
    Piece piece = whole(result, 0, row_major(part.type.extents));
    piece.begin[along] = at;
    if (stacks) piece.strides.insert(piece.strides.begin() + along, 0);
    piece.extents[along] = stacks ? Size(1) : part.type.extents[along];
    for (unsigned axis = 0, own = 0; axis < rank; ++axis) {
      if (axis == along && stacks) continue;
      if (axis != along)
        application.frame.check_equal(part.type.extents[own], result.type.extents[axis], application.step.place,
                                      fit_error);
      ++own;
    }
    at += piece.extents[along];
    write_piece(application, number, piece);
  }
}

// (x, axis, start, size)
void write_narrowed(const Application& application) {
  const Argument& x = application.operands[0];
  Attributes attributes(application);
  const auto axis = static_cast<size_t>(ops::integer_argument(attributes.call(), 1));
  Piece piece = whole(application.result, 0, row_major(x.type.extents));
  piece.first = attributes.position(2) * piece.strides[axis];
  write_piece(application, 0, piece);
}

// The result outside of `inside`, which lies in it: what is before and behind along each axis.
void write_around(const Application& application, const Piece& inside, const std::string& element) {
  const std::vector<Size>& extents = application.result.type.extents;
  Piece piece = whole(application.result, 0, std::vector<Size>(extents.size(), 0));
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (inside.extents[axis] == extents[axis]) continue;
    const Size end = inside.begin[axis] + inside.extents[axis];
    piece.begin[axis] = 0;
    piece.extents[axis] = inside.begin[axis];
    write_filled(application, element, piece);
    piece.begin[axis] = end;
    piece.extents[axis] = extents[axis] - end;
    write_filled(application, element, piece);
    piece.begin[axis] = inside.begin[axis];
    piece.extents[axis] = inside.extents[axis];
  }
}

// (x, axis, start, size): zeros, and x in them.
void write_widened(const Application& application) {
  const Argument& x = application.operands[0];
  Attributes attributes(application);
  const auto axis = static_cast<size_t>(ops::integer_argument(attributes.call(), 1));
  Piece piece = whole(application.result, 0, row_major(x.type.extents));
  piece.begin[axis] = attributes.position(2);
  piece.extents[axis] = x.type.extents[axis];
  write_around(application, piece, "0");
  write_piece(application, 0, piece);
}

// (x, value, none; widths): a rim of this value.
void write_padded(const Application& application) {
  const Argument &x = application.operands[0], &value = application.operands[1], &result = application.result;
  if (x.is_number()) return write_reshaped(application);
  if (!value.is_number()) application.refuse_operator("takes its value from a tensor");
  const Attributes attributes(application);
  Piece piece = whole(result, 0, row_major(x.type.extents));
  for (size_t axis = 0; axis < x.type.rank(); ++axis) {
    for (const size_t end : {0, 1}) {
      const Size width = attributes.position(application.parameters() + 2 * axis + end);
      if (width.may_be_negative())
        application.frame.put("if (" + width.text() + " < 0) " + application.fail("a negative extent"));
      if (end == 0) piece.begin[axis] = width;
    }
    piece.extents[axis] = x.type.extents[axis];
  }
  const std::string element = application.frame.file.converted(value.text, value.type.dtype, result.type.dtype);
  write_around(application, piece, source::c_stored(result.type.dtype, element));
  write_piece(application, 0, piece);
}

// (x, shift, axis): the last `shift` elements come first.
void write_rolled(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &result = application.result;
  Attributes attributes(application);
  const auto axis = static_cast<size_t>(ops::integer_argument(attributes.call(), 2));
  const Size& extent = x.type.extents[axis];
  const std::optional<Size> shift = attributes.number(1);
  if (x.type.is_empty()) return;
  Size moved;
  bool needs_element = false;  // what follows is right where there is one
  if (shift && shift->known() && extent.known()) {
    const int64_t rest = shift->number() % extent.number();
    moved = rest < 0 ? rest + extent.number() : rest;
  } else if (shift && shift->known() && shift->number() >= -1 && shift->number() <= 1) {
    moved = shift->number() < 0 ? extent - 1 : *shift;
    needs_element = !moved.is(0);
  } else {
    if (shift && !shift->is_countable()) attributes.refuse_number();
    const std::string by = shift ? shift->factor() : application.operands[1].text, size = extent.factor(),
                      name = frame.fresh("k");
    frame.put("const int64_t " + name + " = " + size + " > 0 ? (" + by + " % " + size + " + " + size + ") % " + size +
              " : 0;");
    moved = Size::named(name);
  }
  if (needs_element) frame.open("if (" + extent.factor() + " > 0)");
  Piece piece = whole(result, 0, row_major(x.type.extents));
  piece.extents[axis] = moved;
  piece.first = (extent - moved) * piece.strides[axis];
  write_piece(application, 0, piece);
  piece.begin[axis] = moved;
  piece.extents[axis] = extent - moved;
  piece.first = 0;
  write_piece(application, 0, piece);
  if (needs_element) frame.close();
}

// The first element of diagonal k of a matrix, by row and column.
std::pair<Size, Size> begin_of_diagonal(const Application& application) {
  Attributes attributes(application);
  const Size k = attributes.position(1);
  if (!k.known()) application.refuse_operator("of a diagonal that depends on the caller");
  return {std::max<int64_t>(0, -k.number()), std::max<int64_t>(0, k.number())};
}

// (x, k): of the matrices along the last two axes.
void write_diagonal(const Application& application) {
  const Argument& x = application.operands[0];
  if (application.result.type.is_empty()) return;
  const auto [row, column] = begin_of_diagonal(application);
  std::vector<Size> strides = row_major(x.type.extents);
  const Size across = strides.back();
  strides.pop_back();
  const Size first = row * strides.back() + column * across;
  strides.back() += across;
  write_piece(application, 0, whole(application.result, first, std::move(strides)));
}

// (x, k, rows, columns): matrices of zeros with these diagonals.
void write_on_diagonal(const Application& application) {
  const Argument &x = application.operands[0], &result = application.result;
  if (result.type.is_empty()) return;
  application.frame.clear(result.text, result.type.bytes());
  if (x.type.is_empty()) return;
  const auto [row, column] = begin_of_diagonal(application);
  std::vector<Size> strides = row_major(result.type.extents);
  const Size across = strides.back();
  strides.pop_back();
  Side to{result.text, row * strides.back() + column * across, strides};
  to.strides.back() += across;
  write_copy(application.frame, x.type.extents, to, {x.text, 0, row_major(x.type.extents)}, size_of(x.type.dtype));
}

}  // namespace

std::span<const OperatorRow> shape_rows() {
  static constexpr OperatorRow rows[] = {
      {.entry = ops::reshape_entry, .write = write_reshaped},
      {.entry = ops::expect_shape_entry, .write = write_expected},
      {.entry = ops::transpose_entry, .write = write_permuted, .only_moves = true},
      {.entry = ops::permute_entry, .write = write_permuted, .only_moves = true},
      {.entry = ops::squeeze_entry, .write = write_reshaped, .only_moves = true},
      {.entry = ops::unsqueeze_entry, .write = write_reshaped, .only_moves = true},
      {.entry = ops::flip_entry, .write = write_flipped, .only_moves = true},
      {.entry = ops::broadcast_to_entry, .write = write_broadcast, .only_moves = true},
      {.entry = ops::concat_entry, .write = write_joined, .only_moves = true},
      {.entry = ops::stack_entry, .write = write_joined, .only_moves = true},
      {.entry = ops::stack_examples_entry, .write = write_joined, .only_moves = true},
      {.entry = ops::narrow_entry, .write = write_narrowed, .only_moves = true},
      {.entry = ops::widen_entry, .write = write_widened, .only_moves = true},
      {.entry = ops::rim_entry, .write = write_padded},
      {.entry = ops::roll_axis_entry, .write = write_rolled, .only_moves = true},
      {.entry = ops::diagonal_entry, .write = write_diagonal, .only_moves = true},
      {.entry = ops::on_diagonal_entry, .write = write_on_diagonal, .only_moves = true},
      {ops::tril_entry, write_triangle, true},
      {ops::triu_entry, write_triangle, true},
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
