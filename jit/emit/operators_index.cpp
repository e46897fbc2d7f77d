// Writes reads, updates and additions at indices. Numbers and slices give places and strides, by the rule of the
// language for all extents. A tensor of indices that is known when the file is written gives pieces in which they
// follow by strides, or a table. Other indices are looked up at run time, and checked. Start at IndexedElements.
#include <algorithm>
#include <stdexcept>

#include "jit/emit/moves.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::emit {

namespace {

using loops::Operand;
using ops::IndexItem;

// An index that is looked up at run time.
struct Lookup {
  std::string text;  // a number, or where its numbers lie
  SlotType type;
  Size size, stride;      // of the axis of x
  Side elements = {};     // of a tensor: where its elements lie
  bool is_table = false;  // places that are known: neither negative nor out of range
};

// A tensor among the items, or a mask: along one axis of x, or along those of the mask as one.
struct Gather {
  size_t operand;  // of the application
  Size size, stride;
  SlotType type;                               // of a mask: that of the places where it is true
  std::optional<std::vector<int64_t>> places;  // row by row, where they are known
};

// Of a slice: its first element, which is in x where there are any, and the others.
struct Range {
  Size first, count, step;
};

// The numbers of a known tensor, row by row.
std::vector<int64_t> numbers_of(Pool& pool, const Value& value) {
  const Value tensor = contiguous(pool, value);
  std::vector<int64_t> numbers(static_cast<size_t>(tensor.tensor().size()));
  const Dtype dtype = tensor.tensor().dtype();
  for (size_t k = 0; k < numbers.size(); ++k) {
    if (dtype == Dtype::boolean) numbers[k] = tensor.tensor().as<uint8_t>()[k];
    if (dtype == Dtype::i32) numbers[k] = tensor.tensor().as<int32_t>()[k];
    if (dtype == Dtype::i64) numbers[k] = tensor.tensor().as<int64_t>()[k];
  }
  return numbers;
}

// Slices by Python's rule. `counts`: how many elements they have is asked for.
class Slices {
 public:
  Slices(const Application& application, bool counts)
      : application_(application), frame_(application.frame), counts_(counts) {}

  Range range(const IndexItem& item, const Size& extent) const {
    const std::optional<Size> start = bound(item.start), stop = bound(item.stop), given = bound(item.step);
    if (given && !given->known()) application_.refuse("it has a slice whose step is known only at run time");
    const int64_t step = given ? given->number() : 1;
    if (step == 0) fail(message("index_step"));
    Range range;
    Size distance;
    if (step > 0) {
      // The first place is not clamped where it is known: behind the end there are no elements.
      const bool plain = !start || (start->known() && start->number() >= 0);
      range.first = plain ? start.value_or(0) : clamped(*start, extent, false);
      if (!stop && !plain)
        distance = extent - range.first;
      else if (stop && !(stop->known() && stop->number() < 0))
        distance = Size::not_negative(clamped(*stop, extent, false) - range.first);
      else
        distance = Size::not_negative(extent + stop.value_or(0) - range.first);
    } else {
      const Size behind = start ? clamped(*start, extent, true) : extent;
      range.first = behind - 1;
      distance = stop ? Size::not_negative(behind - clamped(*stop, extent, true)) : behind;
    }
    range.step = step;
    const int64_t apart = std::abs(step);
    if (apart == 1)
      range.count = distance;
    else if (distance.known())
      range.count = distance.number() > 0 ? (distance.number() - 1) / apart + 1 : 0;
    else if (counts_)
      range.count = Size::named(variable(distance.factor() + " > 0 ? (" + distance.factor() + " - 1) / " +
                                         std::to_string(apart) + " + 1 : 0"));
    if (step > 0 && start && start->is(Size::beyond)) range.count = 0;
    if (range.count.is(0) || range.count.is(1) || apart == Size::beyond) range.step = 1;
    if (range.count.is(0)) range.first = 0;
    return range;
  }

