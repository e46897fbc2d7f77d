// A plan's steps as C: one writer for each kind. Start at StepWriter::write.
#pragma once

#include "jit/emit/frame.hpp"

namespace covec::emit {

class StepWriter {
 public:
  explicit StepWriter(Frame& frame) : frame_(frame), slot_moves_(frame) {}
  void write(uint32_t index);
  // The statement that leaves the function where step `index` would raise its error.
  std::string failing(uint32_t index);

 private:
  // Several values to their slots at once.
  struct SlotMoves {
    explicit SlotMoves(Frame& frame) : frame(frame) {}
    void write(const loops::Step& step);
    void copy(const std::string& to, const Argument& from);
    bool may_exchange(const loops::Operand& from, loops::SlotId to) const;
    Frame& frame;
  };
  void push(const loops::Step& step, const Stack& stack);
  void pop(const loops::Step& step, const Stack& stack);

  Frame& frame_;
  SlotMoves slot_moves_;
};

}  // namespace covec::emit
