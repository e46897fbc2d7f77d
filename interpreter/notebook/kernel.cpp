#include "interpreter/notebook/kernel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "interpreter/assist/syntax.hpp"
#include "interpreter/notebook/captured.hpp"
#include "interpreter/notebook/cells.hpp"
#include "interpreter/notebook/cursor.hpp"
#include "interpreter/notebook/desk.hpp"
#include "interpreter/notebook/requests.hpp"
#include "interpreter/notebook/wire.hpp"
#include "interpreter/repl/answers.hpp"
#include "interpreter/repl/debug_prompt.hpp"
#include "interpreter/repl/help.hpp"
#include "interpreter/repl/interrupts.hpp"
#include "interpreter/repl/language.hpp"

namespace covec {

namespace notebook {

namespace {

// A request that lacks something, or has what nobody can read.
struct Refused {
  std::string why;
};

std::string text_in(const Json& request, const char* field) {
  const Json& found = field_of(request, field);
  if (!found.is_string()) throw Refused{std::string("\"") + field + "\" must be a text"};
  return found;
}

uint32_t number_in(const Json& request, const char* field) {
  const Json& found = field_of(request, field);
  if (!found.is_number_unsigned()) throw Refused{std::string("\"") + field + "\" must be a number without a sign"};
  if (found > UINT32_MAX) throw Refused{std::string("\"") + field + "\" must be less than 4294967296"};
  return found;
}

bool truth_in(const Json& request, const char* field) {
  const Json& found = field_of(request, field);
  if (!found.is_boolean() && !found.is_null()) throw Refused{std::string("\"") + field + "\" must be true or false"};
  return found == true;
}

class Kernel {
 public:
  Kernel(Session& session, Wire& wire, Captured& captured, Requests& requests, Desk& desk)
      : session_(session),
        wire_(wire),
        captured_(captured),
        requests_(requests),
        desk_(desk),
        answers_(session, desk),
        help_(session) {}

  void answer(const Json& request) {
    try {
      const std::string what = text_in(request, "do");
      if (what == "run") return run(request);
      if (what == "complete")
        return finish("completion", completions(session_, text_in(request, "text"), cursor(request)));
      if (what == "describe")
        return finish("description", {{"text", description(help_, text_in(request, "text"), cursor(request))}});
      if (what == "is_whole") return finish("wholeness", wholeness_of(text_in(request, "text")));
      if (what == "reset") return reset();
      throw Refused{"there is no request \"" + what + "\""};
    } catch (const Refused& refused) {
      requests_.finish();
      wire_.refuse(id_of(request), refused.why);
    }
  }

 private:
  static size_t cursor(const Json& request) { return number_in(request, "cursor"); }

  // Who reads the message may send an interrupt for the next request.
  void finish(std::string_view kind, Json fields) {
    captured_.send();
    requests_.finish();
    wire_.say(kind, std::move(fields));
  }

  void run(const Json& request) {
    const std::string text = text_in(request, "text");
    desk_.begin(number_in(request, "number"), truth_in(request, "asks"));
    const Breakpoints breakpoints(session_, desk_);
    session_.context().input = desk_.can_ask() ? input_ : nullptr;
    wire_.say("begun");
    const std::vector<Piece> pieces = pieces_of(session_, text);
    const Answers::Use last = truth_in(request, "aside") ? Answers::Use::shown : Answers::Use::kept;
    bool stays = true, fails = false;
    for (size_t i = 0; i < pieces.size() && stays && !fails; ++i) {
      stays = run(pieces[i], i + 1 == pieces.size() ? last : Answers::Use::none);
      fails = answers_.has_failed() || (pieces[i].is_command && is_interrupted());
      if (const std::optional<int> status = answers_.take_status()) {
        fails = *status != 0;
        if (fails) tell_of_end(*status);
        break;
      }
    }
    finish("done", {{"failed", fails}, {"leaves", !stays}});
  }

  // Programs tell it themselves; commands of the shell leave it.
  bool is_interrupted() {
    if (!session_.interrupted()) return false;
    desk_.say_error("interrupted", "interrupted", "interrupted\n");
    return true;
  }

  void tell_of_end(int status) {
    const std::string message = "the program has ended itself with status " + std::to_string(status);
    desk_.say_error("ended", message, "error: " + message + "\n");
  }

  // The lines before a piece are empty ones of its text, so that messages count those of the cell.
  bool run(const Piece& piece, Answers::Use use) {
    const Answers::Use own = piece.is_command && use == Answers::Use::none ? Answers::Use::kept : use;
    return answers_.answer(std::string(piece.lines_before, '\n') + piece.text, "", own);
  }

  Json wholeness_of(const std::string& text) const {
    const std::vector<Piece> pieces = pieces_of(session_, text);
    const Wholeness found = pieces.empty() ? Wholeness::whole : wholeness(session_, pieces.back().text);
    constexpr std::string_view names[] = {"whole", "open", "wrong"};
    return {{"text", names[static_cast<size_t>(found)]}, {"indent", indent_after(text)}};
  }

  void reset() {
    answers_.reset();
    finish("done", {{"failed", false}, {"leaves", false}});
  }

  Session& session_;
  Wire& wire_;
  Captured& captured_;
  Requests& requests_;
  Desk& desk_;
  ops::Input* const input_ = session_.context().input;
  Answers answers_;
  Help help_;
};

// A descriptor of our own for what stands there now; programs and commands of the shell find another one in its place.
int taken(int descriptor, int replacement) {
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(replacement, descriptor);
  return own;
}

}  // namespace

}  // namespace notebook

int run_kernel(SessionOptions options, const std::string& version) {
  using namespace notebook;
  signal(SIGPIPE, SIG_IGN);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int input = taken(STDIN_FILENO, nothing);
  Wire wire(taken(STDOUT_FILENO, STDERR_FILENO));
  Captured captured(wire);
  Requests requests(input, wire);
  Desk desk(wire, captured, requests);
  Questions questions(captured, requests);
  options.output = &desk;
  options.input = &questions;
  options.keep_frames = true;
  options.keep_interrupts = true;
  Session session(std::move(options));
  desk.serve(session);
  const Interrupts interrupts(session);
  Kernel kernel(session, wire, captured, requests, desk);
  wire.say("ready", {{"version", version}});
  requests.begin(session);
  while (const std::optional<Json> request = requests.take()) {
    wire.begin(id_of(*request));
    kernel.answer(*request);
    wire.end();
  }
  return 0;
}

}  // namespace covec
