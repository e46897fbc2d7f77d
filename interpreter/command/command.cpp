// Reads the command line (CLI11) and hands over to the scripts, the tests, the dumps or the REPL.
#include "interpreter/command/command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <new>

#include "frontend/source/messages.hpp"
#include "interpreter/command/bench.hpp"
#include "interpreter/command/check_files.hpp"
#include "interpreter/command/dump.hpp"
#include "interpreter/command/emit.hpp"
#include "interpreter/command/format_files.hpp"
#include "interpreter/command/json_text.hpp"
#include "interpreter/command/profile_program.hpp"
#include "interpreter/command/ranks.hpp"
#include "interpreter/command/sandbox.hpp"
#include "interpreter/command/shapes.hpp"
#include "interpreter/command/standard_input.hpp"
#include "interpreter/command/test_runner.hpp"
#include "interpreter/notebook/jupyter.hpp"
#include "interpreter/notebook/kernel.hpp"
#include "interpreter/repl/console.hpp"
#include "interpreter/repl/debug_prompt.hpp"
#include "interpreter/repl/doc.hpp"
#include "interpreter/repl/interrupts.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/repl.hpp"
#include "interpreter/repl/streams.hpp"
#include "interpreter/session/session.hpp"
#include "interpreter/verify/verify.hpp"
#include "stdlib/cluster/ending.hpp"
#include "stdlib/gate/kernel_cache.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

struct Arguments {
  std::string expression;
  std::vector<std::string> script;  // a file, then what args() gives
  TestOptions test;
  CheckOptions check;
  FormatRequest format;
  DocRequest doc;
  DumpRequest dump;
  VerifyRequest verify;
  EmitRequest emit;
  ProfileRequest profile;
  BenchRequest bench;
  bool verifies_emitted = false;
  bool is_sandboxed = false;
  bool json = false;
  std::vector<std::string> shapes;
  bool debug_nan = false;
  bool installs_for_user = false;
  bool on_standard_streams = false;  // of `lsp`: there is no other way
  SandboxRequest sandbox;
};

std::string version_text() { return "covec " COVEC_VERSION; }

// An error in a text, or there is none.
bool is_of_text(std::string_view code) {
  const auto has_code = [&](const messages::Message& row) { return row.key == code; };
  return std::ranges::any_of(messages::table, has_code) || code == "unreadable_file";
}

cluster::Ending ending_of(const Session& session, const CovecError& error, int exit_status) {
  const Diagnostic& first = error.diagnostics.front();
  if (first.kind == ErrorKind::ended) return {.status = exit_status, .report = {}};
  return {cluster::status_of_error(first.code), true, first.kind == ErrorKind::interrupted, is_of_text(first.code),
          painted_diagnostics(session.render(error), STDERR_FILENO)};
}

// Runs what is given and turns errors into the exit status.
template <class Run>
int guarded(Session& session, Run&& run) {
  cluster::Ending ending;
  {
    const Interrupts interrupts(session);
    try {
      run();
    } catch (const CovecError& error) {
      ending = ending_of(session, error, session.context().exit_status);
    }
  }
  std::cout.flush();  // before it waits for other ranks
  return cluster::finish(*session.context().ranks, ending);
}

int run_expression(const Arguments& arguments, Session& session) {
  return guarded(session, [&] {
    const std::optional<Value> value = session.run_text("-e", arguments.expression);
    if (value && !value->is_none()) session.context().output->write(session.text_of(*value) + "\n");
  });
}

int run_script(const Arguments& arguments, SessionOptions options, Console& console) {
  options.arguments.assign(arguments.script.begin() + 1, arguments.script.end());
  options.keep_globals_on_error = false;
  Session session(std::move(options));
  const Breakpoints breakpoints(session, console);
  return guarded(session, [&] { session.run_file(arguments.script[0]); });
}

int run_profile(const Arguments& arguments, SessionOptions options) {
  options.arguments = arguments.script;
  options.keep_globals_on_error = false;
  Session session(std::move(options));
  const ProfileRequest& request = arguments.profile;
  return run_profiled(request, session, [&] { return guarded(session, [&] { session.run_file(request.file); }); });
}

constexpr const char* standard_input = "<standard input>";

int run_standard_input(SessionOptions options) {
  options.keep_globals_on_error = false;
  Session session(std::move(options));
  return guarded(session, [&] { session.run_text(standard_input, program_on_standard_input()); });
}

