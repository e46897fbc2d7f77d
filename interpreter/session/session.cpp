// The session: joins sources, modules, values and the walker. Every failure leaves as a CovecError. Start reading at
// State, then run().
#include "interpreter/session/session.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <system_error>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/report/caught_errors.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/reserved_values.hpp"
#include "interpreter/session/builtins.hpp"
#include "interpreter/session/inputs.hpp"
#include "interpreter/session/module_loader.hpp"
#include "interpreter/session/modules.hpp"
#include "interpreter/session/output.hpp"
#include "interpreter/session/prompt_scopes.hpp"
#include "interpreter/session/session_profile.hpp"
#include "interpreter/session/session_program.hpp"
#include "interpreter/session/stack.hpp"
#include "interpreter/session/text_file.hpp"
#include "interpreter/session/text_memory.hpp"
#include "interpreter/session/units.hpp"
#include "interpreter/session/watchdog.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/system.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/origins/watching.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/visits.hpp"

namespace covec {

using eval::row;

namespace {

std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t colon = std::min(text.find(':'), text.size());
    if (colon > 0) parts.emplace_back(text.substr(0, colon));
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return parts;
}

unsigned thread_count(const char* wanted) {
  const unsigned all = gate::usable_cores();
  if (!wanted) return all;
  const long number = std::strtol(wanted, nullptr, 10);
  return number >= 1 && number <= 1024 ? static_cast<unsigned>(number) : all;
}

bool may_catch_handled() {
  try {
    throw;
  } catch (const CovecError& error) {
    return CaughtErrors::may_catch(error);
  } catch (...) {
    return false;
  }
}

// What stdlib and C++ throw, as a CovecError.
template <class Body>
auto told(Body&& body) {
  try {
    return body();
  } catch (...) {
    const OpError error = current_error();
    Diagnostic diagnostic;
    diagnostic.code = error.code;
    diagnostic.kind = error.kind;
    diagnostic.message = error.message;
    diagnostic.hint = error.hint;
    throw CovecError(std::move(diagnostic));
  }
}

// The instruction set of the kernels.
ops::Isa chosen_isa(const ops::Gate& gate) {
  const std::string_view absent = ops::isa_not_built(gate);
  if (!absent.empty()) fail(row("isa_not_built"), {std::string(absent), ops::names_of_built_isas()});
  return ops::detect_isa(gate);
}

ops::Context first_context(Pool* pool, std::atomic<bool>& interrupt, const SessionOptions& options) {
  ops::Context context;
  context.pool = pool;
  context.gate = options.gate != nullptr ? options.gate.get() : &ops::open_gate(options.use_environment);
  context.interrupt = &interrupt;
  context.may_catch = may_catch_handled;
  context.isa = told([&] { return chosen_isa(*context.gate); });
  return context;
}

Value constant_value(const core::Constant& constant) {
  struct Visitor {
    Value operator()(std::monostate) const { return Value(); }
    Value operator()(bool v) const { return Value(v); }
    Value operator()(int64_t v) const { return Value(v); }
    Value operator()(double v) const { return Value(v); }
    Value operator()(const std::complex<double>& v) const { return make_complex(Value(v.real()), Value(v.imag())); }
    Value operator()(const std::string& v) const { return make_string(v); }
  };
  return std::visit(Visitor{}, constant.value);
}

}  // namespace

struct Session::State : InterpreterHost {
  explicit State(SessionOptions o);
  ~State() override;
  std::unique_ptr<core::Unit> parse(uint32_t file, Module& module, TextForm form);
  const LoadedUnit& load(std::unique_ptr<core::Unit> unit, Module& module);
  // `shown`: whether the value that the text ends in will be.
  std::optional<Value> run(uint32_t file, Module& module, bool shown, TextForm form = TextForm::program);
  void warn_of(const core::Unit& unit, bool shown);
  Module& import(const core::Import& import, const Module& from) override { return modules.import(import, from); }
  void found_test(const core::Function& function, const Value& closure) override;
  void found_bench(const core::Function& function, const Value& closure) override;
  Value dtype_value(Dtype dtype) const override { return builtin_values.of(builtins.dtype(dtype)); }
  const Builtin& operator_of(Operator op) const override { return builtins.of(op); }
  Value value_of(const Builtin& builtin) const override { return builtin_values.of(builtin); }
  const Builtin* builtin(std::string_view name) const override { return builtins.find(name); }
  std::vector<std::string_view> builtin_names() const override { return builtins.names(); }
  std::string_view source(Span span) const override {
    return span.known() ? sources.file(span.file).slice(span) : std::string_view();
  }
  std::string place_text(Span span) const override;
  ProgramPosition place_of(Span span) const override;
  std::string_view library_of(Span span) const override {
    return span.known() ? std::string_view(sources.file(span.file).library()) : std::string_view();
  }
  bool compiles_all() const override { return compiler && compiler->compiles_all(); }
  const ops::Entry* compile_entry() const override { return builtins.find("compile")->entry; }
  uint32_t global_slot(std::string_view name);
  [[noreturn]] void fail(const Message& message, std::vector<std::string> parts, Span span, std::string hint = {});

