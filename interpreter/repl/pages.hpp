// What the prompt can show a page of, in one line each: builtins, functions and values of modules, keywords.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec {

struct Page {
  std::string name, signature, doc;            // "optim.sgd", "optim.sgd(p, g, lr=0.01)"
  std::vector<std::string> option_names = {};  // that **options takes, where they are known
};

std::vector<Page> pages_of_builtins();
// Members that are not private, in the order of their definition.
std::vector<Page> pages_of_module(const Session& session, const std::string& name, const Value& module);
std::vector<Page> pages_of_keywords();

// Comments are wrapped where they were written. This joins the lines of each paragraph, but for those that are
// indented.
std::string unwrapped(const std::string& doc);
std::string first_sentence(const std::string& doc);
// The parameters of a signature as written: "x", "axis=none".
std::vector<std::string> parameters_in(const std::string& signature);
bool is_option(std::string_view parameter);

// "sgd(p, g, …)  One step of gradient descent: …": a line for each, of at most so many columns; names are painted for
// standard output.
std::vector<std::string> rows_of_pages(std::span<const Page> pages, unsigned columns);

}  // namespace covec