 private:
  // A bound or step of a slice, which follows from extents; nothing: there is none. What is beyond all elements is as
  // near as it can be.
  std::optional<Size> bound(int8_t item) const {
    if (item < 0) return std::nullopt;
    const std::optional<Size> number =
        Attributes(application_).number(application_.parameters() + static_cast<size_t>(item));
    if (!number) application_.refuse("it has a slice whose ends are known only at run time");
    return number->known() ? std::clamp(number->number(), -Size::beyond, Size::beyond) : *number;
  }
  std::string variable(const std::string& value) const {
    std::string name = frame_.fresh("k");
    frame_.put("const int64_t " + name + " = " + value + ";");
    frame_.put("(void)" + name + ";");
    return name;
  }
  static Size at_most(const Size& a, const Size& most) {
    if (!(most - a).may_be_negative()) return a;
    if (!(a - most).may_be_negative()) return most;
    return a - Size::not_negative(a - most);
  }
  // A bound as a place from 0 to the axis' extent. Of a slice that goes backwards it is the place behind it.
  Size clamped(const Size& bound, const Size& extent, bool backwards) const {
    const int64_t more = backwards ? 1 : 0;
    if (bound.is(-Size::beyond)) return 0;
    if (bound.is(Size::beyond)) return extent;
    if (bound.known() && bound.number() < 0) return Size::not_negative(extent + bound + more);
    if (!bound.may_be_negative()) return at_most(bound + more, extent);
    const Size from_end = Size::not_negative(extent + bound + more), from_begin = bound + more;
    return Size::named(variable(bound.factor() + " < 0 ? " + from_end.factor() + " : " + from_begin.factor() + " < " +
                                extent.factor() + " ? " + from_begin.factor() + " : " + extent.factor()));
  }

  const Application& application_;
  Frame& frame_;
  const bool counts_;
};

class IndexedElements {
 public:
  // `read`: the extents of what is read, which its type tells; null: they follow from the index.
  IndexedElements(const Application& application, size_t spec, const std::vector<Size>* read)
      : application_(application), frame_(application.frame), x_(application.operands[0]), read_(read) {
    if (x_.is_number()) application.refuse("it indexes a number");
    const Value& packed = application.attribute(spec);
    if (packed.tag() != Tag::i64) application.refuse("it has an index that is known only at run time");
    strides_ = row_major(x_.type.extents);
    try {
      look_at(ops::IndexSpec(packed.i64()));
    } catch (const OpError& error) {
      application.refuse(error.message);
    }
  }

  const std::vector<Size>& extents() const { return extents_; }
  // Of what is named; their places are those in x, without what is looked up.
  const std::vector<Piece>& pieces() const { return pieces_; }
  bool known() const { return lookups_.empty(); }

  // Before anything is read: each index lies in its axis.
  void check(const std::string& error) const {
    for (const Lookup& index : lookups_) {
      if (index.is_table) continue;
      const std::string size = index.size.factor();
      const auto test = [&](const std::string& text) {
        frame_.put("if (" + text + " < -" + size + " || " + text + " >= " + size + ") " + application_.fail(error));
      };
      if (index.type.number) {
        test(index.text);
        continue;
      }
      const Size named = Size::product(block());  // where none is named, none is looked at
      if (named.is(0)) continue;
      const bool guarded = !named.known() && index.type.elements() != named;
      if (guarded) frame_.open("if (" + named.factor() + " > 0)");
      const std::string i = frame_.open_loop(index.type.elements());
      test(index.text + "[" + i + "]");
      frame_.close();
      if (guarded) frame_.close();
    }
  }
  // Sides of the loops over a piece, and what of x they meet; `places` are those of these sides.
  std::vector<Side> sides(const Piece& piece) const {
    std::vector<Side> all = {{x_.text, piece.first, piece.strides}};
    for (const Lookup& index : lookups_) {
      if (index.type.number) continue;
      Side side = index.elements;
      for (size_t axis = 0; axis < piece.begin.size(); ++axis) side.first += piece.begin[axis] * side.strides[axis];
      all.push_back(std::move(side));
    }
    return all;
  }
  std::string place(std::span<const std::string> places) const {
    std::string text = places[0];
    size_t next = 1;
    for (const Lookup& index : lookups_) {
      const std::string number = index.type.number ? index.text : index.text + "[" + places[next++] + "]";
      const std::string wide = "(int64_t)" + number;
      text +=
          " + " +
          (index.is_table ? number : "(" + number + " < 0 ? " + wide + " + " + index.size.text() + " : " + wide + ")") +
          (index.is_table && index.stride.is(1) ? "" : " * " + index.stride.factor());
    }
    return text;
  }