// The text is read and the folders are opened before the process is shut in.
int run_in_sandbox(const CLI::App& app, const Arguments& arguments, SessionOptions options) {
  const bool is_expression = app.count("-e") > 0, is_file = !is_expression && !arguments.script.empty();
  if (!app.get_subcommands().empty() || (!is_expression && !is_file && isatty(STDIN_FILENO) != 0)) {
    std::cerr << "error: --sandbox runs a program: a file, -e or standard input\n";
    return 2;
  }
  std::string text;
  if (!is_expression) text = is_file ? program_in(arguments.script[0]) : program_on_standard_input();
  options.arguments.assign(arguments.script.begin() + (is_file ? 1 : 0), arguments.script.end());
  options.keep_globals_on_error = false;
  confine(arguments.sandbox, options);
  return run_sandboxed(arguments.sandbox, [&] {
    Session session(std::move(options));
    if (is_expression) return finished(run_expression(arguments, session));
    if (is_file) session.stand_for(arguments.script[0]);
    return finished(guarded(session, [&] { session.run_text(is_file ? arguments.script[0] : standard_input, text); }));
  });
}

int run_repl(SessionOptions options, Console& console) {
  options.keep_frames = true;
  Session session(std::move(options));
  const Interrupts interrupts(session);
  const Breakpoints breakpoints(session, console);
  return Repl(session, console).run();
}

int run_cache(bool clears) {
  const std::string folder = gate::kernel_cache_folder();
  if (!clears) {
    std::cout << (folder.empty() ? "kernels are not cached: HOME is not set" : folder) << '\n';
  } else {
    std::cout << gate::clear_kernel_cache() << " kernels removed from " << folder << '\n';
  }
  return 0;
}

// With an option that stands before a file, -e or a text on standard input.
bool runs_program(const CLI::App& app, const Arguments& arguments) {
  const bool text = app.count("-e") > 0 || !arguments.script.empty() || isatty(STDIN_FILENO) == 0;
  if (app.get_subcommands().empty() && text) return true;
  std::cerr << "error: " << (arguments.json ? "--json" : "--debug-nan")
            << " is for a program: a file, -e or standard input\n";
  if (arguments.json) std::cerr << "  hint: covec check --json FILE and covec test --json have it behind their names\n";
  return false;
}

int run_ranks(SessionOptions options) {
  Session session(std::move(options));
  return guarded(session, [&] { session.within([&] { describe_ranks(session); }); });
}

// Several ranks run one program, which none of them is asked for.
bool runs_on_ranks(const CLI::App& app, const Arguments& arguments) {
  if (app.got_subcommand("ranks")) return true;
  return app.get_subcommands().empty() && !arguments.is_sandboxed && (app.count("-e") > 0 || !arguments.script.empty());
}

int refuse_ranks(const Job& job) {
  return job.refuse("the launcher has started " + std::to_string(job.size()) +
                    " ranks: they run a program in a file, -e or `covec ranks`");
}

int dispatch(const CLI::App& app, const Arguments& arguments, const Parts& parts) {
  const Job job(COVEC_VERSION);
  if (!job.problem().empty()) return job.refuse(job.problem());
  if (!job.is_alone() && !runs_on_ranks(app, arguments)) return refuse_ranks(job);
  Console console;
  StandardInput input;
  SessionOptions options;
  options.make_compiler = parts.make_compiler;
  options.keep_interrupts = true;
  options.output = &console;
  options.input = &input;
  if ((arguments.json || arguments.debug_nan) && !runs_program(app, arguments)) return 2;
  if (arguments.json) options.render = json_of;
  options.debug_nan = arguments.debug_nan;
  job.join(options);
  if (app.got_subcommand("ranks")) return run_ranks(std::move(options));
  if (arguments.is_sandboxed) return run_in_sandbox(app, arguments, std::move(options));
  if (app.got_subcommand("check")) return run_check(arguments.check, options);
  if (app.got_subcommand("fmt")) return run_format(arguments.format, options);
  if (app.got_subcommand("lsp")) return parts.serve_editor(options);
  if (app.got_subcommand("kernel")) return run_kernel(std::move(options), COVEC_VERSION);
  if (app.got_subcommand("jupyter")) return install_jupyter_kernel(arguments.installs_for_user);
  if (app.got_subcommand("shapes")) return run_shapes(arguments.shapes, std::move(options), parts);
  if (app.got_subcommand("test")) return run_tests(arguments.test, options);
  if (app.got_subcommand("doc")) return run_doc(arguments.doc, {});
  if (app.got_subcommand("dump")) return run_dump(arguments.dump, std::move(options), parts);
  if (app.got_subcommand("bench")) {
    options.arguments = arguments.script;
    return run_bench(arguments.bench, std::move(options));
  }
  if (app.got_subcommand("profile")) return run_profile(arguments, std::move(options));
  if (app.got_subcommand("emit")) return run_emit(arguments.emit, std::move(options), parts);
  if (app.got_subcommand("cache")) return run_cache(app.get_subcommand("cache")->got_subcommand("clear"));
  if (app.got_subcommand("verify")) {
    options.arguments = arguments.script;
    if (arguments.verifies_emitted) {
      EmitRequest request = arguments.emit;
      request.place = arguments.verify.file;
      return run_compare(request, std::move(options), parts);
    }
    return run_verify(arguments.verify, options);
  }
  if (app.count("-e") > 0) {
    options.arguments = arguments.script;
    Session session(std::move(options));
    const Breakpoints breakpoints(session, console);
    return run_expression(arguments, session);
  }
  if (!arguments.script.empty()) return run_script(arguments, std::move(options), console);
  if (isatty(STDIN_FILENO) != 0) return run_repl(std::move(options), console);
  return run_standard_input(std::move(options));
}

