#include "jit/emit/moves.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "stdlib/tensor/tensor.hpp"

namespace covec::emit {

using loops::Operand;

Value numbered(ops::Builder& eager, const SlotType& type, int64_t first) {
  if (type.number) return Value(first);
  if (type.elements() > most_mapped) throw Refusal{"it moves the elements of a tensor of more than 4 million"};
  Value tensor = make_tensor(eager.pool(), Dtype::i64, Shape(type.extents.data(), type.extents.size()));
  std::iota(tensor.tensor().as<int64_t>(), tensor.tensor().as<int64_t>() + type.elements(), first);
  return tensor;
}

PlaceMap map_of(const Value& value) {
  if (value.is_scalar()) return {{}, {value.i64()}};
  const Tensor& tensor = value.tensor();
  PlaceMap map;
  map.extents.assign(tensor.dims().begin(), tensor.dims().end());
  map.places.resize(static_cast<size_t>(tensor.size()));
  const std::vector<int64_t> own = row_major(map.extents);
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
  const loops::Step& step = application.step;
  try {
    return ops::call(application.frame.file.eager, *step.entry, operands.first(step.parameters),
                     operands.subspan(step.parameters), step.literals);
  } catch (const OpError& error) {
    throw Refusal{error.message, step.place};
  }
}

std::vector<int64_t> row_major(std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t step = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<int64_t>(1, extents[axis]);
  }
  return strides;
}

// --- pieces ---

namespace {

class Splitter {
 public:
  Splitter(const PlaceMap& map, FunctionRef<bool(int64_t, int64_t)> joins)
      : map_(map), joins_(joins), strides_(row_major(map.extents)) {}

  bool split(std::vector<int64_t> begin, std::vector<int64_t> extents) {
    Piece piece{std::move(begin), std::move(extents), 0, {}};
    piece.first = at(piece.begin);
    for (size_t axis = 0; axis < piece.extents.size(); ++axis)
      piece.strides.push_back(piece.extents[axis] > 1 ? along(piece, axis, 1) - piece.first : 0);
    if (is_regular(piece)) {
      pieces.push_back(std::move(piece));
      return pieces.size() <= most;
    }
    const auto [axis, where] = find_break(piece);
    std::vector<int64_t> left = piece.extents, right = piece.extents, second = piece.begin;
    left[axis] = where;
    right[axis] -= where;
    second[axis] += where;
    return split(piece.begin, std::move(left)) && split(std::move(second), std::move(right));
  }

  std::vector<Piece> pieces;

 private:
  static constexpr size_t most = 64;
  int64_t at(std::span<const int64_t> index) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides_[axis];
    return map_.places[static_cast<size_t>(place)];
  }
  int64_t along(const Piece& piece, size_t axis, int64_t by) const {
    std::vector<int64_t> index = piece.begin;
    index[axis] += by;
    return at(index);
  }
  bool is_regular(const Piece& piece) const {
    std::vector<int64_t> index(piece.extents.size(), 0);
    for (;;) {
      std::vector<int64_t> absolute = piece.begin;
      int64_t wanted = piece.first;
      for (size_t axis = 0; axis < index.size(); ++axis) {
        absolute[axis] += index[axis];
        wanted += index[axis] * piece.strides[axis];
      }
      const int64_t found = at(absolute);
      if (found != wanted || !joins_(piece.first, found)) return false;
      size_t axis = index.size();
      while (axis > 0 && ++index[axis - 1] == piece.extents[axis - 1]) index[--axis] = 0;
      if (axis == 0) return true;
    }
  }
  // The first place along an axis where the stride changes, else the middle.
  std::pair<size_t, int64_t> find_break(const Piece& piece) const {
    for (size_t axis = 0; axis < piece.extents.size(); ++axis) {
      const int64_t extent = piece.extents[axis];
      for (int64_t by = 1; by < extent; ++by) {
        const int64_t before = along(piece, axis, by - 1), here = along(piece, axis, by);
        if (here - before == piece.strides[axis] && joins_(piece.first, here)) continue;
        if (by == 2 && extent > 3 && along(piece, axis, 3) - here == here - before) return {axis, 1};
        return {axis, by};
      }
    }
    for (size_t axis = 0; axis < piece.extents.size(); ++axis) {
      if (piece.extents[axis] > 1) return {axis, piece.extents[axis] / 2};
    }
    return {0, 1};
  }

