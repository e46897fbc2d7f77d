#include "tests/jit_source/random_programs.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "stdlib/value/half.hpp"

namespace covec::tests {

namespace {

constexpr auto& dtypes = all_dtypes;

template <class T>
uint64_t bits_of(T number) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}

template <class T>
uint64_t random_float(Random& random) {
  using L = std::numeric_limits<T>;
  const T specials[] = {T(0),
                        T(-0.0),
                        T(1),
                        T(-1),
                        T(0.5),
                        T(2.5),
                        L::infinity(),
                        -L::infinity(),
                        L::quiet_NaN(),
                        L::max(),
                        L::denorm_min(),
                        L::min(),
                        T(2147483648.0),
                        T(-9.3e18),
                        T(1) / L::epsilon()};
  if (random.chance(30)) return bits_of(specials[random.below(std::size(specials))]);
  if (random.chance(10)) {  // any that is no NaN
    uint64_t bits = random.bits();
    if constexpr (sizeof(T) == 4) bits &= 0xffffffff;
    T number;
    std::memcpy(&number, &bits, sizeof number);
    return number == number ? bits : bits_of(T(3));
  }
  return bits_of(static_cast<T>(static_cast<double>(random.below(20001)) / 1000.0 - 10.0));
}

template <class T>
uint64_t random_integer(Random& random) {
  using L = std::numeric_limits<T>;
  const T specials[] = {T(0), T(1), static_cast<T>(-1), T(2), T(7), static_cast<T>(-8), L::max(), L::min()};
  if (random.chance(30)) return bits_of(specials[random.below(std::size(specials))]);
  if (random.chance(10)) return bits_of(static_cast<T>(random.bits()));
  return bits_of(static_cast<T>(static_cast<T>(random.below(41)) - 20));
}

}  // namespace

Dtype random_dtype(Random& random) { return dtypes[random.below(std::size(dtypes))]; }

uint64_t random_number(Random& random, Dtype dtype) {
  if (is_half(dtype)) return half_of(dtype, std::bit_cast<float>(static_cast<uint32_t>(random_float<float>(random))));
  return with_element(dtype, [&]<class T>(T) -> uint64_t {
    if constexpr (std::is_same_v<T, bool>)
      return random.below(2);
    else if constexpr (std::is_integral_v<T>)
      return random_integer<T>(random);
    else
      return random_float<T>(random);
  });
}

namespace {

bool is_shift(ScalarOp op) {
  return op == ScalarOp::shift_left || op == ScalarOp::shift_right || op == ScalarOp::shift_right_logical;
}

// A random operation that gives `to`, and the dtypes of its operands.
struct Choice {
  ScalarOp op;
  Dtype operand;  // of those after a select's condition
};
Choice choose(Random& random, Dtype to) {
  for (;;) {
    const auto op = static_cast<ScalarOp>(random.below(loops::scalar_op_count));
    const Dtype from = random_dtype(random);
    const Dtype first = op == ScalarOp::select ? Dtype::boolean : from;
    if (op == ScalarOp::convert && from == to) continue;
    if (loops::accepts(op, to, {first, from, from})) return {op, from};
  }
}

// Emits random operations through a Sink, which has: constant(dtype, bits), pick(dtype) of what can be read, and
// scalar(op, dtype, a, b, c).
template <class Sink>
uint32_t operation(Random& random, Sink& sink, Dtype to) {
  const Choice choice = choose(random, to);
  uint32_t operands[3] = {};
  for (unsigned k = 0; k < loops::info_of(choice.op).arity; ++k) {
    operands[k] = sink.pick(choice.op == ScalarOp::select && k == 0 ? Dtype::boolean : choice.operand);
  }
  if (is_shift(choice.op)) {
    const uint32_t width = sink.constant(to, 8 * size_of(to) - 1);
    operands[1] = sink.scalar(ScalarOp::bit_and, to, operands[1], width);
  }
  if (choice.op == ScalarOp::bitcast && is_float(choice.operand)) {  // all NaNs are one
    const Dtype dtype = choice.operand;
    const uint32_t number = sink.scalar(ScalarOp::eq, Dtype::boolean, operands[0], operands[0]);
    operands[0] = sink.scalar(ScalarOp::select, dtype, number, operands[0], sink.constant(dtype, bits_of(0.0f)));
  }
  return sink.scalar(choice.op, to, operands[0], operands[1], operands[2]);
}

// --- kernels ---

class KernelWriter {
 public:
  explicit KernelWriter(Random& random) : random_(random) {}

