// The codes that the last calls of a function used.
#include <gtest/gtest.h>

#include "jit/compiler/compiled.hpp"

namespace covec::jit {
namespace {

// Also after the table has changed, when all codes before mean nothing.
TEST(LastCodes, AreFoundAgain) {
  Specialization none, one;
  none.guard.comparable = one.guard.comparable = true;
  one.guard.arguments = 1;
  LastCalls last;
  for (uint64_t generation = 1; generation < 9; ++generation) {
    EXPECT_EQ(last.find({}, generation), nullptr);
    last.add(none, generation);
    EXPECT_EQ(last.find({}, generation), &none) << generation;
    last.add(one, generation);
    EXPECT_EQ(last.find({}, generation), &none);
    EXPECT_EQ(last.made, &one);
  }
}

// Where the compiler fails after it has been settled that the code makes all calls, there is no code to run.
TEST(Interpreted, HasNoCodeThatMakesAllCalls) {
  Specialization made;
  made.stays_code = true;
  made.interpret("the compiler has failed");
  EXPECT_TRUE(made.interpreted);
  EXPECT_FALSE(made.stays_code);
}

}  // namespace
}  // namespace covec::jit