  const PlaceMap& map_;
  const FunctionRef<bool(int64_t, int64_t)> joins_;
  const std::vector<int64_t> strides_;
};

}  // namespace

std::optional<std::vector<Piece>> pieces_of(const PlaceMap& map, FunctionRef<bool(int64_t, int64_t)> joins) {
  if (map.places.empty()) return std::vector<Piece>();
  Splitter splitter(map, joins);
  if (!splitter.split(std::vector<int64_t>(map.extents.size(), 0), map.extents)) return std::nullopt;
  return std::move(splitter.pieces);
}

// --- loops ---

namespace {

// Axes that all sides go through in one stride are one.
void merge(std::vector<int64_t>& extents, std::vector<Side>& sides) {
  std::vector<int64_t> merged;
  std::vector<std::vector<int64_t>> strides(sides.size());
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 1) continue;
    bool joins = !merged.empty();
    for (size_t s = 0; joins && s < sides.size(); ++s)
      joins = strides[s].back() == sides[s].strides[axis] * extents[axis];
    if (!joins) merged.push_back(1);
    merged.back() *= extents[axis];
    for (size_t s = 0; s < sides.size(); ++s) {
      if (!joins) strides[s].push_back(0);
      strides[s].back() = sides[s].strides[axis];
    }
  }
  extents = std::move(merged);
  for (size_t s = 0; s < sides.size(); ++s) sides[s].strides = std::move(strides[s]);
}

std::string place(const Side& side, std::span<const std::string> indices, size_t count) {
  std::string text;
  for (size_t axis = 0; axis < count; ++axis) {
    const int64_t stride = side.strides[axis];
    if (stride == 0) continue;
    text += (text.empty() ? "" : " + ") + indices[axis] + (stride == 1 ? "" : " * " + std::to_string(stride));
  }
  if (text.empty()) return std::to_string(side.first);
  return side.first == 0 ? text : text + (side.first < 0 ? " - " : " + ") + std::to_string(std::abs(side.first));
}

}  // namespace

void write_loops(Frame& frame, std::vector<int64_t> extents, std::vector<Side> sides,
                 FunctionRef<void(std::span<const std::string>)> body) {
  if (std::ranges::find(extents, 0) != extents.end()) return;
  merge(extents, sides);
  std::vector<std::string> indices, places;
  for (const int64_t extent : extents) indices.push_back(frame.open_loop(extent));
  for (const Side& side : sides) places.push_back(place(side, indices, extents.size()));
  body(places);
  for (size_t k = 0; k < extents.size(); ++k) frame.close();
}

