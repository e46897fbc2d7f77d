// Desk: the channel of a notebook. What programs print is written to the standard streams, which are captured; values,
// errors, bars and questions are messages of their own.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/notebook/captured.hpp"
#include "interpreter/notebook/requests.hpp"
#include "interpreter/repl/channel.hpp"
#include "stdlib/value/context.hpp"

namespace covec::notebook {

class Desk final : public ops::Output, public Channel {
 public:
  Desk(Wire& wire, Captured& captured, Requests& requests) : wire_(wire), captured_(captured), requests_(requests) {}
  void serve(Session& session) { session_ = &session; }
  // The cell that runs from now on; `asks`: somebody is there who answers.
  void begin(unsigned number, bool asks);

  void write(std::string_view text) override;
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override;
  void progress(std::string_view text) override;
  void display(const Value& value, std::string_view text) override;

  void begin_line() override {}
  void note(std::string_view line) override { warn(line); }
  void show(const Session& session, const Value& value) override;
  void tell(const Session& session, const CovecError& error) override;
  void refuse(const std::string& why) override;
  std::string next_name() override;
  unsigned number() const override { return number_; }
  Lines lines(const std::string& prompt, editor::Language language) override;
  bool can_ask() const override { return asks_; }
  int run_command(const std::string& command) override;
  bool has_terminal() const override { return false; }

  void say_error(std::string_view code, std::string_view message, std::string_view text);

 private:
  Wire& wire_;
  Captured& captured_;
  Requests& requests_;
  Session* session_ = nullptr;
  unsigned number_ = 0;
  bool asks_ = false;
};

// Who answers input().
class Questions final : public ops::Input {
 public:
  Questions(Captured& captured, Requests& requests) : captured_(captured), requests_(requests) {}
  bool read_line(std::string& line, const std::atomic<bool>* interrupt) override;

 private:
  Captured& captured_;
  Requests& requests_;
};

}  // namespace covec::notebook
