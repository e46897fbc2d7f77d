// Last uses (`!` after a name in the dump) and definite assignment (`?` where a read may find no value).
#include <gtest/gtest.h>

#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

// The dump of one function's body, without the lines around it.
std::string body(const std::string& parameters, const std::string& text) {
  std::string dump = core_of("fn f(" + parameters + ") {\n" + text + "\n}");
  size_t begin = dump.find("{\n") + 2, end = dump.rfind("\n}");
  std::string out = dump.substr(begin, end - begin), line;
  std::string joined;
  for (size_t i = 0; i < out.size(); ++i) {
    if (i == 0 || out[i - 1] == '\n') {
      while (i < out.size() && out[i] == ' ') ++i;
    }
    joined += out[i];
  }
  return joined;
}

TEST(Liveness, TheLastReadOfAnExpressionIsMarked) {
  EXPECT_EQ(body("x", "return update(x, x)"), "(return (update x$0 x$0!))");
  EXPECT_EQ(body("x", "y = x + x * x\nreturn y"), "(= y$1 (+ x$0 (* x$0 x$0!)))\n(return y$1!)");
  EXPECT_EQ(body("x", "return x"), "(return x$0!)");
  EXPECT_EQ(body("f, x", "return f(x, x)"), "(return (call f$0! x$1 x$1!))");
}

TEST(Liveness, AnAssignedNameIsDeadBefore) {
  EXPECT_EQ(body("a, b", "a = update(a, b)\nreturn a"), "(= a$0 (update a$0! b$1!))\n(return a$0!)");
  EXPECT_EQ(body("a", "b = a\na = 3\nreturn b"), "(= b$1 a$0!)\n(= a$0 3)\n(return b$1!)");
}

TEST(Liveness, ALoopReadsAgain) {
  EXPECT_EQ(body("a, n", "for i in n {\n print(a)\n}"), "(for i$2 in n$1! {\n(print a$0)\n})");
  EXPECT_EQ(body("a, n", "while n {\n n = update(n, a)\n}"), "(while n$1 {\n(= n$1 (update n$1! a$0))\n})");
  EXPECT_EQ(
      body("a, n", "for i in n {\n row = a[i]\n a[i] = relu(row)\n}\nreturn a"),
      "(for i$2 in n$1! {\n(= row$3 (index a$0 i$2))\n(update (path a$0 [ i$2! ]) (relu row$3!))\n})\n(return a$0!)");
  EXPECT_EQ(body("a, n", "for i in n {\n a = update(a, i)\n}\nreturn a"),
            "(for i$2 in n$1! {\n(= a$0 (update a$0! i$2!))\n})\n(return a$0!)");
}

TEST(Liveness, ALoopsVariableLivesOn) {
  EXPECT_EQ(body("n", "for i in n {\n print(i)\n}\nreturn i"), "(for i$1 in n$0! {\n(print i$1)\n})\n(return i$1!?)");
}

TEST(Liveness, NestedLoops) {
  EXPECT_EQ(body("a, n", "for i in n {\n b = a\n for j in n {\n  b = update(b, j)\n }\n print(b)\n}"),
            "(for i$2 in n$1 {\n(= b$3 a$0)\n(for j$4 in n$1 {\n(= b$3 (update b$3! j$4!))\n})\n(print b$3!)\n})");
}

TEST(Liveness, BreakAndContinue) {
  EXPECT_EQ(body("a, n", "while n {\n if n {\n  break\n }\n n = relu(a)\n a = 1\n}\nreturn a"),
            "(while n$1 {\n(if n$1! {\n(break)\n})\n(= n$1 (relu a$0!))\n(= a$0 1)\n})\n(return a$0!)");
  EXPECT_EQ(body("a, n", "while n {\n if n {\n  continue\n }\n print(a)\n}"),
            "(while n$1 {\n(if n$1 {\n(continue)\n})\n(print a$0)\n})");
  EXPECT_EQ(body("a, n", "while n {\n b = a\n if n {\n  a = relu(b)\n  continue\n }\n return b\n}"),
            "(while n$1 {\n(= b$2 a$0!)\n(if n$1 {\n(= a$0 (relu b$2!))\n(continue)\n})\n(return b$2!)\n})");
}