// What `emit` writes and `verify --emit` compares.
void describe_function(CLI::App& app, Arguments& arguments) {
  const auto derivative = [&](const char* flag, const char* name, const char* text) {
    app.add_flag_callback(
        flag, [&arguments, name] { arguments.emit.derivative = name; }, text);
  };
  derivative("--grad", "grad", "Use the gradient of the function with respect to its first argument");
  derivative("--jacobian", "jacobian", "Use the Jacobian of the function with respect to its first argument");
  derivative("--vjp", "vjp",
             "Use its vector-Jacobian product: it takes the arguments and a cotangent, and returns one cotangent per "
             "argument");
  app.add_option("--types", arguments.emit.types,
                 "Types of the parameters, such as 'f64[6], f64[n, 3], f64'; n becomes an argument of the C function");
}

void describe_sandbox(CLI::App& app, Arguments& arguments) {
  CLI::Option* sandbox =
      app.add_flag("--sandbox", arguments.is_sandboxed,
                   "Run the program without access to files, clock and devices, in a process with system limits");
  app.add_option("--read", arguments.sandbox.read,
                 "With --sandbox: a folder whose files the program may read and import")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(sandbox);
  app.add_option("--write", arguments.sandbox.write, "With --sandbox: a folder in which the program may write files")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(sandbox);
  app.add_option("--seconds", arguments.sandbox.seconds, "With --sandbox: limit of the run in seconds (default: 10)")
      ->check(CLI::Range(0.001, 1e6))
      ->needs(sandbox);
  app.add_option("--memory", arguments.sandbox.megabytes,
                 "With --sandbox: limit of the memory for values in megabytes (default: 512)")
      ->check(CLI::Range(1, 1 << 20))
      ->needs(sandbox);
}

