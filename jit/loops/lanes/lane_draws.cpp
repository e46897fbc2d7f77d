#include "jit/loops/lanes/lane_draws.hpp"

#include <algorithm>

#include "jit/loops/build_code.hpp"
#include "jit/loops/random_words.hpp"
#include "stdlib/ops/random/ahead.hpp"

namespace covec::loops {

namespace {

using ops::Block;
using ops::Expr;
using ops::Word;

bool is_about_draws(const Instruction& i) {
  return is<instruction::Draw, instruction::NextCall, instruction::SetNextCall>(i);
}

// Writes the iteration anew.
class Computed {
 public:
  explicit Computed(LaneLoop& loop) : loop_(loop), builder_(loop.code) {}

  void run() {
    std::vector<Instruction> given = std::move(loop_.code.instructions);
    loop_.code.instructions.clear();
    for (size_t at = 0, head = loop_.head; at < given.size(); ++at) {
      if (at == head) begin();
      write(std::move(given[at]));
    }
  }

 private:
  void begin() {
    call_ = builder_.fresh(Dtype::i64, "call");
    one_ = builder_.constant(Dtype::i64, 1).id;
    loop_.head = loop_.code.instructions.size();
  }

  void write(Instruction i) {
    builder_.set_place(i.place);
    if (const auto* const draw = std::get_if<instruction::Draw>(&i)) {
      builder_.move(draw->to, number(*draw).id);
      if (draw->takes) builder_.append(instruction::Scalar{ops::ScalarOp::add, 2, call_, {call_, one_}});
    } else if (const auto* const next = std::get_if<instruction::NextCall>(&i)) {
      builder_.move(next->to, call_);
    } else if (const auto* const set = std::get_if<instruction::SetNextCall>(&i)) {
      builder_.move(call_, set->from);
    } else {
      builder_.append(std::move(i));
    }
  }

  ops::ScalarRef number(const instruction::Draw& draw) {
    const Block<Word> block = words(draw);
    switch (static_cast<ops::Numbers>(draw.buffer / ops::DrawnAhead::max_elements)) {
      case ops::Numbers::even_f64: return ops::even_of<double>(block, 0).in(builder_);
      case ops::Numbers::even_f32: return ops::even_of<float>(block, 0).in(builder_);
      case ops::Numbers::normal_f64:
        return ops::normal_of(ops::even_of<double>(block, 0), ops::even_of<double>(block, 1)).in(builder_);
      case ops::Numbers::normal_f32:
        return ops::normal_of(ops::even_of<float>(block, 0), ops::even_of<float>(block, 1)).in(builder_);
      case ops::Numbers::words: break;
    }
    return ops::pair_of(block, 0).in(builder_);
  }
  Block<Word> words(const instruction::Draw& draw) {
    const uint64_t place = draw.buffer % ops::DrawnAhead::max_elements;
    const Word half(32), key(builder_, {*draw.key, Dtype::i64}), call(builder_, {call_, Dtype::i64}),
        element(builder_, builder_.constant(Dtype::i64, place));
    const Block<Word> counter{{element, Word(0), call, shift_right_logical(call, half)}};
    return ops::philox(counter, key, shift_right_logical(key, half));
  }

  LaneLoop& loop_;
  CodeBuilder builder_;
  Register call_ = 0, one_ = 0;
};

}  // namespace

bool draws_by_itself(const std::vector<Instruction>& iteration) {
  size_t depth = 0;
  bool is_known = false;
  for (const Instruction& i : iteration) {
    if (is<instruction::If, instruction::Loop>(i)) ++depth;
    if (is<instruction::EndIf, instruction::EndLoop>(i)) --depth;
    if (!is_about_draws(i)) continue;
    is_known = is_known || (depth == 0 && is<instruction::SetNextCall>(i));
    const auto* const draw = std::get_if<instruction::Draw>(&i);
    if (!is_known || (draw != nullptr && !draw->key)) return false;
  }
  return true;
}

void compute_draws(LaneLoop& loop) {
  if (std::ranges::any_of(loop.code.instructions, is_about_draws)) Computed(loop).run();
}

}  // namespace covec::loops
