// Runs each engine in a session of its own. All run the same statement. Then three things are compared: what they
// printed, the errors that they raised, and the bits of every module-level variable. The trade-off: a statement is a
// few lines of the file's top level. So a difference inside a loop or a function shows when that statement has ended.
// What the first engine sees of the outside world (clocks, input, files) is replayed to the others (replay.hpp). Start
// at run_verify().
#include "interpreter/verify/verify.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

#include "interpreter/repl/streams.hpp"
#include "interpreter/verify/difference.hpp"
#include "interpreter/verify/replay.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

class RecordedOutput : public ops::Output {
 public:
  std::string printed, warned;
  void write(std::string_view text) override { printed += text; }
  void warn(std::string_view text) override { warned += std::string(text) + "\n"; }
};

// --- the program, cut into statements ---

struct Statement {
  uint32_t line = 1;
  std::string text;
};

bool says_nothing(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t\r");
  return first == std::string::npos || line[first] == '#';
}

bool continues(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t\r");
  return first != std::string::npos && line[first] == '.';
}

class Cutter {
 public:
  // Resolves the whole program, so that each piece knows its names. Throws CovecError.
  Cutter(Session& session, const std::string& file, const std::string& text) : session_(session) {
    compile_unit(session.sources(), session.sources().add(file, text), scope_, session.names(), session.builtins());
    size_t begin = 0;
    while (begin < text.size()) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  const ModuleScope& scope() const { return scope_; }

  std::vector<Statement> statements() {
    std::vector<Statement> found;
    for (size_t i = 0; i < lines_.size();) {
      if (says_nothing(lines_[i])) {
        ++i;
        continue;
      }
      Statement statement{static_cast<uint32_t>(i + 1), lines_[i]};
      for (++i; i < lines_.size() && (!complete(statement.text) || dotted_line_follows(i)); ++i) {
        statement.text += "\n" + lines_[i];
      }
      found.push_back(std::move(statement));
    }
    return found;
  }

 private:
  bool complete(const std::string& text) {
    try {
      const uint32_t file = session_.sources().add("<piece>", text);
      return compile_unit(session_.sources(), file, scope_, session_.names(), session_.builtins(), TextForm::input) !=
             nullptr;
    } catch (const CovecError&) {
      return false;
    }
  }
  bool dotted_line_follows(size_t i) const {
    while (i < lines_.size() && says_nothing(lines_[i])) ++i;
    return i < lines_.size() && continues(lines_[i]);
  }

  Session& session_;
  ModuleScope scope_;
  std::vector<std::string> lines_;
};

// --- an engine that runs them ---

class Engine {
 public:
  Engine(std::string name, SessionOptions options, const std::string& file) : name_(std::move(name)) {
    options.output = &output_;
    options.keep_globals_on_error = false;
    setenv("COVEC_ENGINE", name_.c_str(), 1);  // read when a session begins
    session_ = std::make_unique<Session>(std::move(options));
    session_->stand_for(file);
  }
  const std::string& name() const { return name_; }
  Session& session() { return *session_; }
  const RecordedOutput& output() const { return output_; }
  const std::string& error() const { return error_; }

  void watch(WatchedGate& gate) {
    ops::Context& context = session_->context();
    context.gate = &gate;
    if (context.input == nullptr) return;
    input_ = std::make_unique<InputSeen>(gate, *context.input);
    context.input = input_.get();
  }
  void declare(const ModuleScope& scope) {
    for (const std::string_view name : scope.names) {
      if (session_->find_global(name) == nullptr) session_->set_global(name, Value::unbound());
    }
  }
  void run(const std::string& file, const Statement& statement) {
    output_.printed.clear();
    output_.warned.clear();
    try {
      session_->run_text(file, std::string(statement.line - 1, '\n') + statement.text);
    } catch (const CovecError& error) {
      error_ = session_->render(error);
      has_ended_ = error.diagnostics.front().kind == ErrorKind::ended;
    }
  }
  bool has_ended() const { return has_ended_; }  // by exit()

