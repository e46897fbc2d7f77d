#include "jit/emit/moves.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::emit {

using loops::Operand;

Value numbered(ops::Builder& eager, const SlotType& type, int64_t first) {
  if (type.number) return Value(first);
  const int64_t elements = type.elements().number();
  if (elements > max_mapped) throw Refusal{"it moves the elements of a tensor of more than 4 million"};
  Value tensor = make_tensor(eager.pool(), Dtype::i64, type.shape());
  std::iota(tensor.tensor().as<int64_t>(), tensor.tensor().as<int64_t>() + elements, first);
  return tensor;
}

std::vector<int64_t> steps_of(std::span<const int64_t> extents) {
  std::vector<int64_t> steps(extents.size());
  int64_t step = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    steps[axis] = step;
    step *= std::max<int64_t>(1, extents[axis]);
  }
  return steps;
}

PlaceMap map_of(const Value& value) {
  if (value.is_scalar()) return {{}, {value.i64()}};
  const Tensor& tensor = value.tensor();
  PlaceMap map;
  map.extents.assign(tensor.dims().begin(), tensor.dims().end());
  map.places.resize(static_cast<size_t>(tensor.size()));
  const std::vector<int64_t> own = steps_of(map.extents);
  for (size_t k = 0; k < map.places.size(); ++k) {
    int64_t rest = static_cast<int64_t>(k), at = 0;
    for (size_t axis = 0; axis < own.size(); ++axis) {
      at += rest / own[axis] * tensor.strides()[axis];
      rest %= own[axis];
    }
    map.places[k] = tensor.as<int64_t>()[at];
  }
  return map;
}

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

namespace {

// As the graph has it.
const Value& value_of(const Application& application, size_t operand) {
  const ir::Operation& operation = *application.apply.operation;
  const size_t parameters = application.parameters();
  return operand < parameters ? operation.args[operand] : operation.rest[operand - parameters];
}

}  // namespace

std::optional<Value> known_operand(const Application& application, size_t operand, const Sample& sample) {
  const Operand& given = application.step.operands[operand];
  if (given.kind == Operand::Kind::constant) return given.value;
  const Shapes& shapes = application.frame.shapes;
  bool known = true;
  Value with_numbers = ir::replace_symbols(value_of(application, operand), [&](const Value& symbol) {
    const std::optional<Size> number = shapes.number(symbol);
    known = known && number;
    return number ? Value(number->at(sample)) : Value(int64_t{0});
  });
  return known ? std::optional(std::move(with_numbers)) : std::nullopt;
}

std::set<std::string> names_of(const SlotType& type) {
  std::set<std::string> names;
  for (const Size& extent : type.extents) extent.add_names(names);
  return names;
}

std::set<std::string> names_of_operand(const Application& application, size_t operand) {
  std::set<std::string> names;
  if (application.step.operands[operand].kind == Operand::Kind::constant) return names;
  ir::each_symbol(value_of(application, operand), [&](ir::Id id) {
    const std::optional<Size> number = application.frame.shapes.number(application.frame.shapes.graph.symbol(id));
    if (number) number->add_names(names);
  });
  return names;
}

