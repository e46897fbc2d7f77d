// Prints the pages of `?` and `:help`: builtins, functions and values of the session, modules that come with Covec
// (imported or not), and texts that contain a word. Pages are wrapped to the window and go to standard output.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "interpreter/repl/search.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Help {
 public:
  explicit Help(const Session& session) : session_(session) {}
  void overview() const;
  void answer(std::string_view question);  // what stands after the question mark
  // The page of a name, a keyword or an operator; false: it leads to none.
  bool answer_of_name(std::string_view name, bool whole);
  // A function that an expression gave: its signature, what its comment says (its first sentence, if it comes with
  // Covec), and where it is defined. False: it is shown as other values are.
  bool show_function(const Value& value) const;
  // Of a module that comes with Covec, imported or not, and of what is in it; false: the name leads to no such.
  // `whole`: all of a module, not a page of it.
  bool answer_of_module(std::string_view name, bool whole);

 private:
  void search(std::string_view text);
  void list(const Found& found) const;
  bool show_value(std::string_view name, const Session& session, bool whole) const;
  void show_module(const std::string& name, std::vector<Page> pages, bool whole) const;
  void show_nothing(std::string_view name);
  std::vector<Page> all_pages();
  const Session& modules();

  const Session& session_;
  std::unique_ptr<Session> modules_;  // where all modules that come with Covec are imported; made when it is asked for
};

}  // namespace covec
