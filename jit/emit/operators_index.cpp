// Writes reads, updates and additions at indices. If the indices are known when the file is written, they give a map.
// For other indices the map is taken with 0 in their place; at run time they shift it along their axis. Start at
// Places.
#include <algorithm>
#include <stdexcept>

#include "jit/emit/moves.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::emit {

namespace {

using loops::Operand;
using ops::IndexSpec;

// An index that only the run knows.
struct Unknown {
  size_t operand;  // of the application
  size_t item;     // of the rest
  size_t axis;     // of x
  Size size = 0, stride = 0;
  Side elements = {};  // of a tensor: where its elements lie
};

class IndexedElements {
 public:
  IndexedElements(const Application& application, size_t spec)
      : application_(application), frame_(application.frame), x_(application.operands[0]) {
    if (x_.is_number()) application.refuse("it indexes a number");
    const Value& packed = application.attribute(spec);
    if (packed.tag() != Tag::i64) application.refuse("it has an index that is known only at run time");
    spec_ = IndexSpec(packed.i64());
    packed_ = packed;
    names_ = names_of(x_.type);
    for (size_t k = application.parameters(); k < application.step.operands.size(); ++k) {
      names_.merge(names_of(application.operands[k].type));
      names_.merge(names_of_operand(application, k));
    }
    for (const std::string& name : names_) none_[name] = 0;
    find_unknown();
    for (size_t k = application.parameters(); k < application.step.operands.size(); ++k) {
      if (std::ranges::find(unknown_, k, &Unknown::operand) == unknown_.end())
        largest_ = std::max(largest_, largest_in(*known_operand(application, k, none_)));
    }
    for (Unknown& index : unknown_) locate(index);
  }

  // Where x is read, with 0 in place of what is not known.
  std::optional<PlaceMap> map(const Sample& sample) const {
    for (const Unknown& index : unknown_) {
      const SlotType type = application_.operands[index.operand].type.at(sample);
      if (index.size.at(sample) == 0 && !type.is_empty()) return std::nullopt;
    }
    return map_with(
        sample, [&](const Unknown& index) { return zero_like(index, sample); },
        numbered(frame_.file.eager, x_.type.at(sample), 0));
  }
  Pieces pieces() const {
    std::optional<Pieces> found = pieces_of(
        names_, largest_, [&](const Sample& sample) { return map(sample); }, [](int64_t, int64_t) { return true; });
    if (!found) application_.refuse("it indexes in no regular pattern");
    return *std::move(found);
  }
  std::vector<Size> extents() const {
    auto found = extents_of(names_, largest_, [&](const Sample& sample) { return map(sample); });
    if (!found) application_.refuse("it indexes in no regular pattern");
    return *std::move(found);
  }
  // What is known names no element twice.
  bool are_apart() const {
    Sample sample;
    for (const std::string& name : names_) sample[name] = 2 * largest_ + 5;
    std::vector<int64_t> places = map(sample)->places;
    std::ranges::sort(places);
    return known() && std::ranges::adjacent_find(places) == places.end();
  }
  bool known() const { return unknown_.empty(); }

  // Before anything is read: each index lies in its axis.
  void check(const std::string& error) const {
    for (const Unknown& index : unknown_) {
      const Argument& from = application_.operands[index.operand];
      const std::string size = index.size.factor();
      const auto test = [&](const std::string& text) {
        frame_.put("if (" + text + " < -" + size + " || " + text + " >= " + size + ") " + application_.fail(error));
      };
      if (from.is_number()) {
        test(from.text);
        continue;
      }
      const std::string i = frame_.open_loop(from.type.elements());
      test(from.text + "[" + i + "]");
      frame_.close();
    }
  }
  // Sides of the loops over a piece of the map, and what of x they meet; `places` are those of these sides.
  std::vector<Side> sides(const Piece& piece) const {
    std::vector<Side> all = {{x_.text, piece.first, piece.strides}};
    for (const Unknown& index : unknown_) {
      if (application_.operands[index.operand].is_number()) continue;
      Side side = index.elements;
      for (size_t axis = 0; axis < piece.begin.size(); ++axis) side.first += piece.begin[axis] * side.strides[axis];
      all.push_back(std::move(side));
    }
    return all;
  }
  std::string place(std::span<const std::string> places) const {
    std::string text = places[0];
    size_t next = 1;
    for (const Unknown& index : unknown_) {
      const Argument& from = application_.operands[index.operand];
      const std::string number = from.is_number() ? from.text : from.text + "[" + places[next++] + "]";
      const std::string wide = "(int64_t)" + number;
      text += " + (" + number + " < 0 ? " + wide + " + " + index.size.text() + " : " + wide + ") * " +
              index.stride.factor();
    }
    return text;
  }