  Kernel write() {
    const size_t inputs = 1 + random_.below(5), numbers = random_.below(3);
    for (size_t k = 0; k < inputs; ++k) add(maker_.load(random_dtype(random_), random_.chance(25)));
    for (size_t k = 0; k < numbers; ++k) add(maker_.number(random_dtype(random_)));
    operations(1 + random_.below(random_.chance(10) ? 150 : 30), 0);  // the large ones need more than the registers
    const size_t outputs = 1 + random_.below(4);
    for (size_t k = 0; k < outputs; ++k) maker_.output(any());
    if (random_.chance(25)) maker_.kernel.fails = pick(Dtype::boolean);
    return maker_.kernel;
  }

  uint32_t constant(Dtype dtype, uint64_t bits) { return add(maker_.constant(dtype, bits)); }
  uint32_t scalar(ScalarOp op, Dtype dtype, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    return add(maker_.scalar(op, dtype, a, b, c));
  }
  uint32_t pick(Dtype dtype) {
    std::vector<uint32_t> found;
    for (uint32_t id : visible_) {
      if (maker_.kernel.code[id].dtype == dtype) found.push_back(id);
    }
    if (found.empty() || random_.chance(10)) return constant(dtype, random_number(random_, dtype));
    return random_.chance(50) ? found.back() : random_.of(found);
  }

 private:
  uint32_t add(uint32_t id) {
    visible_.push_back(id);
    return id;
  }
  uint32_t any() { return random_.of(visible_); }

  void operations(size_t count, int depth) {
    for (size_t k = 0; k < count; ++k) {
      if (depth < 2 && random_.chance(8))
        rare(depth);
      else
        operation(random_, *this, random_dtype(random_));
    }
  }

  void rare(int depth) {
    const Dtype dtype = random_dtype(random_), further = random_dtype(random_);
    const uint32_t condition = pick(Dtype::boolean), usual = pick(dtype), further_usual = pick(further);
    maker_.rare(condition);
    const std::vector<uint32_t> outside = visible_;
    operations(1 + random_.below(6), depth + 1);
    const uint32_t made = pick(dtype), further_made = pick(further);
    visible_ = outside;
    add(maker_.end_rare(dtype, condition, made, usual));
    if (random_.chance(40)) add(maker_.rare_result(further, condition, further_made, further_usual));
  }

  Random& random_;
  KernelMaker maker_;
  std::vector<uint32_t> visible_;
};

// --- the function ---

class CodeWriter {
 public:
  explicit CodeWriter(Random& random) : random_(random) {}

  loops::Code write() {
    for (size_t k = 0; k < std::size(dtypes); ++k) {  // every register is written before anything happens
      for (size_t copy = 0; copy < 3; ++copy) {
        pools_[k].push_back(maker_.reg(dtypes[k]));
        if (copy == 0)
          maker_.load(static_cast<loops::SlotId>(k), pools_[k].back());
        else
          maker_.constant(pools_[k].back(), random_number(random_, dtypes[k]));
      }
    }
    block(3 + random_.below(random_.chance(10) ? 60 : 12), 0);
    for (size_t k = 0; k < std::size(dtypes); ++k) {
      maker_.store(static_cast<loops::SlotId>(k), random_.of(pools_[k]));
    }
    maker_.put(instruction::Leave{});
    return maker_.program.code;
  }

  loops::Register constant(Dtype dtype, uint64_t bits) {
    const loops::Register r = maker_.reg(dtype);
    maker_.constant(r, bits);
    return r;
  }
  loops::Register scalar(ScalarOp op, Dtype dtype, loops::Register a, loops::Register b = 0, loops::Register c = 0) {
    const loops::Register r = maker_.reg(dtype);
    maker_.scalar(op, r, a, b, c);
    return r;
  }
  loops::Register pick(Dtype dtype) {
    return random_.chance(10) ? constant(dtype, random_number(random_, dtype)) : random_.of(pool(dtype));
  }

 private:
  std::vector<loops::Register>& pool(Dtype dtype) {
    size_t k = 0;
    while (dtypes[k] != dtype) ++k;
    return pools_[k];
  }

  void block(size_t count, int depth) {
    for (size_t k = 0; k < count; ++k) statement(depth);
  }

  void statement(int depth) {
    const size_t way = random_.below(depth < 3 ? 14 : 10);
    if (way < 5) return assign();
    if (way == 5) return slots();
    if (way == 6) return maker_.step(static_cast<uint32_t>(random_.below(1000)));
    if (way == 7) return element(random_.chance(50));
    if (way == 8) return stack();
    if (way == 9) return branch_on_comparison(depth);
    if (way < 12) return branch(depth);
    loop(depth);
  }

