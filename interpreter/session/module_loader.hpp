// ModuleLoader: implements `import`. It finds a module's text, runs it once in a module of its own, and remembers it.
// In the REPL the next import reads a module again if its file, or that of a module it imports, has changed. Functions
// of the old one keep its values. Failed modules are kept without values while functions of theirs are held; the next
// import tries again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/eval/values/module.hpp"
#include "interpreter/session/modules.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

class ModuleLoader {
 public:
  // A text as it is shown, and the name of the built-in module whose it is ("": it is a file).
  using Run = std::function<void(std::string name, std::string text, std::string library, Module& module)>;
  using Tell = std::function<void(const Diagnostic& warning)>;
  ModuleLoader(const Reporter& reporter, const CallStack& stack, Run run, Tell tell)
      : reporter_(reporter), stack_(stack), run_(std::move(run)), tell_(std::move(tell)) {}

  void add_path(std::vector<std::string> directories);
  // Modules that are not built in come from there; nullptr: from files.
  void ask(ops::Resolver* host) { host_ = host; }
  Module& import(const core::Import& import, const Module& from);
  // Finds a module that a file imports ("": a text that is no file), and does not run it. Fails if there is none.
  ModuleSource find(const core::Import& import, const std::string& from);
  std::string text_of(const ModuleSource& source, Span import) const;
  // That the import is of a built-in module, where a file beside `from` has its name, too.
  std::optional<Diagnostic> warning_of_file(const core::Import& import, const ModuleSource& source,
                                            const std::string& from) const;
  std::vector<std::string> sibling_names(const std::string& file) const;  // what `import` finds by name
  void forget_failed(FunctionRef<bool(const Module&)> in_use);
  // Whether an import looks for changes of files; `note` is given what is told of a module that was read again.
  void watch_files(std::function<void(std::string_view note)> note) { note_ = std::move(note); }
  // Files of modules whose text is another now, and that text.
  std::map<std::string, std::string> changed_files() const;
  bool has_file(const std::string& path) const;  // whether a module was read from it
  // Reads those of the modules again that have changed, or import one that has, and puts the new ones in their places.
  // Where a new text fails, all is as before.
  void reload(std::span<Module*> modules);
  void clear();  // lets all values go

 private:
  // What a file was when it was read, and what was written to import it.
  struct Loaded {
    std::unique_ptr<Module> module;
    std::string text;
    std::set<std::string> imports = {};  // keys
    std::string path = {};
    bool is_path = false;
  };
  struct Replaced {
    std::string key;
    Loaded loaded;
  };
  ops::Gate& gate() const { return *stack_.context().gate; }
  std::optional<ModuleSource> find_source(const core::Import& import, const std::string& from);
  bool has_changed(const std::string& key) const;
  std::optional<std::string> new_text(const Loaded& loaded) const;
  std::string key_of(const Module& module) const;
  void rollback_reload(size_t known);
  Module& load_again(const ModuleSource& source, const core::Import& import);
  Module& load(const ModuleSource& source, const core::Import& import);
  std::string library_of(const ModuleSource& source, const std::string& name) const;
  void check_cycle(const Module& module, const core::Import& import) const;
  void warn_of_file(const core::Import& import, const ModuleSource& source, const Module& from);
  [[noreturn]] void not_found(const core::Import& import, const std::string& from) const;
  [[noreturn]] void fail(const Message& message, std::string part, Span span, std::string hint = {}) const;

  const Reporter& reporter_;
  const CallStack& stack_;
  const Run run_;
  const Tell tell_;
  std::set<std::string> warned_;  // of files, by what was told
  std::vector<std::string> search_path_;
  ops::Resolver* host_ = nullptr;
  std::map<std::string, Loaded> modules_;  // by ModuleSource::key
  std::vector<std::unique_ptr<Module>> failed_;
  std::vector<Replaced> replaced_;              // by a newer text of theirs
  std::vector<std::string> loading_keys_;       // innermost last
  std::function<void(std::string_view)> note_;  // none: files are not watched
  std::vector<const Module*> loading_;          // innermost last
};

}  // namespace covec
