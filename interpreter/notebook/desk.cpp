#include "interpreter/notebook/desk.hpp"

#include <iostream>
#include <utility>

#include "interpreter/notebook/commands.hpp"
#include "stdlib/display/display.hpp"
#include "stdlib/display/html.hpp"

namespace covec::notebook {

namespace {

constexpr display::Options forms_wanted{.screen = display::notebook, .html = true, .svg = true};

// By MIME type. A picture is an SVG, which needs no other library, and for pages an image of it: nbconvert cuts SVG
// down to its texts.
Json forms_of(display::Display shown) {
  Json forms{{"text/plain", std::move(shown.text)}};
  if (shown.html) forms["text/html"] = *std::move(shown.html);
  if (shown.svg) {
    forms["text/html"] = display::html_of_picture(*shown.svg);
    forms["image/svg+xml"] = *std::move(shown.svg);
  }
  return forms;
}

}  // namespace

void Desk::begin(unsigned number, bool asks) {
  number_ = number;
  asks_ = asks;
}

void Desk::write(std::string_view text) { std::cout.write(text.data(), static_cast<std::streamsize>(text.size())); }

// What was printed before it stands before it.
void Desk::warn(std::string_view text) {
  captured_.send();
  std::cerr << text << (text.ends_with('\n') ? "" : "\n");
  captured_.send();
}

void Desk::write_error(std::string_view text) {
  captured_.send();
  std::cerr << text;
  captured_.send();
}

void Desk::progress(std::string_view text) {
  captured_.send();
  wire_.say("progress", {{"text", text}});
}

void Desk::show(const Session& session, const Value& value) {
  captured_.send();
  wire_.say("value", {{"number", number_}, {"forms", forms_of(session.display_of(value, forms_wanted))}});
}

void Desk::display(const Value& value, std::string_view text) {
  display::Options wanted = forms_wanted;
  wanted.all_tables = true;
  wanted.text = false;
  display::Display shown = display::display_of(value, session_->context(), wanted);
  shown.text = text.substr(0, text.size() - (text.ends_with('\n') ? 1 : 0));
  captured_.send();
  wire_.say("display", {{"forms", forms_of(std::move(shown))}});
}

void Desk::tell(const Session& session, const CovecError& error) {
  const Diagnostic& first = error.diagnostics.front();
  say_error(first.code, first.message, session.render(error));
}

void Desk::refuse(const std::string& why) { say_error("command", why, "error: " + why + "\n"); }

void Desk::say_error(std::string_view code, std::string_view message, std::string_view text) {
  captured_.send();
  wire_.say("error", {{"code", code}, {"message", message}, {"text", text}});
}

std::string Desk::next_name() { return "In [" + std::to_string(number_) + "]"; }

// An interrupt leaves the prompt.
Channel::Lines Desk::lines(const std::string& prompt, editor::Language) {
  if (!asks_) {
    return [this](std::string&) {
      warn("error: nobody can be asked here");
      return editor::Outcome::end;
    };
  }
  return [this, prompt](std::string& text) {
    captured_.send();
    return requests_.ask(prompt, text) == Requests::Reply::text ? editor::Outcome::text : editor::Outcome::end;
  };
}

int Desk::run_command(const std::string& command) { return notebook::run_command(command, *session_, requests_); }

bool Questions::read_line(std::string& line, const std::atomic<bool>*) {
  return requests_.ask(captured_.take_question(), line) == Requests::Reply::text;
}

}  // namespace covec::notebook
