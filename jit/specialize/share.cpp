// Counts each statement once, as it stands in the source, however often a walk has met it. Start at share_of.
#include "jit/specialize/share.hpp"

#include <algorithm>
#include <set>

#include "frontend/core/walk.hpp"
#include "interpreter/compiler.hpp"

namespace covec::jit {

namespace {

size_t count(const core::Stmt& statement);

size_t count(const core::Block& block) {
  size_t sum = 0;
  for (const core::Stmt* statement : block) sum += count(*statement);
  return sum;
}

size_t count(const core::Stmt& statement) {
  size_t sum = 1;
  resolve::each_part(
      statement, [](core::Expr*) {}, [](const core::Target&) {},
      [&](const core::Block& block) { sum += count(block); });
  return sum;
}

size_t count(const core::Function& function) { return function.expression != nullptr ? 1 : count(function.body); }

bool is_loop(const core::Stmt& statement) {
  return statement.kind == core::StmtKind::for_ || statement.kind == core::StmtKind::while_;
}

const core::Function* function_of(const ir::Frame& frame) {
  ClosureParts parts;
  return closure_parts(frame.closure.function(), parts) ? parts.function : nullptr;
}

// Tried on programs (tests/tools/explain_test.py); where several begin a reason, the first counts.
struct Advice {
  std::string_view reason;  // how it begins
  bool of_the_run = true;   // a fact that is known only at run time, not a construct
  std::string_view cure;
};
constexpr Advice cures[] = {
    {"a `try` statement", false, "put the `try` around the call"},
    {"a breakpoint()", false, "remove it to compile the function"},
    {"an import", false, "import at the top of the file"},
    {"a function that calls itself", false, "write it as a loop, or use only numbers"},
    {"a recursive call", false, "write it as a loop"},
    {"a loop over a long list", false, "loop over a tensor: `tensor(xs)`"},
    {"types that change between iterations", false,
     "give the variable the same type before and in the loop: `s = 0.0`, not `s = 0`"},
    {"the type of a value", true, "pass it as an argument, or give it one type on all paths"},
    {"a value whose type", false, "pass it as an argument, or give it one type on all paths; build texts outside"},
    {"a value whose structure", false, "pass it as an argument, or give it one structure on all paths"},
    {"a second derivative through", false,
     "use forward mode for the outer derivative: `jacobian(…, mode=\"forward\")`, `jvp`"},
    {"a collective in the condition of a loop", false,
     "put it into the loop: `while true { if …collective… { break } … }`"},
    {"a derivative of two pullbacks", false,
     "use forward mode for the outer derivative: `jacobian(…, mode=\"forward\")`, `jvp`"},
    {"a condition that differs between examples of", false, "write `where(c, a, b)` for the `if`"},
    {"a condition that may differ between examples of", false, "write `where(c, a, b)` for the `if`"},
    {"the items of a list of trees", false, "use one list for each field"},
    {"an item of a list of trees", false, "use one list for each field"},
    {"the type of an item of a list", true, "use one list for each type"},
    {"a list that grows and shrinks", false, "let the list only grow, and keep a count"},
    {"an active list used in two ways", false, "use only one of the lists"},
    {"a slice of a list of active values", false, "read its items one by one in a loop"},
    {"concat of a list of active values", false, "read its items one by one in a loop"},
    {"stack of a list of active values", false, "write `stack(xs)` and move the axis afterwards"},
    {"the size that reshape infers", true, "give all sizes, without -1"},
    {"whether an axis has size 1", true, "name the axis: `squeeze(x, axis)`"},
    {"new argument types at almost every call", false, "pass tensors, and keep texts and lists outside"},
};
constexpr std::string_view not_known = " is known only at run time";

const Advice* row_of(std::string_view reason) {
  const auto found = std::find_if(std::begin(cures), std::end(cures),
                                  [&](const Advice& row) { return reason.starts_with(row.reason); });
  return found == std::end(cures) ? nullptr : found;
}

}  // namespace

size_t Share::interpreted() const {
  size_t sum = 0;
  for (const LeftOut& part : left_out) sum += part.statements;
  return sum;
}

const LeftOut* Share::worst() const {
  const auto most =
      std::ranges::max_element(left_out, {}, [](const LeftOut& part) { return std::pair(part.loop, part.statements); });
  return most == left_out.end() ? nullptr : &*most;
}

Share share_of(const ir::Graph& graph) {
  Share share;
  std::set<const core::Stmt*> seen;
  std::set<const core::Function*> functions;
  if (!graph.frames.empty()) functions.insert(function_of(graph.frames.front()));
  for (const ir::Graph::Unstaged& unstaged : graph.unstaged) {
    functions.insert(function_of(graph.frames[unstaged.frame]));
    if (!seen.insert(unstaged.statement).second) continue;
    const core::Stmt& statement = *unstaged.statement;
    share.left_out.push_back({statement.span, unstaged.at, unstaged.reason, is_loop(statement), count(statement)});
  }
  for (const core::Function* function : functions) share.statements += function != nullptr ? count(*function) : 0;
  return share;
}

std::string reason_text(std::string_view reason) {
  const Advice* row = row_of(reason);
  const bool names_construct =
      row != nullptr ? !row->of_the_run : reason.starts_with("a ") || reason.starts_with("an ");
  if (names_construct && reason.ends_with(not_known)) reason.remove_suffix(not_known.size());
  return std::string(reason);
}

std::string_view cure_of(std::string_view reason) {
  const Advice* row = row_of(reason);
  return row == nullptr ? std::string_view() : row->cure;
}

}  // namespace covec::jit