 private:
  std::span<const Size> block() const { return std::span(extents_).subspan(block_at_, block_rank_); }
  const Operand& operand(size_t number) const { return application_.step.operands[number]; }
  bool is_constant(size_t number) const { return operand(number).kind == Operand::Kind::constant; }

  void look_at(ops::IndexSpec spec) {
    std::vector<Type> types;
    for (const Argument& item : application_.rest()) {
      types.push_back({item.type.dtype, {}});
      for (size_t axis = 0; axis < item.type.rank(); ++axis) types.back().shape.push_back(1);
    }
    Type x{x_.type.dtype, {}};
    for (size_t axis = 0; axis < x_.type.rank(); ++axis) x.shape.push_back(1);
    const ops::IndexLayout layout =
        ops::layout_of(spec, x, std::span<const Type>(types), static_cast<int>(application_.parameters()));
    block_at_ = layout.advanced_at;
    for (unsigned k = 0; k < layout.count; ++k) look_at(layout.items[k]);
    if (layout.advanced) insert_block();
    if (read_ != nullptr) {
      if (read_->size() != extents_.size()) throw std::logic_error("what is read has another shape");
      extents_ = *read_;
    }
    if (gathers_.empty()) return pieces_.push_back(all());
    look_up();
  }
  void look_at(const IndexItem& item) {
    switch (item.kind) {
      case IndexItem::Kind::integer: return add_number(item);
      case IndexItem::Kind::gather: return add_gather(item);
      case IndexItem::Kind::mask: return add_mask(item);
      case IndexItem::Kind::newaxis: return add_axis({0, 1, 0}, 0);
      case IndexItem::Kind::slice:
        return add_axis(Slices(application_, read_ == nullptr).range(item, x_.type.extents[item.axis]),
                        strides_[item.axis]);
    }
  }
  size_t operand_of(int8_t item) const { return application_.parameters() + static_cast<size_t>(item); }
  void add_axis(const Range& range, const Size& stride) {
    first_ += range.first * stride;
    extents_.push_back(range.count);
    steps_.push_back(range.step * stride);
  }

  // --- numbers, tensors and masks ---