  // Runs `body` with the bounds of this thread's stack known, and turns what stdlib and C++ throw into a CovecError.
  template <class Body>
  auto guarded(Body&& body);
  // Runs `body`, which looks at values and changes nothing: it is metered, and can be interrupted.
  template <class Body>
  auto reading(Body&& body);
  void let_go();
  void forget_frames();
  void watch_modules();

  SessionOptions options;
  StandardOutput standard_output;
  SourceMap sources;
  Names names;
  Pool* pool;
  std::atomic<bool> interrupt{false};
  std::atomic<bool> interrupt_next{false};  // asked for until something has been stopped
  ops::Context context;
  device::Devices devices;
  PlacedOutput output;
  autodiff::EagerBuilder eager;
  origins::WatchingBuilder watching;
  const EngineBuiltins& builtins = EngineBuiltins::all();
  mutable BuiltinValues builtin_values;
  Interpreter interpreter;
  Module main{"main", ""};
  ModuleLoader modules;
  Units units;
  PromptScopes scopes;
  SessionProgram program;
  unsigned depth = 0;  // of calls from outside: one may come in the middle of another
  std::vector<Test> tests, benches;
  std::unique_ptr<Compiler> compiler;
  SessionProfile profile;
};

Session::State::State(SessionOptions o)
    : options(std::move(o)),
      pool(Pool::create(options.memory_limit)),
      context(first_context(pool, interrupt, options)),
      devices(*context.gate),
      output(options.output ? *options.output : standard_output, sources, context, options.render, options.run.printed),
      eager(context),
      watching(context),
      interpreter(options.debug_nan ? watching : eager, *this),
      modules(
          interpreter.reporter(), interpreter.call_stack(),
          [this](std::string name, std::string text, std::string library, Module& module) {
            run(units.add_text(std::move(name), std::move(text), std::move(library)), module, false);
          },
          [this](const Diagnostic& warning) { output.tell(warning); }),
      units(sources),
      scopes(units),
      program(context, sources, interpreter.call_stack(), interpreter.reporter(),
              [this](bool on) {
                interpreter.watch_numbers(on);
                units.forget_choices();
              }),
      profile(interpreter.call_stack(), context, units, sources) {
  const char* check = context.gate->variable("COVEC_CHECK");
  if (options.check || (check != nullptr && std::string_view(check) == "1")) pool->guard();
  stack_floor();  // while there is memory: it is found once for each thread
  context.devices = &devices;
  context.program = &program;
  if (options.ranks != nullptr) context.ranks = options.ranks;
  context.output = &output;
  context.input = options.input;
  context.arguments = options.arguments;
  context.threads = thread_count(context.gate->variable("COVEC_THREADS"));
  if (options.threads != 0) context.threads = options.threads;
  interpreter.set_keep_globals(options.keep_globals_on_error);
  interpreter.saved_frames().enable(options.keep_frames);
  if (options.debug_nan) program.watch(true);
  if (options.run.calls != 0) interpreter.call_stack().set_most_calls(options.run.calls);
  modules.ask(options.resolver);
  modules.add_path(std::move(options.search_path));
  if (const char* path = context.gate->variable("COVEC_PATH")) {
    modules.add_path(split_path(path));
  }
}

std::string Session::State::place_text(Span span) const {
  if (!span.known()) return "?";
  const SourceFile& file = sources.file(span.file);
  return file.name() + ":" + std::to_string(file.position(span.begin).line);
}

ProgramPosition Session::State::place_of(Span span) const {
  if (!span.known()) return {};
  const SourceFile& file = sources.file(span.file);
  const Position at = file.position(span.begin);
  return {file.name(), at.line, at.column};
}

// Values go before the memory that they lie in.
Session::State::~State() {
  profile.let_go();
  tests.clear();
  benches.clear();
  compiler.reset();
  main.globals.clear();
  interpreter.saved_frames().forget();
  modules.clear();
  scopes.clear();
  units.clear();
  pool->release();
}