void describe(CLI::App& app, Arguments& arguments) {
  app.set_version_flag("--version", version_text());
  app.add_option("-e", arguments.expression, "Run this text and show the value of its last expression");
  app.add_option("file", arguments.script, "A program, and the arguments that args() gives it");
  app.add_flag("--json", arguments.json, "Write errors and warnings as JSON, one object a line, to standard error");
  app.add_flag("--debug-nan", arguments.debug_nan,
               "Run the program eagerly, up to the first operation that makes a NaN or infinity of numbers");
  describe_sandbox(app, arguments);
  app.positionals_at_end(false);
  app.require_subcommand(0, 1);
  app.footer("Without a file, covec starts the REPL, or runs the program on standard input if that is not a terminal.");
  CLI::App* test = app.add_subcommand("test", "Run the functions marked @test");
  test->add_option("paths", arguments.test.paths, "Files or folders (default: this folder)");
  test->add_option("-k,--filter", arguments.test.filters,
                   "Run only tests whose file and name contain this text (or one of several)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  test->add_flag("-x,--stop", arguments.test.stop_at_first, "Stop at the first failure");
  test->add_flag("--json", arguments.test.json,
                 "Write failures and warnings as JSON, one object a line, and everything else to standard error");
  CLI::App* check = app.add_subcommand("check", "Tell errors and warnings of programs without running them");
  check->add_option("paths", arguments.check.paths, "Files, folders or - (standard input)")->required();
  check->add_flag("--json", arguments.check.json, "Write JSON, one object a line");
  check->add_flag("--strict", arguments.check.strict, "Exit with 1 for warnings, too");
  check->add_flag("--fix", arguments.check.fix, "Change files where one edit is exact");
  CLI::App* format = app.add_subcommand("fmt", "Format programs in place; - formats standard input");
  format->add_option("paths", arguments.format.paths, "Files, folders or - (standard input)")->required();
  CLI::Option* checks =
      format->add_flag("--check", arguments.format.only_checks, "Only name the files that are not formatted");
  format->add_flag("--diff", arguments.format.shows_difference, "Only show what would be changed")->excludes(checks);
  app.add_subcommand("lsp", "Serve an editor over standard input and output (Language Server Protocol)")
      ->add_flag("--stdio", arguments.on_standard_streams, "Accepted, and without effect: editors may give it");
  CLI::App* jupyter = app.add_subcommand("jupyter", "Make Covec known to Jupyter, as a language of notebooks");
  jupyter->require_subcommand(1);
  jupyter->add_subcommand("install", "Write the folder of the kernel, for all users of this machine")
      ->add_flag("--user", arguments.installs_for_user, "For this user alone");
  app.add_subcommand("kernel", "A session for a notebook: JSON over standard input and output")->group("");
  app.add_subcommand("shapes", "What a variable holds, for the language server")
      ->group("")  // it is in no help
      ->add_option("words", arguments.shapes)
      ->required();
  CLI::App* doc =
      app.add_subcommand("doc", "Write the manual of all builtins, of one builtin, of a module or of a file");
  doc->add_option("name", arguments.doc.name, "A builtin, a module, a name in a module, or file.covec");
  doc->add_flag("--html", arguments.doc.html, "Write HTML; without a name, all builtins and modules");
  doc->add_flag("--status", arguments.doc.status,
                "Write a table instead: how each builtin is compiled, differentiated and batched");
  doc->add_flag("--words", arguments.doc.words, "Write the results for a few shapes instead, for programs to read");
  doc->add_flag("--tokens", arguments.doc.tokens, "Write the keywords and the names of builtins instead, for editors");
  CLI::App* dump = app.add_subcommand("dump", "Show one stage of compiling a program");
  for (const char* stage : {"ast", "core", "ir", "opt", "kernels", "loops", "asm", "c", "opencl", "cuda"}) {
    dump->add_flag_callback(std::string("--") + stage, [&arguments, stage] { arguments.dump.stage = stage; });
  }
  dump->add_option("--types", arguments.dump.types, "Types of the parameters, such as 'f32[_, _], f64'");
  dump->add_option("place", arguments.dump.place, "file.covec or file.covec:function")->required();
  CLI::App* emit = app.add_subcommand("emit", "Write a function or its derivative as C code without dependencies");
  describe_function(*emit, arguments);
  emit->add_option("-o", arguments.emit.folder,
                   "The folder for the C file and its header, made where it is missing (default: this folder)");
  emit->add_option("place", arguments.emit.place, "file.covec:function")->required();
  CLI::App* cache = app.add_subcommand("cache", "Show the folder of compiled device kernels");
  cache->add_subcommand("clear", "Remove the kernels");
  app.add_subcommand("ranks", "Under mpirun, mpiexec or srun: show the MPI library and all ranks");
  CLI::App* bench = app.add_subcommand("bench", "Time the functions marked @bench");
  bench
      ->add_option("-k,--filter", arguments.bench.filters,
                   "Run only functions whose name contains this text (or one of several)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  bench->add_option("--rounds", arguments.bench.rounds, "The number of rounds (default: 30)")
      ->check(CLI::Range(1, 1 << 20));
  bench->add_option("--save", arguments.bench.save, "Write the results to this file");
  CLI::Option* against =
      bench->add_option("--against", arguments.bench.against, "Compare with the results in this file");
  bench
      ->add_option(
          "--limit", arguments.bench.limit,
          "With --against: exit with 1 if the time of a function has grown by more than this factor, such as 1.1")
      ->check(CLI::Range(1.0, 1e6))
      ->needs(against);
  bench
      ->add_option("file", arguments.bench.file, "file.covec, and the arguments that args() gives it, or saved results")
      ->required();
  CLI::App* profile = app.add_subcommand(
      "profile", "Run a program and tell which lines, functions and kernels take the time or memory");
  profile->add_flag("--memory", arguments.profile.memory,
                    "Tell which lines take memory, and which hold it at the peak, in place of times");
  profile->add_option("--svg", arguments.profile.svg, "Write a flame graph, which a browser opens");
  profile->add_option("--json", arguments.profile.json, "Write the profile for https://speedscope.app");
  profile->add_option("file", arguments.profile.file, "file.covec, and the arguments that args() gives it")->required();
  CLI::App* verify =
      app.add_subcommand("verify", "Run a program in two engines and compare every bit after each statement");
  verify->add_flag("--c", arguments.verify.with_c, "Compare with the C99 engine as well");
  CLI::Option* emitted = verify->add_flag("--emit", arguments.verifies_emitted,
                                          "For FILE:function, compare the C code of `covec emit` with machine code");
  describe_function(*verify, arguments);
  verify
      ->add_option("--given", arguments.emit.given,
                   "With --emit: the arguments of the first comparison, such as '[1.0, 2.0], 3'")
      ->needs(emitted);
  verify->add_option("--draws", arguments.emit.draws, "With --emit: the number of random inputs (default: 1000)")
      ->check(CLI::Range(0, 1 << 24))
      ->needs(emitted);
  verify->add_option("--build", arguments.emit.build, "With --emit: use only this compiler, such as 'gcc -O2 -mfma'")
      ->needs(emitted);
  verify->add_option("file", arguments.verify.file, "file.covec, and the arguments that args() gives it")->required();
}

// Of the options before a script, and behind the subcommand `runs` that runs one.
bool has_a_value(std::string_view argument, std::string_view runs) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> options) {
    return std::ranges::find(options, argument) != options.end();
  };
  if (runs == "profile") return is_one_of({"--svg", "--json"});
  if (runs == "bench") return is_one_of({"-k", "--filter", "--rounds", "--save", "--against", "--limit"});
  return is_one_of({"-e", "--read", "--write", "--seconds", "--memory", "--types", "--given", "--draws", "--build"});
}