  static int64_t normal(int64_t index, const IndexItem& item, int64_t size, int operand) {
    const int64_t normal = index < 0 ? index + size : index;
    if (normal < 0 || normal >= size) ops::fail_index(index, item.axis, size, operand);
    return normal;
  }
  void refuse_empty(const Size& size) const {
    if (size.is(0)) application_.refuse("it indexes an axis without elements");
  }
  void add_number(const IndexItem& item) {
    const size_t number = operand_of(item.operand);
    const Size &size = x_.type.extents[item.axis], &stride = strides_[item.axis];
    if (is_constant(number) && size.known()) {
      const int64_t index = ops::integer_of(operand(number).value);
      first_ += Size(normal(index, item, size.number(), static_cast<int>(number))) * stride;
      return;
    }
    refuse_empty(size);
    const Argument& from = application_.operands[number];
    lookups_.push_back({from.text, from.type, size, stride});
  }
  void add_gather(const IndexItem& item) {
    const size_t number = operand_of(item.operand);
    const Size& size = x_.type.extents[item.axis];
    Gather gather{number, size, strides_[item.axis], application_.operands[number].type, std::nullopt};
    if (is_constant(number) && size.known()) {
      gather.places = numbers_of(frame_.file.eager.pool(), operand(number).value);
      for (int64_t& place : *gather.places) place = normal(place, item, size.number(), static_cast<int>(number));
    } else {
      refuse_empty(size);
    }
    gathers_.push_back(std::move(gather));
  }
  void add_mask(const IndexItem& item) {
    const size_t number = operand_of(item.operand);
    const std::span<const Size> of = std::span(x_.type.extents).subspan(item.axis, item.axes);
    if (!is_constant(number)) application_.refuse("it is indexed by a mask that is known only at run time");
    if (!std::ranges::all_of(of, &Size::known))
      application_.refuse("it is indexed by a mask along an axis whose extent the caller gives");
    const SlotType& mask = application_.operands[number].type;
    for (size_t axis = 0; axis < of.size(); ++axis) {
      if (mask.extents[axis] == of[axis]) continue;
      fail(message("index_mask"),
           {mask.shape().text(), std::to_string(item.axis + axis), std::to_string(of[axis].number())});
    }
    const Value& value = operand(number).value;
    const std::vector<int64_t> flags =
        value.is_scalar() ? std::vector<int64_t>{value.boolean() ? 1 : 0} : numbers_of(frame_.file.eager.pool(), value);
    std::vector<int64_t> places;
    for (size_t place = 0; place < flags.size(); ++place) {
      if (flags[place] != 0) places.push_back(static_cast<int64_t>(place));
    }
    const Size stride = item.axes == 0 ? Size(0) : strides_[item.axis + item.axes - 1];
    const SlotType type{Dtype::i64, false, {static_cast<int64_t>(places.size())}};
    gathers_.push_back({number, Size::product(of), stride, type, std::move(places)});
  }

  // --- the block: the axes that tensors have in what is named ---