 private:
  const std::string name_;
  RecordedOutput output_;
  std::string error_;
  bool has_ended_ = false;
  std::unique_ptr<InputSeen> input_;
  std::unique_ptr<Session> session_;
};

std::optional<std::string> differing_text(const char* what, const std::string& a, const std::string& b) {
  if (a == b) return std::nullopt;
  return std::string("what it ") + what + "\n--- eager\n" + a + "--- other\n" + b;
}

std::optional<std::string> difference(Engine& eager, Engine& other) {
  if (auto text = differing_text("prints", eager.output().printed, other.output().printed)) return text;
  if (auto text = differing_text("warns", eager.output().warned, other.output().warned)) return text;
  if (auto text = differing_text("raises", eager.error(), other.error())) return text;
  for (const std::string_view name : eager.session().global_names()) {
    const Value* theirs = other.session().find_global(name);
    if (theirs == nullptr) return "`" + std::string(name) + "` has no value";
    auto text = difference(*eager.session().find_global(name), *theirs, std::string(name));
    if (text) return text;
  }
  if (eager.session().global_names().size() != other.session().global_names().size()) return "the set of variables";
  return std::nullopt;
}

// The engines with what they see of the world; the first is eager.
class Engines {
 public:
  Engines(const VerifyRequest& request, const SessionOptions& options) : recorder_(recording_) {
    for (const char* name : {"eager", "compiled", "c99"}) {
      if (std::strcmp(name, "c99") == 0 && !request.with_c) continue;
      all_.push_back(std::make_unique<Engine>(name, options, request.file));
      if (all_.size() > 1) replays_.push_back(std::make_unique<Replay>(recording_));
      all_.back()->watch(replays_.empty() ? static_cast<WatchedGate&>(recorder_) : *replays_.back());
    }
  }
  Engine& eager() { return *all_.front(); }
  size_t size() const { return all_.size(); }

  void declare(const ModuleScope& scope) {
    for (const auto& engine : all_) engine->declare(scope);
  }
  // Where two of them differ after a statement: the name of the other one, and in what.
  using Difference = std::pair<std::string, std::string>;
  std::optional<Difference> run(const std::string& file, const Statement& statement) {
    recording_.clear();
    eager().run(file, statement);
    for (size_t i = 1; i < all_.size(); ++i) {
      Replay& replay = *replays_[i - 1];
      replay.begin();
      all_[i]->run(file, statement);
      if (const std::string looks = replay.end(); !looks.empty()) return Difference(all_[i]->name(), looks);
      if (const auto found = difference(eager(), *all_[i])) return Difference(all_[i]->name(), *found);
    }
    return std::nullopt;
  }

 private:
  Recording recording_;
  GateRecorder recorder_;
  std::vector<std::unique_ptr<Replay>> replays_;
  std::vector<std::unique_ptr<Engine>> all_;
};

// Each file that a statement reads or writes stays open until all engines have run it.
void open_as_many_files_as_allowed() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int verify(const VerifyRequest& request, const SessionOptions& options, const std::string& text) {
  Engines engines(request, options);
  Engine& eager = engines.eager();
  std::vector<Statement> statements;
  try {
    Cutter cutter(eager.session(), request.file, text);
    statements = cutter.statements();
    engines.declare(cutter.scope());
  } catch (const CovecError& error) {
    std::cerr << eager.session().render(error);
    return 2;
  }
  size_t count = 0;
  for (const Statement& statement : statements) {
    ++count;
    if (const auto found = engines.run(request.file, statement)) {
      std::cout << request.file << ":" << statement.line << ": eager and " << found->first << " differ in "
                << found->second << "\n  " << statement.text.substr(0, statement.text.find('\n')) << '\n';
      return 1;
    }
    if (!eager.error().empty()) break;
  }
  std::cout << request.file << ": " << count << " statements, the same bits in " << engines.size() << " engines"
            << (eager.error().empty() ? "\n"
                : eager.has_ended()   ? ", the last one ends the program\n"
                                      : ", the last one with this error:\n" + eager.error());
  return 0;
}

}  // namespace

int run_verify(const VerifyRequest& request, const SessionOptions& options) {
  open_as_many_files_as_allowed();
  std::string text;
  try {
    text = program_in(request.file);
  } catch (const CovecError& error) {
    std::cerr << "error: " << error.diagnostics.front().message << '\n';
    return 2;
  }
  return verify(request, options, text);
}

}  // namespace covec
