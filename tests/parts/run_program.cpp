// Programs of a few lines: their core, one of their functions staged, what a tape holds of it. An error of the program
// comes out as its message.
#include <functional>
#include <stdexcept>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
#include "jit/compiler/dump.hpp"
#include "stdlib/autodiff/tape_text.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/parts/runs.hpp"

namespace covec::test {

namespace {

class Silent final : public ops::Output {
 public:
  void write(std::string_view) override {}
  void warn(std::string_view) override {}
};

void expect_no_options(const std::string& options) {
  if (!options.empty()) throw std::runtime_error("this run is told nothing: " + options);
}

std::string with_session(const std::function<std::string(Session&)>& made) {
  Silent silent;
  SessionOptions options;
  options.output = &silent;
  options.use_environment = false;
  Session session(std::move(options));
  try {
    return made(session);
  } catch (const CovecError& error) {
    return "error: " + error.diagnostics.front().message;
  }
}

// Differentiates by all arguments that have floats in them.
void record(Session& session, const std::vector<Value>& call, autodiff::TapedRun& taped) {
  std::vector<Value> args(call.begin() + 1, call.end());
  autodiff::Parameters active;
  for (size_t i = 0; i < args.size(); ++i) {
    bool floats = false;
    each_leaf(args[i], [&](const Value& leaf) { floats |= autodiff::is_float_leaf(leaf); });
    if (floats) active.numbers.push_back(i);
  }
  const autodiff::Arguments arguments(call[0].function(), args, {});
  taped.run(walker_of(session).eager_builder(), "vjp", call[0], arguments, active);
}

}  // namespace

std::string run_core(const std::string& options, const Input& input) {
  expect_no_options(options);
  return with_session([&](Session& session) {
    const uint32_t file = session.sources().add("case.covec", input.prelude + input.text + "\n");
    ModuleScope scope;
    return dump_core(*compile_unit(session.sources(), file, scope, session.names(), session.builtins()));
  });
}

std::string run_stage(const std::string& options, const Input& input) {
  expect_no_options(options);
  return with_session([&](Session& session) {
    session.run_text("case", input.prelude + input.text + "\n");
    const Value* function = session.find_global("f");
    if (function == nullptr) throw std::runtime_error("the program has no function f");
    const std::unique_ptr<Compiler> compiler = make_compiler(session);
    return jit::dump_compiled(*compiler, *function, "ir", "");
  });
}

std::string run_tape(const std::string& options, const Input& input) {
  expect_no_options(options);
  return with_session([&](Session& session) {
    const std::optional<Value> call = session.run_text("case", input.prelude + input.text + "\n");
    if (!call || !call->is(ObjectKind::tuple)) throw std::runtime_error("the last value is no (function, argument, …)");
    autodiff::TapedRun taped(*session.context().pool);
    record(session, call->tuple().items, taped);
    return autodiff::text_of(taped.tape);
  });
}

}  // namespace covec::test
