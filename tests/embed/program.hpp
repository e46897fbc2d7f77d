// A session, and one with a program, for tests of covec.h.
#pragma once

#include <covec/covec.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

struct CloseSession {
  void operator()(covec_session* session) const { covec_close(session); }
};
using OpenSession = std::unique_ptr<covec_session, CloseSession>;

class Program {
 public:
  explicit Program(const char* text = "") : session(covec_open(nullptr)) {
    EXPECT_EQ(covec_run(session, "program", text, nullptr), COVEC_OK) << covec_error_text(session);
  }
  ~Program() {
    for (covec_value* value : held_) covec_release(value);
    covec_close(session);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Released with the program.
  covec_value* hold(covec_value* value) {
    held_.push_back(value);
    return value;
  }
  // What make(&value) makes.
  template <class Make>
  covec_value* made(Make make) {
    covec_value* value = nullptr;
    EXPECT_EQ(make(&value), COVEC_OK) << covec_error_text(session);
    return hold(value);
  }
  covec_value* get(const char* name) {
    return made([&](covec_value** value) { return covec_get(session, name, value); });
  }
  covec_value* value_of(const char* text) {
    return made([&](covec_value** value) { return covec_run(session, "text", text, value); });
  }
  covec_value* number(double number) {
    return made([&](covec_value** value) { return covec_number(session, number, value); });
  }
  covec_value* string(const std::string& text) {
    return made([&](covec_value** value) { return covec_string(session, text.data(), text.size(), value); });
  }
  std::string message() const { return covec_error_message(session); }
  std::string kind() const { return covec_error_kind(session); }

  covec_session* const session;

 private:
  std::vector<covec_value*> held_;
};

inline std::string text_of(covec_value* value) { return {covec_text(value), covec_text_bytes(value)}; }