// CLI11 would look for options of ours among those of the script: split them off before it sees them. Of `verify`,
// `profile` and `bench` they begin after the file; a function that is written as C has no script.
int first_script_argument(int argc, char** argv) {
  std::string_view runs;  // the subcommand that runs a program
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (has_a_value(argument, runs)) {
      ++i;
      continue;
    }
    if (runs == "verify" && argument == "--emit") return argc;
    if (argument.starts_with("-") && argument != "-") continue;
    if (!runs.empty()) return i + 1;
    if (argument == "verify" || argument == "profile" || argument == "bench") {
      runs = argument;
      continue;
    }
    for (const std::string_view command :
         {"test", "check", "fmt", "lsp", "jupyter", "kernel", "shapes", "doc", "dump", "emit", "cache", "ranks"}) {
      if (argument == command) return argc;
    }
    return i;
  }
  return argc;
}

}  // namespace

namespace {

int misplaced(const std::string& argument) {
  std::cerr << "error: covec has no option " << argument
            << "\n  hint: options of a program come after its file; --help shows the options of covec\n";
  return 2;
}

int parse_and_dispatch(int argc, char** argv, const Parts& parts) {
  CLI::App app("Covec: a small tensor language with derivatives as builtins", "covec");
  Arguments arguments;
  describe(app, arguments);
  const int script = first_script_argument(argc, argv);
  try {
    app.parse(script, argv);
    if (!arguments.script.empty()) return misplaced(arguments.script[0]);
  } catch (const CLI::ExtrasError& error) {
    if (script < argc && app.get_subcommands().empty()) return misplaced(argv[1]);
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  arguments.script.assign(argv + script, argv + argc);
  return dispatch(app, arguments, parts);
}

int failed(const char* why) {
  std::cout.flush();
  std::cerr << "error: " << why << '\n';
  return 1;
}

}  // namespace

// What is thrown outside of a session's own runs ends here: while one is made, or where there is no memory for saying
// what went wrong.
int run_command(int argc, char** argv, const Parts& parts) {
  std::ios::sync_with_stdio(false);
  keep_standard_descriptors();
  try {
    return finished(parse_and_dispatch(argc, argv, parts));
  } catch (const CovecError& error) {
    return failed(error.diagnostics.front().message.c_str());
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace covec
