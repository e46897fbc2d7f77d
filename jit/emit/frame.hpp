// Holds what the writers of code and steps share while one function is written: its lines, the place of each slot, its
// work memory, and its errors. Start at Frame.
#pragma once

#include <set>

#include "jit/emit/file.hpp"
#include "jit/emit/placement.hpp"
#include "jit/emit/stacks.hpp"
#include "jit/source/element_writer.hpp"

namespace covec::emit {

inline std::string memory_type(Dtype dtype) { return std::string(source::c_memory_type(dtype)); }
inline std::string number_type(Dtype dtype) { return std::string(source::c_type(dtype)); }

// An operand or a result: a number in a variable, or a tensor whose elements lie row by row at a pointer.
struct Argument {
  SlotType type;
  std::string text;
  const Value* constant = nullptr;  // it is known
  loops::SlotId slot = loops::Step::nowhere;
  bool is_number() const { return type.number; }
};

class Frame {
 public:
  Frame(const loops::Plan& plan, const Shapes& shapes, File& file, std::span<const Port> inputs,
        std::span<const Port> outputs);

  // --- slots ---
  bool has(loops::SlotId slot) const { return types_[slot].has_value(); }
  const SlotType& type(loops::SlotId slot) const;
  static std::string number(loops::SlotId slot) { return "n" + std::to_string(slot); }
  static std::string pointer(loops::SlotId slot) { return "s" + std::to_string(slot); }
  Argument argument(loops::SlotId slot) const;
  Argument argument(const loops::Operand& operand) const;
  Argument argument(const Value& constant, uint32_t place) const;

  // --- where values lie ---
  Memory memory_of(loops::SlotId slot) const { return placement_.of(slot); }
  const Stacks& stacks() const { return stacks_; }
  // The pointers' declarations, and what is copied into memory of the function's own before it begins.
  std::string declarations(const std::string& lines);  // of what these lines name
  // What the function works in: so many bytes, and behind them the most of these.
  const Size& work_bytes() const { return aligned_work_; }
  const std::vector<Size>& scratch_bytes() const { return scratch_; }

  // --- memory ---
  // The step that is being written needs so many bytes more until it ends: where they lie.
  std::string scratch(const Size& bytes, const std::string& type);
  void end_step() { in_use_ = 0; }

  // --- lines ---
  void put(const std::string& line) { lines.put(line); }
  void open(const std::string& line) { lines.open(line); }
  void close() { lines.close(); }
  // A loop over [0, count); gives the variable's name.
  std::string open_loop(const Size& count);
  // So many bytes, which may be none.
  void copy(const std::string& to, const std::string& from, const Size& bytes) { put(copy_text(to, from, bytes)); }
  static std::string copy_text(const std::string& to, const std::string& from, const Size& bytes);
  void clear(const std::string& to, const Size& bytes);
  // Leaves the function where these are not equal.
  void check_equal(const Size& a, const Size& b, uint32_t place, const std::string& error);
  std::string fresh(const std::string& name) { return name + std::to_string(next_++); }
  // Leaves the function with an error.
  std::string fail(uint32_t place, const std::string& text) {
    return "return " + std::to_string(file.error(place, text)) + ";";
  }

  const loops::Plan& plan;
  const Shapes& shapes;
  File& file;
  source::Lines lines;

 private:
  Size take(const Size& bytes);
  std::string declare(const std::string& type, const std::string& name, const Size& at) const;

  const std::vector<std::optional<SlotType>> types_;
  const std::span<const Port> inputs_, outputs_;
  const Placement placement_;
  const Stacks stacks_;
  Size aligned_work_ = 0, in_use_ = 0;
  std::vector<Size> scratch_;
  size_t next_ = 0;
};

}  // namespace covec::emit