TEST(Liveness, Branches) {
  EXPECT_EQ(body("a, c", "if c {\n b = relu(a)\n} else {\n b = a\n}\nreturn b"),
            "(if c$1! {\n(= b$2 (relu a$0!))\n} else {\n(= b$2 a$0!)\n})\n(return b$2!)");
  EXPECT_EQ(body("a, c", "if c {\n print(a)\n}\nreturn a"), "(if c$1! {\n(print a$0)\n})\n(return a$0!)");
  EXPECT_EQ(body("a, c", "if c {\n return relu(a)\n}\nreturn a"),
            "(if c$1! {\n(return (relu a$0!))\n})\n(return a$0!)");
  EXPECT_EQ(body("a, c", "return a if c else relu(a)"), "(return (if c$1! a$0! (relu a$0!)))");
  EXPECT_EQ(body("a, c", "return update(a if c else 1, a)"), "(return (update (if c$1! a$0 1) a$0!))");
  EXPECT_EQ(body("a, c", "return c and a and c"), "(return (and (and c$1 a$0!) c$1!))");
}

TEST(Liveness, ComprehensionsNeverMarkWhatIsOutside) {
  EXPECT_EQ(body("a, n", "return [a + i for i in n]"), "(return (each (i$2 in n$1!) (+ a$0 i$2)))");
  EXPECT_EQ(body("a, n", "return update([a for i in n], a)"), "(return (update (each (i$2 in n$1!) a$0) a$0!))");
  EXPECT_EQ(body("a", "return [a[i] for i]"), "(return (each (i$1 of a$0 axis 0) (index a$0 i$1)))");
  EXPECT_EQ(body("n", "return [n for i in n]"), "(return (each (i$1 in n$0) n$0))");
}

TEST(Liveness, ACaptureIsAUse) {
  EXPECT_EQ(body("a", "print(a)\ng = x -> x + a\nreturn g"),
            "(print a$0)\n(= g$1 (closure a$0 (fn _ (x) captures a (+ x$0! a^0))))\n(return g$1!)");
}

TEST(Liveness, UpdatesUseTheirRoot) {
  EXPECT_EQ(body("a", "a[0] = relu(a)\nreturn a"), "(update (path a$0 [ 0 ]) (relu a$0))\n(return a$0!)");
  EXPECT_EQ(body("a, b", "a += b\nreturn a"), "(update + a$0 b$1!)\n(return a$0!)");
  EXPECT_EQ(body("a, b", "a.push(b)\na.push(a)\nreturn a"), "(push a$0 b$1!)\n(push a$0 a$0)\n(return a$0!)");
  EXPECT_EQ(body("a, i", "a[i] = i\nreturn a"), "(update (path a$0 [ i$1! ]) i$1)\n(return a$0!)");
}

TEST(Liveness, DestructuringBindsAfterItsValue) {
  EXPECT_EQ(body("a, b", "a, b = b, a\nreturn a"), "(destructure (tuple a$0 b$1) (tuple b$1! a$0!))\n(return a$0!)");
  EXPECT_EQ(body("a, b", "a, b[0] = b, a\nreturn b"),
            "(destructure (tuple a$0 (path b$1 [ 0 ])) (tuple b$1 a$0!))\n(return b$1!)");
}

TEST(Liveness, OperandsOutOfOrderAreLeftAlone) {
  EXPECT_EQ(body("a", "return update(i=a, x=relu(a))"), "(return (update (relu a$0) a$0))");
  EXPECT_EQ(body("a", "return print(a, digits=a)"), "(return (print a$0 (= digits a$0)))");
  EXPECT_EQ(body("a", "return update(x=relu(a), i=a)"), "(return (update (relu a$0) a$0!))");
}

TEST(Liveness, TheResultsAnnotationReadsAtTheEnd) {
  std::string dump = core_of("fn f(n, x: f64[n]) -> f64[n] {\n n = relu(n)\n return update(x, n)\n}");
  EXPECT_NE(dump.find("(return (update x$1! n$0))"), std::string::npos) << dump;
}

TEST(Liveness, TheTemporaryOfAChainIsReadOnce) {
  EXPECT_EQ(body("a, b", "return a < relu(b) < a"), "(return (& (< a$0 (bind tmp$2 (relu b$1!))) (< tmp$2! a$0!)))");
  EXPECT_EQ(body("a, b", "return 0 < a < 1"), "(return (& (< 0 a$0) (< a$0! 1)))");
}