 private:
  // Which axis each item is of, and which are not known.
  void find_unknown() {
    size_t taken = 0;
    for (unsigned k = 0; k < spec_.items(); ++k)
      taken += spec_.item(k) == IndexSpec::Item::at || spec_.item(k) == IndexSpec::Item::slice;
    size_t axis = 0, item = 0;
    for (unsigned k = 0; k < spec_.items(); ++k) {
      const size_t operand = application_.parameters() + item;
      switch (spec_.item(k)) {
        case IndexSpec::Item::at:
          if (!is_constant(operand) || !x_.type.extents[axis].known()) add_unknown(operand, item, axis);
          ++axis, ++item;
          break;
        case IndexSpec::Item::slice:
          for (const bool has : {spec_.has_start(k), spec_.has_stop(k), spec_.has_step(k)}) {
            if (has && !known_operand(application_, application_.parameters() + item, none_))
              application_.refuse("it has a slice whose ends are known only at run time");
            item += has;
          }
          ++axis;
          break;
        case IndexSpec::Item::ellipsis: axis += x_.type.rank() - taken; break;
        case IndexSpec::Item::newaxis: break;
      }
    }
  }
  bool is_constant(size_t operand) const { return application_.step.operands[operand].kind == Operand::Kind::constant; }
  void add_unknown(size_t operand, size_t item, size_t axis) {
    const SlotType& type = application_.operands[operand].type;
    if (type.dtype != Dtype::i64 && type.dtype != Dtype::i32)
      application_.refuse("it is indexed by a mask that is known only at run time");
    const Size& size = x_.type.extents[axis];
    if (size.is(0)) application_.refuse("it indexes an axis without elements");
    unknown_.push_back({operand, item, axis, size, row_major(x_.type.extents)[axis]});
  }
  Value zero_like(const Unknown& index, const Sample& sample) const {
    const SlotType type = application_.operands[index.operand].type.at(sample);
    if (type.number) return Value(int64_t{0});
    Value zeros = make_tensor(frame_.file.eager.pool(), Dtype::i64, type.shape());
    std::fill_n(zeros.tensor().as<int64_t>(), type.elements().number(), 0);
    return zeros;
  }
  // What reading gives of these numbers. Of an axis without elements nothing is read.
  PlaceMap map_with(const Sample& sample, FunctionRef<Value(const Unknown&)> index_of, Value numbers) const {
    std::vector<Value> args = {std::move(numbers), packed_};
    for (size_t k = application_.parameters(); k < application_.step.operands.size(); ++k) {
      const auto index = std::ranges::find(unknown_, k, &Unknown::operand);
      args.push_back(index == unknown_.end() ? *known_operand(application_, k, sample) : index_of(*index));
    }
    try {
      return map_of(ops::call(frame_.file.eager, ops::index_read_entry(), std::span(args).first(2),
                              std::span(args).subspan(2), 0));
    } catch (const OpError& error) {
      application_.refuse(error.message);
    }
  }
  // Of which element of the index each element of what is read is: seen with a tensor that has a place for each along
  // the axis, and there its number.
  void locate(Unknown& wanted) {
    const SlotType& type = application_.operands[wanted.operand].type;
    if (type.number) return;
    const auto located = [&](const Sample& sample) -> std::optional<PlaceMap> {
      if (!map(sample)) return std::nullopt;
      const int64_t count = std::max<int64_t>(1, type.at(sample).elements().number());
      SlotType other = x_.type.at(sample), line{Dtype::i64, false, std::vector<Size>(x_.type.rank(), 1)};
      other.extents[wanted.axis] = line.extents[wanted.axis] = count;
      Value numbers = ops::broadcast_to(frame_.file.eager, numbered(frame_.file.eager, line, 0), other.shape());
      return map_with(
          sample,
          [&](const Unknown& index) {
            return &index == &wanted ? numbered(frame_.file.eager, type.at(sample), 0) : zero_like(index, sample);
          },
          std::move(numbers));
    };
    const auto pieces = pieces_of(names_, largest_, located, [](int64_t, int64_t) { return true; });
    if (!pieces || pieces->all.size() > 1) application_.refuse("its indices have no regular pattern");
    if (pieces->all.empty())
      wanted.elements = {"", 0, std::vector<Size>(extents().size(), 0)};
    else
      wanted.elements = {"", pieces->all[0].first, pieces->all[0].strides};
  }

