// The tests that every operator's entry generates. They run programs of the language (Language) and call entries
// directly (through its builder); each check counts itself, and the counts are printed at the end.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "interpreter/session/session.hpp"
#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::test {

// A session that keeps what is printed.
class Language {
 public:
  Language();
  // The value of the last expression; a failing program is a failed test (and none).
  Value evaluate(const std::string& text);
  // The report of a failing program; empty when it succeeds.
  std::string error_of(const std::string& text);
  ops::Builder& builder() { return builder_; }
  Session& session() { return session_; }

 private:
  struct Silent : ops::Output {
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };
  Silent output_;
  Session session_;
  autodiff::EagerBuilder builder_;
};

class EntryTest : public ::testing::TestWithParam<const ops::Entry*> {
 protected:
  const ops::Entry& entry() const { return *GetParam(); }
  Language language;
};

// Counts one comparison of kind `what` for the summary.
void count_case(const char* what, size_t cases = 1);

// Same structure, types and elements; floats within `ulp` units in the last place (0: the same bits, but for NaNs).
void expect_same(const Value& got, const Value& wanted, double ulp = 0);

// The arguments of a sample, "x, (y, z), axis=1", as their texts; keywords are left together with their values.
struct ArgumentText {
  std::string text;
  bool keyword = false;
};
std::vector<ArgumentText> split_arguments(std::string_view text);

// A place in a sample's arguments where a tensor operand stands.
struct OperandText {
  size_t begin, end;  // in `arguments`
  std::string text;
};
std::vector<OperandText> tensor_operands(const ops::Entry& entry, const std::string& arguments, Language& language);
// The arguments with operands replaced by names.
std::string with_names(const std::string& arguments, const std::vector<OperandText>& operands,
                       const std::vector<std::string>& names);

}  // namespace covec::test
