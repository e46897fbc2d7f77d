// What a session says in a build that has only the baseline's kernels (cmake -DCOVEC_ISAS=baseline). interpreter.cmake
// compiles isa.cpp with such a list for this program, and the linker takes it instead of the library's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "interpreter/session/session.hpp"
#include "stdlib/ops/contract/isa.hpp"

namespace covec {
namespace {

class MissingIsas : public testing::Test {
 protected:
  ~MissingIsas() override { unsetenv("COVEC_ISA"); }
};

TEST_F(MissingIsas, AreAnError) {
  for (const std::string name : {"avx2", "avx512"}) {
    setenv("COVEC_ISA", name.c_str(), 1);
    try {
      Session session;
      FAIL() << name;
    } catch (const CovecError& error) {
      EXPECT_EQ(error.diagnostics.at(0).code, "isa_not_built");
      EXPECT_EQ(error.diagnostics.at(0).message, "COVEC_ISA=" + name + ": this build has kernels for baseline only");
    }
  }
}

TEST_F(MissingIsas, AreNotAskedForByOtherWords) {
  for (const char* word : {"", "baseline", "neon", "AVX2"}) {
    setenv("COVEC_ISA", word, 1);
    EXPECT_EQ(Session().context().isa, ops::Isa::baseline) << word;
  }
  unsetenv("COVEC_ISA");
  EXPECT_EQ(Session().context().isa, ops::Isa::baseline);
}

TEST_F(MissingIsas, AreNotLookedForWhereTheEnvironmentDoesNotCount) {
  setenv("COVEC_ISA", "avx2", 1);
  EXPECT_EQ(Session({.use_environment = false}).context().isa, ops::Isa::baseline);
}

}  // namespace
}  // namespace covec
