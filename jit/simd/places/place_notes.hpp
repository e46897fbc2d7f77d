// Notes, for a profile, of which place of the graph the bytes of machine code are. Each instruction of the processor
// gets its place as asmjit's inline comment; when the code is written, they tell where they stand. The code is what it
// is without them. (Nodes of their own between instructions would cut asmjit's basic blocks elsewhere.)
#pragma once

#include <asmjit/x86.h>

#include <string>
#include <unordered_map>

#include "stdlib/ops/contract/activity.hpp"

namespace covec::simd {

namespace x86 = asmjit::x86;

class PlaceNotes {
 public:
  explicit PlaceNotes(x86::Compiler& compiler) : compiler_(compiler) {}
  // What is emitted from here on is of this place; 0: of none.
  void set(uint32_t place) {
    note();
    place_ = place;
  }
  // What has been emitted in front of the cursor since the last time has the place. Before the cursor goes elsewhere.
  void note();
  // As Compiler::finalize(), and gives the places of all bytes.
  asmjit::Error finalize(ops::PlacedCode& placed);

 private:
  x86::Compiler& compiler_;
  uint32_t place_ = 0;
  std::unordered_map<uint32_t, std::string> texts_;  // by place, as long as nodes refer to them
};

}  // namespace covec::simd