void Session::State::fail(const Message& message, std::vector<std::string> parts, Span span, std::string hint) {
  std::vector<Label> labels;
  if (span.known()) labels.push_back({span, ""});
  const Frame* innermost = interpreter.call_stack().innermost();
  interpreter.reporter().fail(message, std::move(parts), std::move(labels), innermost, std::move(hint));
}

template <class Body>
auto Session::State::guarded(Body&& body) {
  struct Restore {
    CallStack& stack;
    ops::Context& context;
    const char* floor;
    const Span* site;
    unsigned& depth;
    SessionProfile& profile;
    ~Restore() {
      stack.set_floor(floor);
      context.site = site;
      if (--depth > 0) return;
      *context.interrupt = false;
      profile.note_running(false);
    }
  } const restore{interpreter.call_stack(), context, interpreter.call_stack().floor(), context.site, depth, profile};
  const Memory::Use use(*pool);
  const Visits::Use visits(context);
  pool->fill_reserve();
  if (depth++ == 0) {
    output.begin_run();
    if (!options.keep_interrupts) interrupt = interrupt_next.load();
    let_go();
    profile.note_running(true);
  }
  interpreter.call_stack().set_floor(stack_floor());
  std::optional<Deadline> deadline;
  try {
    return told([&] {
      deadline.emplace(depth == 1 ? options.run.time : std::chrono::microseconds(0), interrupt);
      return body();
    });
  } catch (CovecError& error) {
    if (deadline && deadline->has_passed()) tell_of_deadline(error, options.run.time);
    throw;
  }
}

template <class Body>
auto Session::State::reading(Body&& body) {
  const RoomForText room(*pool);
  const Memory::Use use(*pool);
  const Visits::Use visits(context);
  return told([&] {
    // Where nothing runs there is a deadline, as for a run.
    struct Timed {
      State& state;
      std::optional<Deadline> deadline;
      ~Timed() {
        const bool is_late = deadline && deadline->has_passed();
        deadline.reset();
        if (is_late) state.interrupt = state.interrupt_next.load();
      }
    } timed{*this, {}};
    timed.deadline.emplace(depth == 0 ? options.run.time : std::chrono::microseconds(0), interrupt);
    return body();
  });
}

// --- text into units ---

std::unique_ptr<core::Unit> Session::State::parse(uint32_t file, Module& module, TextForm form) {
  const RoomForText room(*pool);
  const TextLimits limits = sources.file(file).library().empty() ? options.texts : TextLimits();
  TextMeter meter(context);
  auto unit = compile_unit(sources, file, module.scope, names, builtins, form, stack_left(), &meter, limits);
  const size_t kept = meter.kept();
  meter.end();
  if (unit) unit->make<MemoryCharge>(kept);  // goes with the unit
  return unit;
}

const LoadedUnit& Session::State::load(std::unique_ptr<core::Unit> unit, Module& module) {
  const size_t known = module.globals.size();
  if (!module.globals.grow(module.scope.names.size()))
    fail(row("names_limit"), {std::to_string(max_values_of_module)}, Span());
  const std::span<const uint32_t> given_rules = module.scope.given_rules;
  const bool of_known =
      std::ranges::any_of(given_rules.subspan(module.rules_known), [&](uint32_t slot) { return slot < known; });
  module.rules_known = given_rules.size();
  if (compiler && of_known) compiler->expect_rules();
  auto loaded = std::make_unique<LoadedUnit>();
  loaded->module = &module;
  loaded->constants.resize(unit->constants.size());
  for (const core::Constant* constant : unit->constants) loaded->constants[constant->id] = constant_value(*constant);
  loaded->unit = std::move(unit);
  return units.add(std::move(loaded));
}

// Between two runs. Errors of the last one have been shown, or never will be.
void Session::State::let_go() {
  units.drop_refused();
  if (!units.is_worth_collecting() && !(compiler && compiler->is_full())) return;
  units.collect([this](const std::unordered_set<const LoadedUnit*>& dead) {
    if (!compiler) return;
    compiler->forget(
        [&](const void* source_unit) { return dead.contains(static_cast<const LoadedUnit*>(source_unit)); });
  });
  scopes.forget_unused();
  modules.forget_failed([this](const Module& module) { return units.has_units_of(module); });
}

void Session::State::watch_modules() {
  modules.watch_files([this](std::string_view note) { output.write_error("note: " + std::string(note) + "\n"); });
}

// Those of the next error need their texts, which a run in between may find unused.
void Session::State::forget_frames() {
  if (!options.keep_frames) return;
  interpreter.saved_frames().forget();
  interpreter.saved_frames().hold(units.hold());
}

