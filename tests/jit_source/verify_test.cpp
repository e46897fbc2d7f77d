// What verify() refuses, and what print() shows.
#include <gtest/gtest.h>

#include "tests/jit_source/programs.hpp"

namespace {

using namespace covec;
using namespace covec::tests;
using loops::Program;  // there is a covec::Program, too

void refuses(const Program& program, const char* part) {
  const std::string wrong = loops::verify(program);
  EXPECT_NE(wrong.find(part), std::string::npos) << "says: " << wrong;
}
void refuses(const Kernel& kernel, const char* part) { refuses(Program{{"f", {}, {}, {}}, {kernel}}, part); }

TEST(Verify, KernelsUseOnlyWhatIsMade) {
  KernelMaker later;
  later.output(later.scalar(ScalarOp::add, Dtype::f64, 0, 1));
  refuses(later.kernel, "not made before");
  KernelMaker dtypes;
  const uint32_t x = dtypes.load(Dtype::f64), n = dtypes.load(Dtype::i64);
  dtypes.scalar(ScalarOp::add, Dtype::f64, x, n);
  refuses(dtypes.kernel, "add of f64 i64 cannot give f64");
  KernelMaker outside;
  const uint32_t c = outside.load(Dtype::boolean);
  outside.rare(c);
  const uint32_t inner = outside.scalar(ScalarOp::bit_not, Dtype::boolean, c);
  outside.end_rare(Dtype::boolean, c, inner, c);
  outside.output(inner);
  refuses(outside.kernel, "an output is no value");
  KernelMaker alone;
  alone.rare_result(Dtype::boolean, alone.load(Dtype::boolean), 0, 0);
  refuses(alone.kernel, "rare_result without end_rare");
  KernelMaker open;
  open.rare(open.load(Dtype::boolean));
  refuses(open.kernel, "not closed");
}

TEST(Verify, RegistersAreWrittenOnEveryPath) {
  CodeMaker f;
  const auto c = f.reg(Dtype::boolean, "c"), x = f.reg(Dtype::f64, "x");
  f.load(0, c);
  f.put(instruction::If{c});
  f.constant(x, 0);
  f.put(instruction::EndIf{});
  CodeMaker both = f;
  f.store(1, x);
  refuses(f.program, "x) is read before");
  both.program.code.instructions.pop_back();
  both.put(instruction::Else{});
  both.put(instruction::Leave{});
  both.put(instruction::EndIf{});
  both.store(1, x);
  EXPECT_EQ(loops::verify(both.program), "");
}

TEST(Verify, LoopsGiveWhatWasWrittenWhereTheyAreLeft) {
  const auto loop = [](bool before) {
    CodeMaker f;
    const auto c = f.reg(Dtype::boolean), x = f.reg(Dtype::i64);
    f.load(0, c);
    f.put(instruction::Loop{});
    if (before) f.constant(x, 1);
    f.put(instruction::BreakIf{c});
    f.constant(x, 2);
    f.put(instruction::EndLoop{});
    f.store(1, x);
    return f.program;
  };
  EXPECT_EQ(loops::verify(loop(true)), "");
  refuses(loop(false), "is read before");
}

TEST(Verify, BlocksNest) {
  using namespace instruction;
  const auto of = [](std::vector<Instruction> instructions) {
    CodeMaker f;
    f.constant(f.reg(Dtype::boolean), 1);  // register 0: the condition of them all
    for (const Instruction& i : instructions) f.put(i);
    return f.program;
  };
  refuses(of({Loop{}}), "not closed");
  refuses(of({EndIf{}}), "without if");
  refuses(of({Loop{}, EndIf{}}), "without if");
  refuses(of({If{}, EndLoop{}}), "without loop");
  refuses(of({If{}, Else{}, Else{}}), "without if");
  refuses(of({BreakIf{}}), "outside a loop");
  EXPECT_EQ(loops::verify(of({Loop{}, If{}, BreakUnless{}, EndIf{}, EndLoop{}})), "");
}

TEST(Print, ShowsNamesAndNesting) {
  CodeMaker f;
  const auto c = f.reg(Dtype::boolean, "more"), x = f.reg(Dtype::f64, "x");
  f.load(0, c);
  f.constant(x, 0x3ff8000000000000);
  f.put(instruction::If{c});
  f.scalar(ScalarOp::add, x, x, x);
  f.put(instruction::EndIf{});
  KernelMaker k;
  k.kernel.name = "f_kernel0";
  k.output(k.load(Dtype::f64, true));
  f.program.kernels.push_back(k.kernel);
  EXPECT_EQ(loops::print(f.program),
            "code f\n"
            "  registers: more.0 bool, x.1 f64\n"
            "    0  more.0 = slot0\n"
            "    1  x.1 = 1.5 (0x3ff8000000000000)\n"
            "    2  if more.0\n"
            "    3    x.1 = add x.1, x.1\n"
            "    4  end_if\n"
            "\n"
            "kernel f_kernel0\n"
            "  input 0: f64, uniform\n"
            "  v0: f64 = load input 0\n"
            "  output 0: f64 = v0\n");
}

}  // namespace
