// Arrays that an iteration of a lane loop makes for itself: tensors in slots that are filled, copied or moved in the
// iteration, read and set there by elements, and forgotten or put into a row of a result at its end. In lanes each is
// an array beside those of the other lanes (LaneArray). Slots that share a tensor until one of them is changed have an
// array each. Start at take().
#pragma once

#include <map>
#include <set>

#include "jit/loops/plan.hpp"

namespace covec::loops {

// The register whose number the operand of the code's step has, if it still has that number; null: none is known.
const Register* stored_number(const Operand& operand, const std::vector<Instruction>& code, size_t step);

class OwnArrays {
 public:
  // The loop's body: instructions begin … end − 1 of the plan's code.
  OwnArrays(const Plan& plan, size_t begin, size_t end, Register iteration);

  // Steps that make such arrays, or put them into results, become LaneLoop::steps in a copy of the body.
  void take(std::vector<Instruction>& code, LaneLoop& loop);
  // A slot that the loop itself gives a result with a new row, which lanes put into the tensor as it was.
  bool is_renamed_result(SlotId slot) const { return results_.contains(slot); }

 private:
  struct Found {
    std::vector<LaneStep> steps;
    std::vector<std::vector<Register>> arguments;  // of each
  };
  struct Filling {
    Operand number;
    std::vector<Operand> extents;
  };
  struct Numbers {
    LaneStep step;
    std::vector<Register> arguments = {};
  };

  void find_own(const std::vector<Instruction>& code);
  void add_own(const Step& step);
  bool may_be_own(const Step& step) const;
  bool ban_strangers(const std::vector<Instruction>& code);

  bool is_outer(const Operand& operand) const {
    return operand.kind == Operand::Kind::slot && !written_.contains(operand.slot);
  }
  bool is_own(const Operand& operand) const {
    return operand.kind == Operand::Kind::slot && own_.contains(operand.slot);
  }
  std::optional<Filling> filling(const Step& step) const;
  bool takes(const Step& step) const;
  bool puts(const Step& step) const;
  bool fits(const Step& step) const;
  const Launch* maps(const Step& step) const;
  std::vector<SlotId> results_of(const Step& step) const;

  using Code = std::vector<Instruction>;
  std::optional<Found> found(const Step& step, const Code& code, size_t at);
  std::optional<Found> fill(const Step& step, const Filling& all, const Code& code, size_t at);
  std::optional<Found> part(const Step& step, const Code& code, size_t at);
  std::optional<Found> fit(const Step& step, const Code& code, size_t at);
  std::optional<Found> members(const Step& step, const Code& code, size_t at);
  std::optional<Found> put(const Step& step, const Code& code, size_t at);
  std::optional<Found> launch(const Step& step, const Code& code, size_t at);
  std::optional<Found> moves(const Step& step) const;
  bool add(const Operand& operand, Dtype dtype, const Code& code, size_t at, Numbers& to) const;
  uint32_t number(SlotId slot) const { return numbers_.at(slot); }

  const Plan& plan_;
  const Register iteration_;
  std::set<SlotId> written_;  // in the body
  std::set<SlotId> outside_;  // mentioned elsewhere
  std::set<SlotId> banned_, own_;
  std::map<SlotId, uint32_t> numbers_;  // of the own ones
  uint32_t arrays_ = 0;                 // those, and copies of what is outside
  std::map<SlotId, SlotId> results_;    // by the slot that gets a result with a new row: the one where it was
};

}  // namespace covec::loops
