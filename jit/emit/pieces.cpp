// Finds the pieces of a map, and how they follow from extents that the caller gives.
#include "jit/emit/moves.hpp"

#include <algorithm>
#include <numeric>

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

namespace {

// A piece of one map.
struct Found {
  std::vector<int64_t> begin, extents;
  int64_t first = 0;
  std::vector<int64_t> strides;
};

class Splitter {
 public:
  Splitter(const PlaceMap& map, Joins joins) : map_(map), joins_(joins), strides_(steps_of(map.extents)) {}

  bool split(std::vector<int64_t> begin, std::vector<int64_t> extents) {
    Found piece{std::move(begin), std::move(extents), 0, {}};
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

  std::vector<Found> pieces;

 private:
  static constexpr size_t most = 64;  // pieces of a map
  int64_t at(std::span<const int64_t> index) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides_[axis];
    return map_.places[static_cast<size_t>(place)];
  }
  int64_t along(const Found& piece, size_t axis, int64_t by) const {
    std::vector<int64_t> index = piece.begin;
    index[axis] += by;
    return at(index);
  }
  bool is_regular(const Found& piece) const {
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
  std::pair<size_t, int64_t> find_break(const Found& piece) const {
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
  const Joins joins_;
  const std::vector<int64_t> strides_;
};

std::optional<std::vector<Found>> found_in(const PlaceMap& map, Joins joins) {
  if (map.places.empty()) return std::vector<Found>();
  Splitter splitter(map, joins);
  if (!splitter.split(std::vector<int64_t>(map.extents.size(), 0), map.extents)) return std::nullopt;
  return std::move(splitter.pieces);
}

// --- extents that the caller gives ---

// Numbers for three successive values of each name: as a sum of products of the names, up to their squares.
class Fit {
 public:
  Fit(const std::set<std::string>& names, int64_t least) : names_(names.begin(), names.end()) {
    for (size_t k = 0; k < names_.size(); ++k) begin_.push_back(least + static_cast<int64_t>(apart * k));
    size_t count = 1;
    for (size_t k = 0; k < names_.size(); ++k) count *= each;
    for (size_t number = 0; number < count; ++number) {
      Sample sample;
      size_t rest = number;
      for (size_t k = 0; k < names_.size(); ++k, rest /= each)
        sample[names_[k]] = begin_[k] + static_cast<int64_t>(rest % each);
      samples.push_back(std::move(sample));
    }
  }

  // `numbers`: one for each of `samples`.
  std::optional<Size> of(std::vector<int64_t> numbers) const {
    size_t stride = 1;
    for (size_t k = 0; k < names_.size(); ++k, stride *= each) {
      for (size_t at = 0; at < numbers.size(); ++at) {
        if (at / stride % each == 0 && !to_powers(&numbers[at], stride, begin_[k])) return std::nullopt;
      }
    }
    Size sum = 0;
    for (size_t at = 0; at < numbers.size(); ++at) {
      Size term = numbers[at];
      size_t rest = at;
      for (size_t k = 0; k < names_.size(); ++k, rest /= each) {
        for (size_t power = 0; power < rest % each; ++power) term *= Size::named(names_[k]);
      }
      sum += term;
    }
    return sum;
  }

  std::vector<Sample> samples;

 private:
  // Values that each name takes: three give its square. The next name's values begin behind them.
  static constexpr size_t each = 3, apart = 4;
  // Of values at x, x + 1 and x + 2: what stands before 1, the name and its square.
  static bool to_powers(int64_t* first, size_t stride, int64_t x) {
    int64_t &a = first[0], &b = first[stride], &c = first[2 * stride];
    const int64_t bends = c - 2 * b + a;
    if (bends % 2 != 0) return false;
    const int64_t square = bends / 2, slope = b - a - square * (2 * x + 1);
    a -= slope * x + square * x * x;
    b = slope;
    c = square;
    return true;
  }
  std::vector<std::string> names_;
  std::vector<int64_t> begin_;
};

// Whether the pieces are the map; `empty`: they have elements, and the map has none.
bool are_of(const std::vector<Piece>& pieces, const PlaceMap& map, const Sample& sample, bool& empty) {
  constexpr int64_t nothing = -1;
  std::vector<int64_t> made(map.places.size(), nothing);
  const std::vector<int64_t> steps = steps_of(map.extents);
  for (const Piece& piece : pieces) {
    const size_t rank = map.extents.size();
    std::vector<int64_t> extents, strides, index(rank, 0);
    int64_t to = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      extents.push_back(piece.extents[axis].at(sample));
      strides.push_back(piece.strides[axis].at(sample));
      to += piece.begin[axis].at(sample) * steps[axis];
    }
    if (std::ranges::any_of(extents, [](int64_t extent) { return extent <= 0; })) continue;
    if (made.empty()) {
      empty = true;
      continue;
    }
    const int64_t first = piece.first.at(sample);
    for (size_t axis = rank;;) {
      int64_t at = to, place = first;
      for (size_t k = 0; k < rank; ++k) at += index[k] * steps[k], place += index[k] * strides[k];
      if (at < 0 || at >= static_cast<int64_t>(made.size()) || made[static_cast<size_t>(at)] != nothing) return false;
      made[static_cast<size_t>(at)] = place;
      axis = rank;
      while (axis > 0 && ++index[axis - 1] == extents[axis - 1]) index[--axis] = 0;
      if (axis == 0) break;
    }
  }
  return made == map.places;
}

// All ways to give each name one of these numbers.
std::vector<Sample> all_samples(const std::set<std::string>& names, std::span<const int64_t> numbers) {
  std::vector<Sample> all = {{}};
  for (const std::string& name : names) {
    std::vector<Sample> more;
    for (const Sample& sample : all) {
      for (const int64_t number : numbers) {
        more.push_back(sample);
        more.back()[name] = number;
      }
    }
    all = std::move(more);
  }
  return all;
}

std::optional<Piece> fitted(const Fit& fit, const std::vector<std::vector<Found>>& found, size_t number) {
  const auto of = [&](FunctionRef<int64_t(const Found&)> part) {
    std::vector<int64_t> numbers;
    for (const std::vector<Found>& pieces : found) numbers.push_back(part(pieces[number]));
    return fit.of(std::move(numbers));
  };
  Piece piece;
  const std::optional<Size> first = of([](const Found& f) { return f.first; });
  if (!first) return std::nullopt;
  piece.first = *first;
  for (size_t axis = 0; axis < found[0][number].begin.size(); ++axis) {
    const std::optional<Size> begin = of([&](const Found&f) { return f.begin[axis]; }),
                              extent = of([&](const Found&f) { return f.extents[axis]; }),
                              stride = of([&](const Found&f) { return f.strides[axis]; });
    if (!begin || !extent || !stride) return std::nullopt;
    piece.begin.push_back(*begin);
    piece.extents.push_back(*extent);
    piece.strides.push_back(*stride);
  }
  return piece;
}

constexpr size_t max_names = 3;  // that a map may follow from

// The least number that stands for a name where the pieces are found.
int64_t least_for(const std::set<std::string>& names, int64_t largest) {
  constexpr int64_t fewest = 6;  // elements of a named extent
  return names.empty() ? 0 : std::max(fewest, 2 * largest + 2);
}

// What is found must hold for others: small ones, those about the largest number, and a large one.
std::vector<Sample> others_than(const std::set<std::string>& names, int64_t largest) {
  if (names.empty()) return {};
  std::vector<int64_t> others = {0, 1, 2, 3};
  for (int64_t number = std::max<int64_t>(4, largest - 1); number <= largest + 1; ++number) others.push_back(number);
  others.push_back(least_for(names, largest) + 5);
  return all_samples(names, others);
}

bool can_be_tried(const std::set<std::string>& names, int64_t largest) {
  return names.empty() || (names.size() <= max_names && largest <= max_mapped);
}

}  // namespace

std::optional<Pieces> pieces_of(const std::set<std::string>& names, int64_t largest, MapAt map_at, Joins joins) {
  if (!can_be_tried(names, largest)) return std::nullopt;
  const Fit fit(names, least_for(names, largest));
  std::vector<std::vector<Found>> found;
  for (const Sample& sample : fit.samples) {
    const std::optional<PlaceMap> map = map_at(sample);
    auto pieces = map ? found_in(*map, joins) : std::nullopt;
    if (!pieces || (!found.empty() && pieces->size() != found[0].size())) return std::nullopt;
    found.push_back(*std::move(pieces));
  }
  Pieces pieces;
  for (size_t k = 0; k < found[0].size(); ++k) {
    const std::optional<Piece> piece = fitted(fit, found, k);
    if (!piece) return std::nullopt;
    pieces.all.push_back(*piece);
  }
  for (const Sample& sample : others_than(names, largest)) {
    const std::optional<PlaceMap> map = map_at(sample);
    if (map && !are_of(pieces.all, *map, sample, pieces.guarded)) return std::nullopt;
  }
  return pieces;
}

std::optional<std::vector<Size>> extents_of(const std::set<std::string>& names, int64_t largest, MapAt map_at) {
  if (!can_be_tried(names, largest)) return std::nullopt;
  const Fit fit(names, least_for(names, largest));
  std::vector<std::vector<int64_t>> by_axis;
  for (const Sample& sample : fit.samples) {
    const std::optional<PlaceMap> map = map_at(sample);
    if (!map) return std::nullopt;
    by_axis.resize(map->extents.size());
    for (size_t axis = 0; axis < by_axis.size(); ++axis) by_axis[axis].push_back(map->extents[axis]);
  }
  std::vector<Size> extents;
  for (std::vector<int64_t>& numbers : by_axis) {
    const std::optional<Size> extent = fit.of(std::move(numbers));
    if (!extent) return std::nullopt;
    extents.push_back(Size::not_negative(*extent));
  }
  for (const Sample& sample : others_than(names, largest)) {
    const std::optional<PlaceMap> map = map_at(sample);
    for (size_t axis = 0; map && axis < extents.size(); ++axis) {
      if (extents[axis].at(sample) != map->extents[axis]) return std::nullopt;
    }
  }
  return extents;
}

}  // namespace covec::emit
