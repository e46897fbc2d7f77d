// Limits of a session: what counts as its memory, and how much work lies between two looks at the interrupt flag.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {
namespace {

std::string code_of(Session& session, const std::string& text) {
  try {
    session.run_text("t", text);
  } catch (const CovecError& error) {
    return std::string(error.diagnostics.at(0).code);
  }
  return "no error";
}

uint64_t used(Session& session) { return session.context().pool->account().used; }

// --- memory ---

// What each of 10,000 values of a kind takes at least, and at most with all that belongs to it.
struct Kind {
  const char* item;
  uint64_t least, most;
};

TEST(SessionMemory, EveryKindOfValueCounts) {
  for (const Kind& kind :
       {Kind{"1.0", 16, 40}, Kind{"str(i)", 60, 160}, Kind{"\"a text that is longer than a word\" + str(i)", 90, 260},
        Kind{"(1, 2)", 90, 220}, Kind{"list(1, 2)", 90, 220}, Kind{"{a: 1, b: 2}", 110, 240}, Kind{"() -> i", 140, 320},
        Kind{"range(i)", 60, 200}, Kind{"zip((1, 2), (3, 4))", 60, 1000}, Kind{"grad(sin)", 140, 400},
        Kind{"[1.0, 2.0]", 64, 300}}) {
    Session session;
    session.run_text("t", "x = 0");
    const uint64_t before = used(session);
    session.run_text("t", std::string("x = list(") + kind.item + " for i in range(10000))");
    const uint64_t each = (used(session) - before) / 10000;
    EXPECT_GE(each, kind.least) << kind.item;
    EXPECT_LE(each, kind.most) << kind.item;
    session.run_text("t", "x = 0");
    EXPECT_LE(used(session), before + 4000) << kind.item;
  }
}

TEST(SessionMemory, LimitsHoldForEveryKind) {
  for (const char* item :
       {"1.0", "\"a\" + str(i)", "(i, i)", "list(i)", "{a: i}", "() -> i", "range(i)", "grad(sin)"}) {
    Session session({.memory_limit = 1 << 20});
    EXPECT_EQ(code_of(session, std::string("x = list(") + item + " for i in range(10^7))"), "out_of_memory") << item;
    EXPECT_LE(session.context().pool->account().peak, 1u << 20) << item;
    EXPECT_EQ(code_of(session, std::string("x = list(") + item + " for i in range(100))"), "no error") << item;
  }
}

// Items on their way into a list or among arguments count, too, and the error says where.
TEST(SessionMemory, ItemsOfARangeCountBeforeTheyAreAList) {
  for (const char* text : {"list(*range(10^10))", "print(*range(10^10))", "x = range(10^10)[::-1]",
                           "a, *b = range(10^10)", "filter(range(10^10), x -> true)", "sort(range(10^10), by=x -> -x)",
                           "x = (*range(10^10), 1)", "for i in range(10^10)[::-1] { break }", "zip(*range(10^10))",
                           "max(*enumerate(range(10^10)))", "stack(*range(10^10))", "x = [*range(10^10)]"}) {
    Session session({.memory_limit = 1 << 20});
    try {
      session.run_text("t", text);
      ADD_FAILURE() << text;
    } catch (const CovecError& error) {
      EXPECT_EQ(error.diagnostics.at(0).code, "out_of_memory") << text;
      ASSERT_FALSE(error.diagnostics.at(0).labels.empty()) << text;
      EXPECT_TRUE(error.diagnostics.at(0).labels[0].span.known()) << text;
    }
    EXPECT_EQ(code_of(session, "x = list(*range(1000))"), "no error") << text;
  }
}

TEST(SessionMemory, ValuesGoBackToTheirOwnSession) {
  Session a, b;
  const uint64_t before = used(a);
  Value value = *a.run_text("t", "list({a: i} for i in range(1000))");
  EXPECT_GT(used(a), before + 100'000);
  b.set_global("x", value);  // sharing is not charged twice
  EXPECT_LT(used(b), before + 100'000);
  value = Value();
  b.set_global("x", Value());
  EXPECT_LE(used(a), before + 4000);
}

TEST(SessionMemory, OutsideOfASessionNothingIsCharged) {
  EXPECT_EQ(Memory::current(), nullptr);
  Session session;
  const uint64_t before = used(session);
  const Value text = make_string(std::string(10000, 'x'));
  EXPECT_EQ(used(session), before);
}

// A tree that holds a part in many places has 2^27 leaves here, each of which a walk visits.
TEST(SessionMemory, WalksOverSharedPartsCount) {
  for (const char* text :
       {"tree_leaves(r)", "tree_map(x -> x, r)", "tree_vector(r)", "str(r)", "f\"{r}\"", "grad(p -> 1.0)(r)",
        "value_and_grad(p -> 1.0)(r)", "jvp(p -> 1.0, (r,), (r,))", "stop_gradient(r)"}) {
    Session session({.memory_limit = 64 << 20});
    session.run_text("t", "r = (1.0, 2.0)\nfor i in range(26) { r = (r, r) }");
    EXPECT_EQ(code_of(session, text), "out_of_memory") << text;
    EXPECT_LE(session.context().pool->account().peak, 64u << 20) << text;
  }
}

// Keys move between room for one row and the result.
TEST(SessionMemory, SortTakesItsResultAndOneRow) {
  for (const char* numbers : {"rand(300000)", "f32(rand(300000))", "randint(0, 2^40, 300000)"}) {
    Session session;
    session.run_text("t", std::string("x = ") + numbers);
    const uint64_t before = used(session);
    session.context().pool->reset_peak();
    session.run_text("t", "y = sort(x)");
    const uint64_t row = 300000 * (std::string_view(numbers).starts_with("f32") ? 4 : 8);
    EXPECT_LE(session.context().pool->account().peak, before + 2 * row + row / 8) << numbers;
  }
}

TEST(SessionMemory, TextsThatAreReadCount) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "x = f(1, [2, 3])[0]\n";
  Session session({.memory_limit = 64 << 20});
  EXPECT_EQ(code_of(session, text), "out_of_memory");
  EXPECT_EQ(code_of(session, "x = 1"), "no error");
}

// 3,000 passes leave 16 kB each and more.
TEST(SessionMemory, GradientsStayWithinTheirBound) {
  const std::string functions =
      "fn counted(x, n) {\n s = x\n for i in range(n) { s = sin(s) * x + 0.5 * s }\n return sum(s) }\n"
      "fn until(x, n) {\n s, i = x, 0\n while i < n { s = sin(s) * x + 0.5 * s\n i += 1 }\n return sum(s) }\n"
      "x = arange(1000.0) / 1000\n";
  for (const char* f : {"counted", "until"}) {
    for (const char* gradient : {"grad(F, memory=\"4 MB\")", "compile(grad(F, memory=\"4 MB\"))"}) {
      Session session;
      session.run_text("t", functions);
      std::string text = gradient;
      text.replace(text.find('F'), 1, f);
      const uint64_t before = used(session);
      session.context().pool->reset_peak();
      session.run_text("t", "g = " + text + "\nprint(all(g(x, 3000) == g(x, 3000)))");
      EXPECT_LE(session.context().pool->account().peak, before + 5000000) << text;
      session.run_text("t", std::string("assert all(g(x, 3000) == grad(") + f + ")(x, 3000))");
      EXPECT_GE(session.context().pool->account().peak, before + 40000000) << f;
    }
  }
}

// --- interrupts ---

constexpr int64_t max_between_polls = 30'000'000;  // element operations

// Its operations: at least so many, for n = 2^23.
struct Work {
  const char* text;
  int64_t operations;
};

TEST(SessionInterrupts, LooksLieCloseTogether) {
  constexpr int64_t n = int64_t{1} << 23, side = 1200;
  const Work all[] = {
      {"sort(x)", 8 * n},
      {"argsort(x)", 8 * n},
      {"topk(x, 10)", 4 * n},
      {"unique(x)", 9 * n},
      {"sum(x)", n},
      {"cumsum(x)", n},
      {"cumprod(m, axis=0)", n},
      {"argmax(x)", n},
      {"exp(x)", 20 * n},
      {"a @ a", side * side * side},
      {"x @ x", 0},
      {"m @ m[0]", n},
      {"randint(0, 10, 8388608)", n},
      {"permutation(8388608)", n},
      {"linspace(0, 1, 8388608)", n},
      {"arange(8388608)", n},
      {"searchsorted(x[:1000], x)", 10 * n},
      {"std(x)", 4 * n},
      {"conv1d(reshape(x, 1, 8388608), ones(1, 1, 16))", 16 * n},
      {"x[::-1] + x", n},
      {"where(x > 0.5, x, -x)", 3 * n},
      {"max(m, axis=0)", n},
      {"sort(m, axis=0)", 8 * n},
  };
  for (const unsigned threads : {1u, 3u}) {
    Session session({.threads = threads});
    session.run_text("t", "x = rand(8388608)\nm = reshape(x, 2048, 4096)\na = rand(1200, 1200)");
    for (const Work& work : all) {
      const uint64_t before = session.context().polls;
      session.run_text("t", std::string("y = ") + work.text);
      EXPECT_GE(static_cast<int64_t>(session.context().polls - before), work.operations / max_between_polls)
          << work.text << " on " << threads << " threads";
    }
  }
}

TEST(SessionInterrupts, OneThatComesLateIsNotMeantForTheNextRun) {
  Session session;
  session.run_text("t", "x = rand(1000)");
  session.interrupt();
  EXPECT_EQ(code_of(session, "while len(x) < 10 { }\ny = sum(sort(x))"), "no error");
  EXPECT_FALSE(session.interrupted());
}

// Wherever it comes, the run ends with the error, and what it was about to make is not seen.
TEST(SessionInterrupts, LargeOperationsEnd) {
  Session session({.threads = 2});
  session.run_text("t", "x = rand(2^22)\na = rand(700, 700)");
  for (const char* text :
       {"sort(x)", "argsort(x)", "a @ a", "cumsum(x)", "topk(x, 5)", "unique(x)", "permutation(2^21)", "sum(x)",
        "conv1d(x[newaxis], ones(1, 1, 50))", "timeit(compile(() -> 1), seconds=1000)"}) {
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      session.interrupt();
    });
    EXPECT_EQ(code_of(session, std::string("y = 1\nwhile true { y = ") + text + " }"), "interrupted") << text;
    other.join();
    EXPECT_FALSE(session.interrupted());
  }
}

}  // namespace
}  // namespace covec
