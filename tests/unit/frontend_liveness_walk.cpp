// Last uses and definedness against a model: random functions are walked along random paths (conditions by coin, loops
// a few times), with each slot in one of three states. A read of a slot whose value was moved out, or an unchecked read
// of one that has none, is a wrong mark.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "frontend/core/walk.hpp"
#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

using namespace core;

// --- random programs ---

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string function() {
    std::string out = "fn f(a, b, c) {\n";
    for (int i = 0; i < 6; ++i) out += statement(0);
    return out + "}\n";
  }

 private:
  uint32_t below(uint32_t n) { return random_() % n; }
  std::string name() { return std::string(1, "abcde"[below(5)]); }

  std::string expression(int depth) {
    if (depth > 2) return name();
    auto e = [&] { return expression(depth + 1); };
    switch (below(14)) {
      case 0: return e() + " + " + e();
      case 1: return "update(" + e() + ", " + e() + ")";
      case 2: return "update(i=" + e() + ", x=" + e() + ")";
      case 3: return "(" + e() + " if " + e() + " else " + e() + ")";
      case 4: return "(" + e() + " and " + e() + ")";
      case 5: return "[" + e() + " for k in " + e() + "]";
      case 6: return name() + "[" + e() + "]";
      case 7: return "(0 < relu(" + e() + ") < " + e() + ")";
      case 8: return "(z -> z + " + e() + ")";
      case 9: return "{p: " + e() + ", q: " + e() + "}";
      case 10: return name() + ".sum(" + e() + ")";
      case 11: return name() + "(" + e() + ", k=" + e() + ")";
      default: return name();
    }
  }

  std::string block(int depth) {
    std::string out = "{\n";
    uint32_t n = 1 + below(3);
    for (uint32_t i = 0; i < n; ++i) out += statement(depth + 1);
    return out + "}";
  }

  std::string statement(int depth) {
    uint32_t kinds = depth < 3 ? 13 : 7;
    switch (below(kinds)) {
      case 0: return name() + "[" + expression(1) + "] = " + expression(0) + "\n";
      case 1: return name() + " += " + expression(0) + "\n";
      case 2: return name() + ".push(" + expression(0) + ")\n";
      case 3: return name() + ", " + name() + " = " + expression(0) + ", " + expression(0) + "\n";
      case 4: return "print(" + expression(0) + ")\n";
      case 7: return "if " + expression(1) + " " + block(depth) + " else " + block(depth) + "\n";
      case 8:
        return "if " + expression(1) + " " + block(depth) + " else if " + expression(1) + " " + block(depth) + "\n";
      case 9: return loop("for " + name() + " in " + expression(1) + " ", depth);
      case 10: return loop("while " + expression(1) + " ", depth);
      case 11: return depth > 0 ? "return " + expression(0) + "\n" : "assert " + expression(1) + "\n";
      case 12: return loops_ > 0 ? (below(2) ? "break\n" : "continue\n") : "fn d() = " + expression(1) + "\n";
      default: return name() + " = " + expression(0) + "\n";
    }
  }

  std::string loop(const std::string& head, int depth) {
    ++loops_;
    std::string out = head + block(depth) + "\n";
    --loops_;
    return out;
  }

  std::mt19937 random_;
  int loops_ = 0;
};

// --- the model ---

enum class State : uint8_t { none, held, moved };
enum class Exit : uint8_t { fell, broke, continued, returned };

class Walk {
 public:
  Walk(const Function& function, uint32_t seed) : states_(function.slots, State::none), random_(seed) {
    for (size_t i = 0; i < function.parameters.size(); ++i) states_[i] = State::held;
    block(function.body);
  }
  bool wrong() const { return wrong_; }

 private:
  bool coin() { return random_() % 2 == 0; }

  // A checked read of nothing is the program's own error: the walk goes on as if it had a value.
  void read(const Local& local) {
    State& state = states_[local.slot];
    if (state == State::moved || (state == State::none && !local.may_be_unbound)) wrong_ = true;
    state = local.last_use ? State::moved : State::held;
  }
  void use(uint32_t slot) {
    if (states_[slot] == State::moved) wrong_ = true;
  }

  void expr(Expr* e) {
    if (e == nullptr) return;
    switch (e->kind) {
      case ExprKind::local: return read(*static_cast<Local*>(e));
      case ExprKind::select: {
        auto* s = static_cast<Select*>(e);
        expr(s->condition);
        return expr(coin() ? s->then : s->otherwise);
      }
      case ExprKind::bind:
        expr(static_cast<Bind*>(e)->value);
        states_[static_cast<Bind*>(e)->slot] = State::held;
        return;
      case ExprKind::make_closure:
        for (const CaptureSource& source : static_cast<MakeClosure*>(e)->captures) {
          if (source.from == CaptureSource::From::local) use(source.index);
        }
        return;
      case ExprKind::map_index: return map_index(*static_cast<MapIndex*>(e));
      case ExprKind::op: return op(*static_cast<Op*>(e));
      default: resolve::each_operand(e, [&](Expr* operand) { expr(operand); });
    }
  }