  const Application& application_;
  Frame& frame_;
  const Argument& x_;
  IndexSpec spec_;
  Value packed_;
  std::vector<Unknown> unknown_;
  std::set<std::string> names_;
  Sample none_;  // 0 for each
  int64_t largest_ = 0;
};

Side result_side(const std::string& pointer, const std::vector<Size>& extents, const Piece& piece) {
  Side side{pointer, 0, row_major(extents)};
  for (size_t axis = 0; axis < piece.begin.size(); ++axis) side.first += piece.begin[axis] * side.strides[axis];
  return side;
}

void write_read(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &result = application.result;
  const IndexedElements places(application, 1);
  places.check(range_error);
  if (places.extents() != result.type.extents) throw std::logic_error("what is read has another shape");
  const Pieces pieces = places.pieces();
  if (result.is_number()) {
    if (pieces.all.size() != 1) throw std::logic_error("more than a number is read");
    std::vector<std::string> all(x.type.rank() + 1, "0");
    all[0] = pieces.all[0].first.text();
    return frame.put(result.text + " = " + source::c_loaded(x.type.dtype, x.text + "[" + places.place(all) + "]") +
                     ";");
  }
  if (pieces.guarded) frame.open("if (" + result.type.elements().factor() + " > 0)");
  for (const Piece& piece : pieces.all) {
    const Side to = result_side(result.text, result.type.extents, piece);
    if (places.known()) {
      write_copy(frame, piece.extents, to, {x.text, piece.first, piece.strides}, size_of(x.type.dtype));
      continue;
    }
    std::vector<Side> sides = places.sides(piece);
    sides.push_back(to);
    write_loops(frame, piece.extents, sides, [&](std::span<const std::string> at) {
      frame.put(result.text + "[" + at.back() + "] = " + x.text + "[" + places.place(at) + "];");
    });
  }
  if (pieces.guarded) frame.close();
}

// x with x[places] = value, or += value. Elements that are named twice come in order.
void write_changed(const Application& application, bool adds) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &value = application.operands[1], &result = application.result;
  const Dtype dtype = result.type.dtype;
  // Where it is one that staging has found, nobody reads what is made.
  if (is_float(value.type.dtype) && !is_float(dtype))
    return frame.put(
        application.fail("cannot store " + text_of(value.type) + " in a tensor of " + std::string(name_of(dtype))));
  if (adds && is_narrow(dtype)) application.refuse_operator("adds to elements of " + std::string(name_of(dtype)));
  const IndexedElements places(application, 2);
  places.check(range_error);
  if (result.text != x.text && !result.type.is_empty()) frame.copy(result.text, x.text, result.type.bytes());
  const Pieces pieces = places.pieces();
  if (pieces.all.empty()) return;
  const size_t rank = pieces.all[0].begin.size();
  const std::vector<Size> extents = places.extents();
  std::vector<Size> value_strides(rank, 0);
  if (!value.is_number()) {
    const std::vector<Size> own = row_major(value.type.extents);
    if (value.type.rank() > rank) throw std::logic_error("a part of another shape is updated");
    const size_t missing = rank - value.type.rank();
    for (size_t k = 0; k < own.size(); ++k) {
      const Size &from = value.type.extents[k], &to = extents[missing + k];
      value_strides[missing + k] = from == to && !from.is(1) ? own[k] : own[k] * Size::unless_one(from);
      if (from == to || from.is(1)) continue;
      frame.put("if (" + from.factor() + " != " + to.factor() + " && " + from.factor() + " != 1) " +
                application.fail(fit_error));
    }
  }
  // Pieces in another order than that of the elements: two of them must not meet.
  if (pieces.all.size() > 1 && !places.are_apart())
    application.refuse_operator("updates elements in no regular pattern");
  if (pieces.guarded) frame.open("if (" + Size::product(extents).factor() + " > 0)");
  for (const Piece& piece : pieces.all) {
    std::vector<Side> sides = places.sides(piece);
    Side from{value.text, 0, value_strides};
    for (size_t axis = 0; axis < piece.begin.size(); ++axis) from.first += piece.begin[axis] * value_strides[axis];
    sides.push_back(std::move(from));
    write_loops(frame, piece.extents, sides, [&](std::span<const std::string> at) {
      const std::string old = result.text + "[" + places.place(at) + "]";
      const std::string number =
          value.is_number() ? value.text : source::c_loaded(value.type.dtype, value.text + "[" + at.back() + "]");
      const std::string text = frame.file.converted(number, value.type.dtype, dtype);
      if (!adds) return frame.put(old + " = " + source::c_stored(dtype, text) + ";");
      if (dtype == Dtype::boolean) return frame.put(old + " = " + old + " | (" + text + ");");
      const std::string sum = frame.fresh("t");
      frame.open("");
      frame.put("const " + number_type(dtype) + " " + sum + " = " + text + ";");
      frame.put(number_type(dtype) + "* const at = &" + old + ";");
      frame.put("*at = " + source::c_expression({ops::ScalarOp::add, dtype, dtype, 2, {"*at", sum}, fma_name}) + ";");
      frame.close();
    });
  }
  if (pieces.guarded) frame.close();
}

void write_update(const Application& application) { write_changed(application, false); }
void write_addition(const Application& application) { write_changed(application, true); }

}  // namespace

std::span<const OperatorRow> index_rows() {
  static constexpr OperatorRow rows[] = {{ops::index_read_entry, write_read},
                                         {ops::index_update_entry, write_update, true},
                                         {ops::index_add_entry, write_addition, true}};
  return rows;
}

}  // namespace covec::emit
