// Reads a program's arguments by a record of defaults. Start at Options::Options().
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

// Fails unless all arguments are text that a string can hold.
void require_text_arguments(const Context& context, const Call& call);

class Options {
 public:
  Options(Builder& b, const Call& call);
  bool asks_for_help() const { return help_; }
  std::string help() const;
  Value record() const { return make_record(layout_, values_); }

 private:
  void read(std::span<const std::string> arguments);
  void set(size_t field, const std::string& text);
  bool set_flag(std::string_view name);
  int field_of(std::string_view name) const;  // -1: none
  [[noreturn]] void fail_unknown(std::string_view name) const;
  void check_default(size_t field);
  void take_other(const std::string& argument);

  Builder& builder_;
  const Call& call_;
  std::shared_ptr<const RecordLayout> layout_;
  const std::vector<Value> defaults_;
  std::vector<Value> values_;
  int others_ = -1;  // the field of what belongs to no option
  bool has_others_ = false;
  bool help_ = false;
};

}  // namespace covec::ops