int64_t largest_in(const Value& value) {
  int64_t largest = 0;
  if (value.is_scalar()) {
    if (value.tag() == Tag::i64) largest = std::abs(value.i64());
    if (value.tag() == Tag::i32) largest = std::abs(int64_t{value.i32()});
  } else if (const std::vector<Value>* items = children(value)) {
    for (const Value& item : *items) largest = std::max(largest, largest_in(item));
  }
  return largest;
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

namespace {

class Mover {
 public:
  explicit Mover(const Application& application)
      : application_(application), frame_(application.frame), step_(application.step), result_(application.result) {}

  void write() {
    std::set<std::string> names = names_of(result_.type);
    for (size_t k = 0; k < step_.operands.size(); ++k)
      names.merge(is_moved(k) ? names_of(application_.operands[k].type) : names_of_operand(application_, k));
    if (result_.is_number()) return write_number();
    for (const std::string& name : names) any_[name] = 0;
    int64_t largest = 0;
    for (size_t k = 0; k < step_.operands.size(); ++k) {
      if (!is_moved(k)) largest = std::max(largest, largest_in(at_operand(k, any_)));
    }
    const auto pieces = pieces_of(
        names, largest, [&](const Sample& sample) { return map_at(sample); },
        [](int64_t a, int64_t b) { return a >> bits == b >> bits; });
    if (!pieces) application_.refuse_operator("moves elements in no regular pattern");
    for (auto& [name, number] : any_) number = 2 * largest + 8;
    if (pieces->guarded) frame_.open("if (" + result_.type.elements().factor() + " > 0)");
    const std::vector<Size> strides = row_major(result_.type.extents);
    for (const Piece& piece : pieces->all) {
      Side to{result_.text, 0, strides};
      for (size_t axis = 0; axis < strides.size(); ++axis) to.first += piece.begin[axis] * strides[axis];
      write(piece, std::move(to));
    }
    if (pieces->guarded) frame_.close();
  }

 private:
  // The number of an element: of which operand, from 1 on, and its place there. 0: a zero.
  static constexpr int bits = 40;
  static constexpr int64_t first_of(size_t operand) { return static_cast<int64_t>(operand + 1) << bits; }

  bool is_data(size_t k) const {
    const std::vector<ops::Parameter>& parameters = application_.entry().parameters;
    if (k < application_.parameters()) return k < parameters.size() && parameters[k].kind == ops::ParameterKind::tensor;
    return std::ranges::any_of(parameters,
                               [](const ops::Parameter& p) { return p.kind == ops::ParameterKind::tensors; });
  }
  bool is_moved(size_t k) const {
    const Operand& operand = step_.operands[k];
    return is_data(k) && (operand.kind == Operand::Kind::slot || operand.value.is_numeric());
  }
  Value at_operand(size_t k, const Sample& sample) const {
    std::optional<Value> known = known_operand(application_, k, sample);
    if (!known) application_.refuse_operator("moves elements to positions that are known only at run time");
    return *std::move(known);
  }

  PlaceMap map_at(const Sample& sample) const {
    std::vector<Value> operands;
    for (size_t k = 0; k < step_.operands.size(); ++k)
      operands.push_back(is_moved(k)
                             ? numbered(frame_.file.eager, application_.operands[k].type.at(sample), first_of(k))
                             : at_operand(k, sample));
    const Value made = computed(application_, operands);
    if (!made.is_numeric() || dtype_of(made) != Dtype::i64) application_.refuse_operator(not_written);
    PlaceMap map = map_of(made);
    const SlotType wanted = result_.type.at(sample);
    if (!std::ranges::equal(map.extents, wanted.extents, [](int64_t a, const Size& b) { return b.is(a); }))
      throw std::logic_error("moved elements have another shape");
    return map;
  }

  const Argument& argument(int64_t number) const {
    return application_.operands[static_cast<size_t>((number >> bits) - 1)];
  }
  // A number, or an element's text, as the result has it.
  std::string stored(const Argument& from, const std::string& element) const {
    const std::string number = from.is_number() ? element : source::c_loaded(from.type.dtype, element);
    const std::string value = frame_.file.converted(number, from.type.dtype, result_.type.dtype);
    return result_.is_number() ? value : source::c_stored(result_.type.dtype, value);
  }
  void write_number() const {
    const int64_t number = map_at({}).places[0];
    if (number == 0) return frame_.put(result_.text + " = 0;");
    const Argument& from = argument(number);
    const int64_t place = number & ((int64_t{1} << bits) - 1);
    const std::string element = from.is_number() ? from.text : from.text + "[" + std::to_string(place) + "]";
    frame_.put(result_.text + " = " + stored(from, element) + ";");
  }
  void write(const Piece& piece, Side to) const {
    const int64_t number = piece.first.at(any_);
    if (number == 0 || argument(number).is_number()) {
      const std::string value = number == 0 ? "0" : stored(argument(number), argument(number).text);
      return write_loops(frame_, piece.extents, {to}, [&](std::span<const std::string> places) {
        frame_.put(result_.text + "[" + places[0] + "] = " + value + ";");
      });
    }
    const Argument& from = argument(number);
    const Size first = piece.first - Size(number >> bits << bits);
    if (from.type.dtype == result_.type.dtype)
      return write_copy(frame_, piece.extents, std::move(to), {from.text, first, piece.strides},
                        size_of(result_.type.dtype));
    write_loops(
        frame_, piece.extents, {to, Side{from.text, first, piece.strides}}, [&](std::span<const std::string> places) {
          frame_.put(result_.text + "[" + places[0] + "] = " + stored(from, from.text + "[" + places[1] + "]") + ";");
        });
  }

  const Application& application_;
  Frame& frame_;
  const loops::Step& step_;
  const Argument& result_;
  Sample any_;  // numbers for which the pieces are as they are for all
};

}  // namespace

void write_moved(const Application& application) { Mover(application).write(); }

}  // namespace covec::emit
