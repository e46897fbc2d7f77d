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

// Tried on programs (tests/language/explained.covec); where several begin a reason, the first counts.
struct Advice {
  std::string_view reason;  // how it begins
  bool of_the_run = true;   // known when the function runs, not before
  std::string_view cure;
};
constexpr Advice cures[] = {
    {"an error that is caught", false, "put the `try` around the call"},
    {"an import", false, "import at the head of the file"},
    {"a function that calls itself", false, "write it as a loop, or of numbers alone"},
    {"a recursive call", false, "write it as a loop"},
    {"a loop over a long list", false, "loop over a tensor: `tensor(xs)`"},
    {"types that change from one iteration to the next", false,
     "give the variable before the loop the type that it has after an iteration: `s = 0.0`, not `s = 0`"},
    {"the type of a value", true, "give it as an argument, or one type on all paths"},
    {"a value whose type", false, "give it as an argument, or one type on all paths; put text together elsewhere"},
    {"a value whose structure", false, "give it as an argument, or one structure on all paths"},
    {"a second derivative through", false, "take the outer derivative forward: `jacobian(…, mode=\"forward\")`, `jvp`"},
    {"a derivative of one taken back twice", false,
     "take the outer derivative forward: `jacobian(…, mode=\"forward\")`, `jvp`"},
    {"which way each example", true, "write `where(c, a, b)` for the `if`"},
    {"whether examples of", true, "write `where(c, a, b)` for the `if`"},
    {"what a list of trees", false, "keep a list for each field"},
    {"an item of a list of trees", false, "keep a list for each field"},
    {"the type of an item of a list", true, "keep a list for each type"},
    {"a list that grows and shrinks", false, "count beside a list that only grows"},
    {"a list that goes on in two ways", false, "go on with one of the lists"},
    {"a slice of a list of active values", false, "take its items one by one in a loop"},
    {"concat of a list of active values", false, "take its items one by one in a loop"},
    {"stack of a list of active values", false, "write `stack(xs)`, and move the axis then"},
    {"the size that reshape leaves", true, "give all sizes, none of them -1"},
    {"whether an axis has size 1", true, "name the axis: `squeeze(x, axis)`"},
    {"new argument types at almost each call", false, "give it tensors, and keep texts and lists outside"},
};
constexpr std::string_view not_known = " is not known before the run";

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
  if (row != nullptr && !row->of_the_run && reason.ends_with(not_known)) reason.remove_suffix(not_known.size());
  return std::string(reason);
}

std::string_view cure_of(std::string_view reason) {
  const Advice* row = row_of(reason);
  return row == nullptr ? std::string_view() : row->cure;
}

}  // namespace covec::jit