  void assign() {
    const Dtype to = random_dtype(random_);
    const loops::Register made = random_.chance(10) ? pick(to) : operation(random_, *this, to);
    maker_.put(instruction::Move{random_.of(pool(to)), made});
  }

  void slots() {
    const size_t k = random_.below(std::size(dtypes));
    const auto slot = static_cast<loops::SlotId>(k);
    const bool loads = random_.chance(50);
    const loops::Register number = random_.of(pools_[k]);
    loads ? maker_.load(slot, number) : maker_.store(slot, number);
  }

  void branch(int depth) {
    maker_.put(instruction::If{pick(Dtype::boolean)});
    block(random_.below(4), depth + 1);
    if (random_.chance(50)) {
      maker_.put(instruction::Else{});
      block(random_.below(4), depth + 1);
    }
    if (random_.chance(4)) maker_.put(instruction::Leave{});
    maker_.put(instruction::EndIf{});
  }

  // Back ends may put a comparison and its use together.
  loops::Register comparison() {
    const ScalarOp ops[] = {ScalarOp::lt, ScalarOp::le, ScalarOp::eq, ScalarOp::ne};
    Dtype dtype = random_dtype(random_);
    while (is_narrow(dtype)) dtype = random_dtype(random_);  // are compared as what they are computed with
    const loops::Register a = pick(dtype), b = pick(dtype);
    return scalar(ops[random_.below(4)], Dtype::boolean, a, b);
  }
  void branch_on_comparison(int depth) {
    const loops::Register c = comparison();
    if (depth >= 3 || random_.chance(40)) {
      const Dtype dtype = random_dtype(random_);
      const loops::Register a = random_.of(pool(dtype)), b = random_.of(pool(dtype));
      return maker_.scalar(ScalarOp::select, random_.of(pool(dtype)), c, a, b);
    }
    maker_.put(instruction::If{c});
    block(1 + random_.below(2), depth + 1);
    maker_.put(instruction::EndIf{});
  }

  // At most seven passes.
  void loop(int depth) {
    const loops::Register counter = constant(Dtype::i64, 0), one = constant(Dtype::i64, 1);
    const loops::Register bound = constant(Dtype::i64, random_.below(8));
    maker_.put(instruction::Loop{});
    maker_.put(instruction::Poll{});
    const loops::Register more = scalar(ScalarOp::lt, Dtype::boolean, counter, bound);
    maker_.put(instruction::BreakUnless{more});
    maker_.scalar(ScalarOp::add, counter, counter, one);
    block(1 + random_.below(4), depth + 1);
    if (random_.chance(40)) {
      const bool where_it_holds = random_.chance(50);
      const loops::Register condition = comparison();
      maker_.put(where_it_holds ? Instruction(instruction::BreakIf{condition}) : instruction::BreakUnless{condition});
      block(random_.below(3), depth + 1);
    }
    maker_.put(instruction::EndLoop{});
  }

  void element(bool set) {
    const size_t which = random_.below(std::size(tensor_types));
    std::vector<loops::Register> indices;
    for (unsigned axis = 0; axis < tensor_types[which].rank; ++axis) indices.push_back(index());
    const loops::Register number = random_.of(pool(tensor_types[which].dtype));
    const instruction::ElementPlace place{first_tensor_slot + static_cast<loops::SlotId>(which), indices,
                                          1000 + static_cast<uint32_t>(which)};
    maker_.put(set ? Instruction(instruction::SetElement{place, number}) : instruction::Element{place, number});
  }
  // Mostly within the extents (which are 3 or more), from either end.
  loops::Register index() {
    const loops::Register any = pick(Dtype::i64);
    if (random_.chance(3)) return any;
    const loops::Register three = constant(Dtype::i64, random_.chance(50) ? 3 : static_cast<uint64_t>(-3));
    return scalar(ScalarOp::floor_modulo, Dtype::i64, any, three);
  }

  // Numbers that come back in reverse, with something in between.
  void stack() {
    std::vector<Dtype> pushed;
    for (size_t k = 1 + random_.below(4); k > 0; --k) {
      pushed.push_back(random_dtype(random_));
      maker_.put(instruction::PushNumber{0, random_.of(pool(pushed.back())), 2000});
    }
    assign();
    for (; !pushed.empty(); pushed.pop_back()) maker_.put(instruction::PopNumber{random_.of(pool(pushed.back())), 0});
  }

  Random& random_;
  CodeMaker maker_;
  std::vector<loops::Register> pools_[std::size(dtypes)];
};

}  // namespace

Kernel random_kernel(Random& random) { return KernelWriter(random).write(); }
loops::Code random_code(Random& random) { return CodeWriter(random).write(); }

}  // namespace covec::tests
