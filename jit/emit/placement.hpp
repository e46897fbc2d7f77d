// In which memory each slot's tensor lies. What is only read stays where the caller gives it, and what goes out is made
// where the caller wants it. The rest lies in the function's work memory, as does what a step may exchange. Start at
// of().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jit/emit/types.hpp"

namespace covec::emit {

// What goes in and out, in order: what the function's parameters are called, and of which slots they are.
struct Port {
  SlotType type;
  std::string name;
  loops::SlotId slot = loops::Step::nowhere;  // nowhere: it is not read; of an output, `constant`
  const Value* constant = nullptr;
};

enum class Memory : uint8_t { none, work, input, output, constant };

class Placement {
 public:
  Placement(const loops::Plan& plan, std::span<const std::optional<SlotType>> types, std::span<const Port> inputs,
            std::span<const Port> outputs);
  Memory of(loops::SlotId slot) const { return memories_[slot]; }

 private:
  std::vector<Memory> memories_;
};

}  // namespace covec::emit
