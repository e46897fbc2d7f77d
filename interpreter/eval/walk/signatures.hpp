// Signatures: annotated arguments and results, checked at each call: dtype classes, ranks and dimensions. A name stands
// for one number across a signature. The first argument with the name defines it; an argument that disagrees is shown
// beside that one. Most arguments pass a quick check that needs no frame: pass().
#pragma once

#include <array>

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/walk/binding.hpp"

namespace covec {

struct Parts;

// What the names of dimensions stand for in one call.
class NamedExtents {
 public:
  // False where the name stands for another extent already, or there are too many names.
  bool agree(uint32_t slot, int64_t extent);
  void bind(Value* slots) const;

 private:
  struct Name {
    uint32_t slot;
    int64_t extent;
  };
  std::array<Name, 8> names_;
  size_t count_ = 0;
};

class Signatures {
 public:
  explicit Signatures(Parts& parts) : parts_(parts) {}

  // Whether numbers and tensors that came by position, one for each parameter, match the annotations as they are. False
  // also where only check_parameters() can tell.
  static bool pass(const core::Function& function, std::span<const Value> args, NamedExtents& names);
  void check_parameters(const core::Function& function, const Given& given, Frame& frame);
  void check_result(const core::Function& function, Value& result, Frame& frame);

 private:
  class Check;
  Value cast(const Value& value, Dtype dtype, Span span, const Frame& f) const;

  Parts& parts_;
};

}  // namespace covec