void write_copy(Frame& frame, const std::vector<int64_t>& given, Side to, Side from, size_t size) {
  constexpr int64_t fewest = 4;
  if (std::ranges::find(given, 0) != given.end()) return;
  std::vector<int64_t> extents = given;
  std::vector<Side> sides = {std::move(to), std::move(from)};
  merge(extents, sides);
  const bool runs =
      !extents.empty() && extents.back() >= fewest && sides[0].strides.back() == 1 && sides[1].strides.back() == 1;
  const size_t outer = extents.size() - (runs ? 1 : 0);
  std::vector<std::string> indices;
  for (size_t axis = 0; axis < outer; ++axis) indices.push_back(frame.open_loop(extents[axis]));
  const std::string left = place(sides[0], indices, outer), right = place(sides[1], indices, outer);
  if (runs)
    frame.put("memcpy(" + sides[0].pointer + " + " + left + ", " + sides[1].pointer + " + " + right + ", " +
              std::to_string(static_cast<size_t>(extents.back()) * size) + ");");
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
    const PlaceMap map = find();
    if (map.extents != result_.type.extents) throw std::logic_error("moved elements have another shape");
    if (result_.is_number()) return frame_.put(result_.text + " = " + element(map.places[0]) + ";");
    const auto pieces = pieces_of(map, [&](int64_t a, int64_t b) { return operand_of(a) == operand_of(b); });
    if (!pieces) application_.refuse("`" + std::string(step_.entry->name) + "` moves elements without a pattern");
    const std::vector<int64_t> strides = row_major(map.extents);
    for (const Piece& piece : *pieces) {
      Side to{result_.text, 0, strides};
      for (size_t axis = 0; axis < strides.size(); ++axis) to.first += piece.begin[axis] * strides[axis];
      write(piece, std::move(to));
    }
  }

 private:
  struct Data {
    size_t operand;
    int64_t first, end;  // of its elements' numbers, from 1 on
  };

  bool is_data(size_t k) const {
    const std::vector<ops::Parameter>& parameters = step_.entry->parameters;
    if (k < step_.parameters) return k < parameters.size() && parameters[k].kind == ops::ParameterKind::tensor;
    return std::ranges::any_of(parameters,
                               [](const ops::Parameter& p) { return p.kind == ops::ParameterKind::tensors; });
  }

  PlaceMap find() {
    std::vector<Value> operands;
    int64_t next = 1;
    for (size_t k = 0; k < step_.operands.size(); ++k) {
      const Operand& operand = step_.operands[k];
      if (is_data(k) && (operand.kind == Operand::Kind::slot || operand.value.is_numeric())) {
        const SlotType& type = application_.operands[k].type;
        operands.push_back(numbered(frame_.file.eager, type, next));
        data_.push_back({k, next, next + type.elements()});
        next += type.elements();
        continue;
      }
      if (operand.kind != Operand::Kind::constant)
        application_.refuse("`" + std::string(step_.entry->name) +
                            "` moves elements to places that only the run knows");
      operands.push_back(operand.value);
    }
    const Value made = computed(application_, operands);
    if (!made.is_numeric() || dtype_of(made) != Dtype::i64)
      application_.refuse("`" + std::string(step_.entry->name) + "` is not written as C");
    return map_of(made);
  }

  // 0: none, a zero.
  size_t operand_of(int64_t number) const {
    if (number == 0) return 0;
    for (size_t d = 0; d < data_.size(); ++d) {
      if (number >= data_[d].first && number < data_[d].end) return d + 1;
    }
    throw std::logic_error("an operator in the table does more than move elements");
  }
  const Argument& argument(size_t operand) const { return application_.operands[data_[operand - 1].operand]; }
  // A number, or an element's text, as the result has it.
  std::string stored(const Argument& from, const std::string& element) const {
    const std::string number = from.is_number() ? element : source::c_loaded(from.type.dtype, element);
    const std::string value = frame_.file.converted(number, from.type.dtype, result_.type.dtype);
    return result_.is_number() ? value : source::c_stored(result_.type.dtype, value);
  }
  std::string element(int64_t number) const {
    const size_t operand = operand_of(number);
    if (operand == 0) return "0";
    const Argument& from = argument(operand);
    return stored(
        from, from.is_number() ? from.text : from.text + "[" + std::to_string(number - data_[operand - 1].first) + "]");
  }
  void write(const Piece& piece, Side to) {
    const size_t operand = operand_of(piece.first);
    if (operand != 0 && !argument(operand).is_number() && argument(operand).type.dtype == result_.type.dtype) {
      const Side from{argument(operand).text, piece.first - data_[operand - 1].first, piece.strides};
      return write_copy(frame_, piece.extents, std::move(to), from, size_of(result_.type.dtype));
    }
    if (operand == 0 || argument(operand).is_number()) {
      const std::string value = operand == 0 ? "0" : stored(argument(operand), argument(operand).text);
      return write_loops(frame_, piece.extents, {to}, [&](std::span<const std::string> places) {
        frame_.put(result_.text + "[" + places[0] + "] = " + value + ";");
      });
    }
    const Argument& from = argument(operand);
    write_loops(
        frame_, piece.extents, {to, Side{from.text, piece.first - data_[operand - 1].first, piece.strides}},
        [&](std::span<const std::string> places) {
          frame_.put(result_.text + "[" + places[0] + "] = " + stored(from, from.text + "[" + places[1] + "]") + ";");
        });
  }

  const Application& application_;
  Frame& frame_;
  const loops::Step& step_;
  const Argument& result_;
  std::vector<Data> data_;
};

}  // namespace

void write_moved(const Application& application) { Mover(application).write(); }

}  // namespace covec::emit