// --- module-level code ---

TEST(GlobalLiveness, OnlyWhatTheStatementAssigns) {
  EXPECT_EQ(core_of("a = 1\na = update(a, 1)"), "(= a@0 1)\n(= a@0 (update @0! 1))");
  EXPECT_EQ(core_of("a = 1\na = update(a, a)"), "(= a@0 1)\n(= a@0 (update @0 @0!))");
  EXPECT_EQ(core_of("a = 1\nb = update(a, 1)"), "(= a@0 1)\n(= b@1 (update @0 1))");
  EXPECT_EQ(core_of("a = 1; b = 2\na, b = b, a"),
            "(= a@0 1)\n(= b@1 2)\n(destructure (tuple a@0 b@1) (tuple @1! @0!))");
  EXPECT_EQ(core_of("a = 1\nfor i in range(3) { a = update(a, i) }"),
            "(= a@0 1)\n(for i@1 in (range 3 _ _) {\n  (= a@0 (update @0! @1))\n})");
}

TEST(GlobalLiveness, NotWhatAFunctionReads) {
  EXPECT_EQ(core_of("a = 1\na = update(a, 1)\nfn f() = a"),
            "(= a@0 1)\n(= a@0 (update @0 1))\n(= f@1 (closure (fn f () @0)))");
}

TEST(GlobalLiveness, NotInComprehensionsNorUpdates) {
  EXPECT_EQ(core_of("a = 1\na = update(a, [a for i in range(3)])"),
            "(= a@0 1)\n(= a@0 (update @0 (each (i$0 in (range 3 _ _)) @0)))");
  EXPECT_EQ(core_of("a = 1\na += relu(a)"), "(= a@0 1)\n(update + a@0 (relu @0))");
  EXPECT_EQ(core_of("a = 1; b = 1\na, b[0] = b, a"),
            "(= a@0 1)\n(= b@1 1)\n(destructure (tuple a@0 (path b@1 [ 0 ])) (tuple @1 @0))");
}

TEST(GlobalLiveness, NotInASession) {
  Session session;
  session.compile("a = 1", TextForm::input);
  EXPECT_EQ(dump_core(*session.compile("a = update(a, 1)", TextForm::input)), "(= a@0 (update @0 1))\n");
}

// --- definite assignment ---

TEST(Definite, OnOnePathOnly) {
  EXPECT_EQ(body("c", "if c { x = 1 }\nreturn x"), "(if c$0! {\n(= x$1 1)\n})\n(return x$1!?)");
  EXPECT_EQ(body("c", "if c { x = 1 } else { x = 2 }\nreturn x"),
            "(if c$0! {\n(= x$1 1)\n} else {\n(= x$1 2)\n})\n(return x$1!)");
  EXPECT_EQ(body("c", "if c { x = 1 } else { return 2 }\nreturn x"),
            "(if c$0! {\n(= x$1 1)\n} else {\n(return 2)\n})\n(return x$1!)");
  EXPECT_EQ(body("c", "if c { x = 1 } else if c { x = 2 } else if c { x = 3 } else { x = 4 }\nreturn x").find('?'),
            std::string::npos);
  EXPECT_NE(body("c", "if c { x = 1 } else if c { x = 2 } else if c { x = 3 }\nreturn x").find("x$1!?"),
            std::string::npos);
}

TEST(Definite, Loops) {
  EXPECT_NE(body("c", "while c { x = 1 }\nreturn x").find("x$1!?"), std::string::npos);
  EXPECT_EQ(body("c", "while c { x = 1\n print(x) }").find("?"), std::string::npos);
  EXPECT_NE(body("c", "while c { print(x)\n x = 1 }").find("(print x$1!?)"), std::string::npos);
  EXPECT_EQ(body("c", "for i in c { if i { continue } else { x = 1 }\n print(x) }").find("?"), std::string::npos);
}

TEST(Definite, UseBeforeAssignment) {
  EXPECT_NE(body("", "print(x)\nx = 1").find("(print x$0!?)"), std::string::npos);
  EXPECT_EQ(body("x: f64[n]", "return n").find("?"), std::string::npos);
}

}  // namespace
}  // namespace covec::testing
