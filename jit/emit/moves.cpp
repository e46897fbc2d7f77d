#include "jit/emit/moves.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"

namespace covec::emit {

using loops::Operand;

Value computed(const Application& application, std::span<Value> operands) {
  const uint32_t parameters = application.parameters();
  try {
    return ops::call(application.frame.file.eager, application.entry(), operands.first(parameters),
                     operands.subspan(parameters), application.apply.op.literals);
  } catch (const OpError& error) {
    application.refuse(error.message);
  }
}

std::vector<Size> row_major(std::span<const Size> extents) {
  std::vector<Size> strides(extents.size());
  Size step = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = step;
    if (!extents[axis].is(0)) step *= extents[axis];
  }
  return strides;
}

Side side_of(const std::string& pointer, std::span<const Size> extents, const Piece& piece) {
  Side side{pointer, 0, row_major(extents)};
  for (size_t axis = 0; axis < piece.begin.size(); ++axis) side.first += piece.begin[axis] * side.strides[axis];
  return side;
}

Attributes::Attributes(const Application& application)
    : application_(application), args_(application.apply.operation->args), rest_(application.apply.operation->rest) {
  for (size_t k = 0; k < application.step.operands.size(); ++k) {
    const Operand& given = application.step.operands[k];
    if (given.kind == Operand::Kind::constant) (k < args_.size() ? args_[k] : rest_[k - args_.size()]) = given.value;
  }
}

std::optional<Size> Attributes::number(size_t operand) const {
  const Value& value = operand < args_.size() ? args_[operand] : rest_[operand - args_.size()];
  if (ops::is_integer(value)) return ops::integer_of(value);
  const std::optional<Size> number = application_.frame.shapes.number(value);
  if (number && !number->known() && !number->is_countable()) refuse_number();
  return number;
}

Size Attributes::position(size_t operand) const {
  const std::optional<Size> known = number(operand);
  if (!known) application_.refuse_operator("moves elements to positions that are known only at run time");
  if (!known->is_countable()) refuse_number();
  return *known;
}

void Attributes::refuse_number() const {
  application_.refuse_operator("is given a number that may be too large to be counted");
}

// --- loops ---

void merge_axes(std::vector<Size>& extents, std::span<std::vector<Size>* const> all) {
  std::vector<Size> merged;
  std::vector<std::vector<Size>> strides(all.size());
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const Size& extent = extents[axis];
    if (extent.is(1)) continue;
    bool joins = !merged.empty() && !(merged.back().may_be_negative() && extent.may_be_negative());
    for (size_t s = 0; joins && s < all.size(); ++s) joins = strides[s].back() == (*all[s])[axis] * extent;
    if (!joins) merged.push_back(1);
    merged.back() *= extent;
    for (size_t s = 0; s < all.size(); ++s) {
      if (!joins) strides[s].push_back(0);
      strides[s].back() = (*all[s])[axis];
    }
  }
  extents = std::move(merged);
  for (size_t s = 0; s < all.size(); ++s) *all[s] = std::move(strides[s]);
}

namespace {

void merge(std::vector<Size>& extents, std::vector<Side>& sides) {
  std::vector<std::vector<Size>*> strides;
  for (Side& side : sides) strides.push_back(&side.strides);
  merge_axes(extents, strides);
}

std::string place(const Side& side, std::span<const std::string> indices, size_t count) {
  std::string text;
  for (size_t axis = 0; axis < count; ++axis) {
    const Size& stride = side.strides[axis];
    if (stride.is(0)) continue;
    text += (text.empty() ? "" : " + ") + indices[axis] + (stride.is(1) ? "" : " * " + stride.factor());
  }
  if (text.empty()) return side.first.text();
  const std::string first = side.first.text();
  if (side.first.is(0)) return text;
  return first[0] == '-' ? text + " - " + first.substr(1) : text + " + " + first;
}

}  // namespace

void write_loops(Frame& frame, std::vector<Size> extents, std::vector<Side> sides,
                 FunctionRef<void(std::span<const std::string>)> body) {
  if (std::ranges::find(extents, Size(0)) != extents.end()) return;
  merge(extents, sides);
  std::vector<std::string> indices, places;
  for (const Size& extent : extents) indices.push_back(frame.open_loop(extent));
  for (const Side& side : sides) places.push_back(place(side, indices, extents.size()));
  body(places);
  for (size_t k = 0; k < extents.size(); ++k) frame.close();
}

void write_copy(Frame& frame, const std::vector<Size>& given, Side to, Side from, size_t size) {
  constexpr int64_t fewest = 4;  // elements of a row for memcpy
  if (std::ranges::find(given, Size(0)) != given.end()) return;
  std::vector<Size> extents = given;
  std::vector<Side> sides = {std::move(to), std::move(from)};
  merge(extents, sides);
  const bool runs = !extents.empty() && (!extents.back().known() || extents.back().number() >= fewest) &&
                    sides[0].strides.back().is(1) && sides[1].strides.back().is(1);
  const size_t outer = extents.size() - (runs ? 1 : 0);
  std::vector<std::string> indices;
  for (size_t axis = 0; axis < outer; ++axis) indices.push_back(frame.open_loop(extents[axis]));
  const std::string left = place(sides[0], indices, outer), right = place(sides[1], indices, outer);
  if (runs)
    frame.copy(sides[0].pointer + " + " + left, sides[1].pointer + " + " + right,
               extents.back() * static_cast<int64_t>(size));
  else
    frame.put(sides[0].pointer + "[" + left + "] = " + sides[1].pointer + "[" + right + "];");
  for (size_t axis = 0; axis < outer; ++axis) frame.close();
}

// --- operators that only move ---

Piece whole(const Argument& result, Size first, std::vector<Size> strides) {
  return {std::vector<Size>(result.type.rank(), 0), result.type.extents, std::move(first), std::move(strides)};
}

void write_piece(const Application& application, size_t operand, const Piece& piece) {
  Frame& frame = application.frame;
  const Argument &from = application.operands[operand], &result = application.result;
  const Side to = side_of(result.text, result.type.extents, piece);
  if (!from.is_number() && !result.is_number() && from.type.dtype == result.type.dtype)
    return write_copy(frame, piece.extents, to, {from.text, piece.first, piece.strides}, size_of(from.type.dtype));
  write_loops(frame, piece.extents, {to, {from.text, piece.first, piece.strides}},
              [&](std::span<const std::string> places) {
                const std::string number =
                    from.is_number() ? from.text : source::c_loaded(from.type.dtype, from.text + "[" + places[1] + "]");
                const std::string value = frame.file.converted(number, from.type.dtype, result.type.dtype);
                if (result.is_number()) return frame.put(result.text + " = " + value + ";");
                frame.put(result.text + "[" + places[0] + "] = " + source::c_stored(result.type.dtype, value) + ";");
              });
}

void write_reshaped(const Application& application) {
  const Argument &x = application.operands[0], &result = application.result;
  if (x.is_number() || result.is_number())
    return write_piece(application, 0, whole(result, 0, std::vector<Size>(result.type.rank(), 0)));
  application.frame.check_equal(x.type.elements(), result.type.elements(), application.step.place, fit_error);
  if (!result.type.is_empty()) application.frame.copy(result.text, x.text, result.type.bytes());
}

void write_filled(const Application& application, const std::string& element, const Piece& piece) {
  const Argument& result = application.result;
  write_loops(application.frame, piece.extents, {side_of(result.text, result.type.extents, piece)},
              [&](std::span<const std::string> places) {
                application.frame.put(result.text + "[" + places[0] + "] = " + element + ";");
              });
}

}  // namespace covec::emit