std::optional<Value> Session::State::run(uint32_t file, Module& module, bool shown, TextForm form) {
  kernels::poll_interrupt(context);
  const LoadedUnit& unit = load(parse(file, module, form), module);
  warn_of(*unit.unit, shown);
  return interpreter.closure_runner().run(unit);
}

void Session::State::warn_of(const core::Unit& unit, bool shown) {
  for (const Diagnostic& warning : unit.warnings) {
    const Span at = warning.labels.front().span;
    const bool is_value = unit.ends_in_value && unit.value.contains(at) && at.contains(unit.value);
    if (!shown || !is_value) output.tell(warning);
  }
}

uint32_t Session::State::global_slot(std::string_view name) {
  const auto found = main.scope.slots.find(name);
  if (found != main.scope.slots.end()) return found->second;
  const std::string_view interned = names.intern(name);
  const auto slot = static_cast<uint32_t>(main.scope.names.size());
  main.scope.names.push_back(interned);
  main.scope.slots.emplace(interned, slot);
  main.scope.read_by_functions.push_back(true);
  return slot;
}

void Session::State::found_test(const core::Function& function, const Value& closure) {
  tests.push_back({std::string(function.name), function.name_span, closure});
}

void Session::State::found_bench(const core::Function& function, const Value& closure) {
  benches.push_back({std::string(function.name), function.name_span, closure});
}

// --- the session's face ---

Session::Session(SessionOptions options) : state_(std::make_unique<State>(std::move(options))) {
  if (state_->options.make_compiler && !state_->options.debug_nan)
    state_->compiler = state_->options.make_compiler(*this);
}
Session::~Session() = default;

std::optional<Value> Session::run_file(const std::string& path) {
  state_->forget_frames();
  return state_->guarded([&] {
    TextFile file = read_text_file(path);
    if (file.problem != nullptr) state_->fail(*file.problem, {path}, Span());
    state_->main.file = path;
    return state_->run(state_->units.add_text(path, std::move(file.text)), state_->main, false);
  });
}

void Session::stand_for(const std::string& file) { state_->main.file = file; }

std::optional<Value> Session::run_text(std::string_view name, std::string_view text) {
  state_->forget_frames();
  return state_->guarded(
      [&] { return state_->run(state_->units.add_text(std::string(name), std::string(text)), state_->main, true); });
}

Value Session::run_enclosed(std::string_view name, std::string_view text) {
  return state_->guarded([&] {
    const uint32_t file = state_->units.add_text(std::string(name), std::string(text));
    const Value enclosing = state_->run(file, state_->main, true, TextForm::enclosed).value();
    try {
      return state_->interpreter.closure_runner().call(enclosing, {}, {});
    } catch (CovecError& error) {  // the outermost call is that of the text, which is none to its author
      for (Diagnostic& diagnostic : error.diagnostics) {
        if (!diagnostic.stack.empty()) diagnostic.stack.pop_back();
      }
      throw;
    }
  });
}

Session::Input Session::run_input(std::string_view text, std::string_view comment, std::string_view name) {
  state_->forget_frames();
  const ShadowedBuiltins shadowed(state_->main, state_->builtins);
  return state_->guarded([&]() -> Input {
    const uint32_t file = state_->units.add_text(std::string(name), std::string(text));
    auto unit = state_->parse(file, state_->main, TextForm::input);
    if (!unit) return {false, std::nullopt};
    document(*unit, comment);
    const LoadedUnit& loaded = state_->load(std::move(unit), state_->main);
    state_->warn_of(*loaded.unit, true);
    state_->watch_modules();
    return {true, state_->interpreter.closure_runner().run(loaded)};
  });
}

Session::Input Session::run_input_in(Module& scope, std::string_view text) {
  SavedFrames& kept = state_->interpreter.saved_frames();
  struct Restore {
    SavedFrames& kept;
    const bool enabled;
    ~Restore() { kept.enable(enabled); }
  } const restore{kept, kept.is_enabled()};
  kept.enable(false);
  return state_->guarded([&]() -> Input {
    auto unit = state_->parse(state_->units.add_text("<debug>", std::string(text)), scope, TextForm::input);
    if (!unit) return {false, std::nullopt};
    const LoadedUnit& loaded = state_->load(std::move(unit), scope);
    state_->warn_of(*loaded.unit, true);
    return {true, state_->interpreter.closure_runner().run_apart(loaded, state_->eager)};
  });
}

Value Session::call_moving(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords) {
  return state_->guarded([&] {
    kernels::poll_interrupt(state_->context);
    return state_->interpreter.closure_runner().call(function, args, keywords);
  });
}