  void insert_block() {
    std::vector<Size> block;
    for (const Gather& gather : gathers_) {
      const std::vector<Size>& own = gather.type.extents;
      if (own.size() > block.size()) block.insert(block.begin(), own.size() - block.size(), 1);
      const size_t more = block.size() - own.size();
      for (size_t axis = 0; axis < own.size(); ++axis) block[more + axis] = Size::wider(block[more + axis], own[axis]);
    }
    block_rank_ = block.size();
    const auto at = static_cast<std::ptrdiff_t>(block_at_);
    extents_.insert(extents_.begin() + at, block.begin(), block.end());
    steps_.insert(steps_.begin() + at, block.size(), 0);
  }
  Piece all() const { return {std::vector<Size>(extents_.size(), 0), extents_, first_, steps_}; }
  // How far a tensor's elements lie apart along the axes of what is named.
  std::vector<Size> spread(const SlotType& type) const {
    std::vector<Size> strides(extents_.size(), 0);
    const std::vector<Size> own = row_major(type.extents);
    const size_t more = block_at_ + block_rank_ - own.size();
    for (size_t axis = 0; axis < own.size(); ++axis) {
      const Size &from = type.extents[axis], &to = extents_[more + axis];
      strides[more + axis] = from == to ? own[axis] : own[axis] * Size::unless_one(from);
    }
    return strides;
  }
  void check_fits(const SlotType& type) const {
    const size_t more = block_at_ + block_rank_ - type.rank();
    for (size_t axis = 0; axis < type.rank(); ++axis) {
      const Size &from = type.extents[axis], &to = extents_[more + axis];
      if (from == to || from.is(1)) continue;
      frame_.put("if (" + from.factor() + " != " + to.factor() + " && " + from.factor() + " != 1) " +
                 application_.fail(fit_error));
    }
  }
  std::string table(const std::vector<int64_t>& places, const SlotType& type) const {
    Value tensor = make_tensor(frame_.file.eager.pool(), Dtype::i64, type.shape());
    std::ranges::copy(places, tensor.tensor().as<int64_t>());
    return frame_.file.constant(tensor);
  }
  void look_up() {
    const bool known = std::ranges::all_of(gathers_, [](const Gather& g) { return g.places.has_value(); });
    const bool of_numbers = std::ranges::all_of(gathers_, [](const Gather& g) { return g.stride.known(); });
    if (known && (gathers_.size() == 1 || of_numbers)) return look_up_as_one();
    for (const Gather& gather : gathers_) {
      check_fits(gather.type);
      const std::string text =
          gather.places ? table(*gather.places, gather.type) : application_.operands[gather.operand].text;
      lookups_.push_back(
          {text, gather.type, gather.size, gather.stride, {"", 0, spread(gather.type)}, gather.places.has_value()});
    }
    pieces_.push_back(all());
  }
  // All places in x, as multiples of one stride.
  void look_up_as_one() {
    const Size unit = gathers_.size() == 1 ? gathers_[0].stride : Size(1);
    SlotType type{Dtype::i64, false, {block().begin(), block().end()}};
    if (!type.elements().known()) throw std::logic_error("known indices have an unknown shape");
    std::vector<int64_t> places(static_cast<size_t>(type.elements().number()), 0);
    for (const Gather& gather : gathers_) {
      const std::vector<Size> all = spread(gather.type);
      const int64_t factor = gathers_.size() == 1 ? 1 : gather.stride.number();
      for (size_t k = 0; k < places.size(); ++k) {
        int64_t rest = static_cast<int64_t>(k), from = 0;
        for (size_t axis = block_rank_; axis-- > 0;) {
          const int64_t extent = type.extents[axis].number();
          from += rest % extent * all[block_at_ + axis].number();
          rest /= extent;
        }
        places[k] += (*gather.places)[static_cast<size_t>(from)] * factor;
      }
    }
    const auto regular = regular_pieces(type.shape(), places);
    // Pieces come in another order than elements: of a place that is named twice the last one counts.
    if (!regular || (regular->size() > 1 && read_ == nullptr && !are_apart(places))) {
      lookups_.push_back({table(places, type), type, 0, unit, {"", 0, spread(type)}, true});
      return pieces_.push_back(all());
    }
    for (const RegularPiece& part : *regular) {
      Piece piece = all();
      piece.first += Size(part.first) * unit;
      for (size_t axis = 0; axis < block_rank_; ++axis) {
        piece.begin[block_at_ + axis] = part.begin[axis];
        piece.extents[block_at_ + axis] = part.extents[axis];
        piece.strides[block_at_ + axis] = Size(part.strides[axis]) * unit;
      }
      pieces_.push_back(std::move(piece));
    }
  }
  static bool are_apart(std::vector<int64_t> places) {
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) == places.end();
  }

  const Application& application_;
  Frame& frame_;
  const Argument& x_;
  const std::vector<Size>* const read_;
  std::vector<Size> strides_;  // of x
  Size first_ = 0;
  std::vector<Size> extents_, steps_;  // of what is named; 0 along the block
  size_t block_at_ = 0, block_rank_ = 0;
  std::vector<Gather> gathers_;
  std::vector<Lookup> lookups_;
  std::vector<Piece> pieces_;
};

void write_read(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &result = application.result;
  const IndexedElements places(application, 1, &result.type.extents);
  places.check(range_error);
  if (result.is_number()) {
    const std::vector<std::string> all = {places.pieces().at(0).first.text()};
    return frame.put(result.text + " = " + source::c_loaded(x.type.dtype, x.text + "[" + places.place(all) + "]") +
                     ";");
  }
  for (const Piece& piece : places.pieces()) {
    const Side to = side_of(result.text, result.type.extents, piece);
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
  const IndexedElements places(application, 2, nullptr);
  places.check(range_error);
  if (result.text != x.text && !result.type.is_empty()) frame.copy(result.text, x.text, result.type.bytes());
  const std::vector<Size>& extents = places.extents();
  const size_t rank = extents.size();
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
  for (const Piece& piece : places.pieces()) {
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
