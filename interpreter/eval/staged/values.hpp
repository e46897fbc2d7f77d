// StagedValues: how the walk handles values that only the run has, while a function is staged for the compiler (see
// interpreter/compiler.hpp). It checks extents that must agree, and variables that only some paths have defined. It
// also finds statements that need more than that and leaves them to the interpreter. It is the lowest of the staged
// parts: StagedLists, StagedPaths and the walk of statements use it.
#pragma once

#include "interpreter/eval/apply/applier.hpp"

namespace covec {

struct StagedParts;

class StagedValues {
 public:
  explicit StagedValues(StagedParts& parts) : parts_(parts) {}

  // What must hold for the walk to be right; where it does not, the statement that needs it says so itself.
  void require(const Value& holds, std::string_view what, Span span, Frame& frame) const;
  // Two extents that must agree.
  void agree(Dim a, Dim b, Span span, Frame& f) const;
  // An annotated dimension.
  void dimension(const core::DimAnnotation& dim, Dim size, Frame& f) const;
  // An argument that has been checked gets the extents that its annotation writes out.
  void know_extents(const core::Annotation& annotation, Value& argument, const Frame& f) const;
  // How many elements.
  Value size(const Shape& shape, const Frame& f) const;
  // A variable that some path may have defined: its value, after a check that the run makes.
  Value local(const core::Local& node, const Frame& f) const;
  // A function captures what a variable holds when it is made: whether it holds anything must be known then.
  void capture(const core::MakeClosure& node, const Value& variable, const Frame& f) const;
  // The statement is not staged: a call of the interpreter takes its place.
  struct Why {
    std::string reason;
    Span at;
    bool only_fails = false;  // it stands where the statement is known to raise its error
  };
  Flow interpret(const core::Stmt& stmt, Why why, Frame& f) const;

 private:
  Value with_extents(const Value& value, std::span<const int64_t> extents, bool is_parameter) const;

  StagedParts& parts_;
};

}  // namespace covec