void Session::within(FunctionRef<void()> body) {
  state_->guarded([&] { body(); });
}

const Value* Session::find_global(std::string_view name) const { return state_->main.find(name); }

void Session::set_global(std::string_view name, Value value) {
  state_->guarded([&] {
    const uint32_t slot = state_->global_slot(name);
    if (!state_->main.globals.grow(slot + 1))
      state_->fail(row("names_limit"), {std::to_string(max_values_of_module)}, Span());
    state_->main.globals.data()[slot] = std::move(value);
  });
}

std::vector<std::string_view> Session::global_names() const {
  std::vector<std::string_view> names;
  const ModuleScope& scope = state_->main.scope;
  for (uint32_t slot = 0; slot < scope.names.size(); ++slot) {
    const auto known = scope.slots.find(scope.names[slot]);
    const bool current = known != scope.slots.end() && known->second == slot;
    if (current && state_->main.find(scope.names[slot])) names.push_back(scope.names[slot]);
  }
  return names;
}

const Value* find_member(const Value& module, std::string_view name) {
  return module.is(ObjectKind::module) ? module_of(module).find(name) : nullptr;
}

std::vector<std::string> Session::member_names(const Value& module) const {
  std::vector<std::string> names;
  if (!module.is(ObjectKind::module)) return names;
  const Module& of = module_of(module);
  for (const std::string_view name : of.scope.names) {
    if (of.find(name)) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> Session::module_names() const { return state_->modules.sibling_names(state_->main.file); }

bool Session::reload_modules() {
  state_->forget_frames();
  return state_->guarded([&] {
    std::vector<Value*> names;
    std::vector<Module*> modules;
    for (Value& value : std::span(state_->main.globals.data(), state_->main.globals.size())) {
      if (!value.is(ObjectKind::module)) continue;
      names.push_back(&value);
      modules.push_back(&module_of(value));
    }
    const std::vector<Module*> before = modules;
    state_->watch_modules();
    state_->modules.reload(modules);
    for (size_t i = 0; i < names.size(); ++i) *names[i] = reference_to(modules[i]);
    return modules != before;
  });
}

// Functions that are still held elsewhere keep their slots; the names are free for builtins and for new variables.
void Session::reset() {
  state_->main.globals.clear();
  state_->main.scope.slots.clear();
}

std::vector<Session::Test> Session::take_tests(bool benches) {
  return std::exchange(benches ? state_->benches : state_->tests, {});
}

SessionProfile& Session::profile() { return state_->profile; }
PromptScopes& Session::scopes() { return state_->scopes; }

void Session::interrupt() noexcept { state_->interrupt.store(true, std::memory_order_relaxed); }
bool Session::interrupted() const noexcept { return state_->interrupt.load(std::memory_order_relaxed); }
void Session::clear_interrupt() noexcept {
  state_->interrupt_next.store(false, std::memory_order_relaxed);
  state_->interrupt.store(false, std::memory_order_relaxed);
}
void Session::interrupt_next() noexcept {
  state_->interrupt_next.store(true, std::memory_order_relaxed);
  interrupt();
}

std::string Session::render(const CovecError& error) const {
  std::string text;
  for (const Diagnostic& diagnostic : error.diagnostics) text += state_->options.render(diagnostic, state_->sources);
  return text;
}

std::string Session::text_of(const Value& value) const {
  return state_->reading([&] { return covec::text_of(value); });
}
display::Display Session::display_of(const Value& value, const display::Options& options) const {
  return state_->reading([&] { return display::display_of(value, state_->context, options); });
}

std::optional<Value> Session::builtin(std::string_view name) {
  const Builtin* found = state_->builtins.find(name);
  if (found == nullptr || found->entry->internal) return std::nullopt;
  return state_->value_of(*found);
}

const Builtins& Session::builtins() const { return state_->builtins; }
const SourceMap& Session::sources() const { return state_->sources; }
SourceMap& Session::sources() { return state_->sources; }
Names& Session::names() { return state_->names; }
ops::Context& Session::context() { return state_->context; }
std::shared_ptr<const void> Session::texts() { return state_->units.hold(); }
ModuleLoader& Session::modules() { return state_->modules; }
Interpreter& Session::interpreter() { return state_->interpreter; }
Walker& walker_of(Session& session) { return session.interpreter().walker(); }
ops::Context& context_of(Session& session) { return session.context(); }
std::shared_ptr<const void> texts_of(Session& session) { return session.texts(); }

}  // namespace covec