  // Arguments by name out of order: by the declaration or as written.
  void op(const Op& op) {
    std::vector<Expr*> operands;
    for (Expr* a : op.args) {
      if (a != nullptr) operands.push_back(a);
    }
    auto written = [](const Expr* a, const Expr* b) { return a->span.begin < b->span.begin; };
    if (coin()) std::sort(operands.begin(), operands.end(), written);
    for (Expr* a : op.rest) expr(a);
    for (Expr* a : operands) expr(a);
  }

  void map_index(const MapIndex& m) {
    for (const Clause& clause : m.clauses) {
      expr(clause.range);
      for (const InferredExtent& extent : clause.inferred) expr(extent.tensor);
      states_[clause.target->slot.index] = State::held;
    }
    for (uint32_t n = random_() % 3; n > 0; --n) expr(m.body);
  }

  void target(const Target* t) {
    for (const Target* part : t->parts) target(part);
    if (t->kind == Target::Kind::tuple) return;
    for (const PathStep& step : t->steps) {
      resolve::each_index_part(step.items, [&](Expr* e) { expr(e); });
    }
    if (!t->steps.empty()) use(t->slot.index);
    states_[t->slot.index] = State::held;
  }

  // An update without steps reads its root as well.
  void update(const Target* t) {
    for (const PathStep& step : t->steps) {
      resolve::each_index_part(step.items, [&](Expr* e) { expr(e); });
    }
    use(t->slot.index);
    states_[t->slot.index] = State::held;
  }

  Exit block(const Block& body) {
    for (Stmt* s : body) {
      Exit exit = statement(s);
      if (exit != Exit::fell) return exit;
    }
    return Exit::fell;
  }

  Exit statement(Stmt* s) {
    switch (s->kind) {
      case StmtKind::evaluate: expr(static_cast<Evaluate*>(s)->value); return Exit::fell;
      case StmtKind::assign:
        expr(static_cast<Assign*>(s)->value);
        states_[static_cast<Assign*>(s)->slot.index] = State::held;
        return Exit::fell;
      case StmtKind::update_path:
        expr(static_cast<UpdatePath*>(s)->value);
        update(static_cast<UpdatePath*>(s)->target);
        return Exit::fell;
      case StmtKind::push:
        expr(static_cast<Push*>(s)->value);
        update(static_cast<Push*>(s)->target);
        return Exit::fell;
      case StmtKind::destructure:
        expr(static_cast<Destructure*>(s)->value);
        target(static_cast<Destructure*>(s)->target);
        return Exit::fell;
      case StmtKind::if_: {
        auto* i = static_cast<If*>(s);
        expr(i->condition);
        return block(coin() ? i->then : i->otherwise);
      }
      case StmtKind::while_: {
        auto* w = static_cast<While*>(s);
        return loop([&] { expr(w->condition); }, w->body);
      }
      case StmtKind::for_: {
        auto* f = static_cast<For*>(s);
        expr(f->iterable);
        return loop([] {}, f->body, f->target);
      }
      case StmtKind::break_: return Exit::broke;
      case StmtKind::continue_: return Exit::continued;
      case StmtKind::return_: expr(static_cast<Return*>(s)->value); return Exit::returned;
      case StmtKind::assert_: expr(static_cast<Assert*>(s)->condition); return Exit::fell;
      default: return Exit::fell;
    }
  }

  template <class Head>
  Exit loop(Head head, const Block& body, const Target* bound = nullptr) {
    for (uint32_t n = random_() % 4;; --n) {
      head();
      if (n == 0) return Exit::fell;
      if (bound != nullptr) target(bound);
      Exit exit = block(body);
      if (exit == Exit::returned) return exit;
      if (exit == Exit::broke) return Exit::fell;
    }
  }

  std::vector<State> states_;
  std::mt19937 random_;
  bool wrong_ = false;
};

TEST(LivenessWalk, NoPathReadsWhatWasMoved) {
  size_t checked = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    std::string text = Generator(seed).function();
    Session session;
    Unit* unit = nullptr;
    try {
      unit = session.compile(text);
    } catch (const CovecError&) {
      // Names that are only ever updated, or never assigned, are the program's own errors.
      continue;
    }
    ++checked;
    const Function& function = *static_cast<MakeClosure*>(static_cast<Assign*>(unit->body[0])->value)->function;
    for (uint32_t path = 0; path < 50; ++path) {
      ASSERT_FALSE(Walk(function, seed * 1000 + path).wrong()) << text << "\n" << dump_core(*unit);
    }
  }
  EXPECT_GT(checked, 100u);
}

// The model itself finds a wrong mark.
TEST(LivenessWalk, TheModelObjectsToAWrongMark) {
  Session session;
  Unit* unit = session.compile("fn f(a, b, c) {\n while b {\n print(a)\n }\n return c\n}");
  const Function& function = *static_cast<MakeClosure*>(static_cast<Assign*>(unit->body[0])->value)->function;
  auto* loop = static_cast<While*>(function.body[0]);
  auto* print = static_cast<Op*>(static_cast<Evaluate*>(loop->body[0])->value);
  static_cast<Local*>(print->rest[0])->last_use = true;
  bool found = false;
  for (uint32_t path = 0; path < 50; ++path) found = found || Walk(function, path).wrong();
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace covec::testing
