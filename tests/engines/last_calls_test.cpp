// The codes that the last calls of a function used, and what a compiler that has failed leaves.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
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

// A defect that shows while a function is compiled.
struct Broken final : Callable {
  Broken() : Callable(CallableKind::transformed) {}
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view>) override {
    if (!builder.is_eager()) throw std::logic_error("what must not be");
    return args[0];
  }
  std::string name() const override { return "broken"; }
  std::string staging_key() const override { return "broken"; }
  std::vector<std::string_view> parameter_names() const override { return {"x"}; }
};

// Where everything is to be compiled, a defect is an error, of each call.
TEST(FailedCompilation, LeavesNothingToTheNextCall) {
  setenv("COVEC_ENGINE", "compiled", 1);
  SessionOptions options;
  options.make_compiler = make_compiler;
  Session session(std::move(options));
  setenv("COVEC_ENGINE", "", 1);
  session.set_global("broken", Value::adopt(new Broken));
  session.run_text("t", "f = compile(broken)");
  for (int call = 0; call < 3; ++call) {
    try {
      session.run_text("t", "f(1.0)");
      ADD_FAILURE() << call;
    } catch (const CovecError& error) {
      EXPECT_EQ(error.diagnostics.front().code, "internal") << call;
    }
  }
}

}  // namespace
}  // namespace covec::jit
