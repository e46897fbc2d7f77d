// Fields: names after a dot: fields of records, names of modules, attributes of tensors.
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct Parts;

// A name of a module; nullptr where there is none. While a function is staged, one that gets rules cannot be read.
const Value* name_in(const Module& module, std::string_view name, Span span, const Reporter& reporter, const Frame& f);

class Fields {
 public:
  explicit Fields(Parts& parts) : parts_(parts) {}

  Raw field(const core::Field& node, Frame& f);

 private:
  Raw field_of(const core::Field& node, const Value& object, const Frame& f) const;
  Raw field_of_record(const core::Field& node, const Record& record, const Frame& f) const;
  Raw name_of_module(const core::Field& node, const Module& module, const Frame& f) const;
  Value attribute(core::Attribute attribute, const Value& object, Span span, const Frame& f) const;

  Parts& parts_;
};

}  // namespace covec
