// Documentation of modules and files as Markdown: the comments at their beginning, and their functions with the
// comments above them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interpreter/session/session.hpp"

namespace covec {

// A comment as Markdown: what is indented by four is a program, and has a language.
std::string markdown_of(const std::string& comment);

// A module that comes with Covec ("stats"), or a function in one ("stats.normal"); nothing: the name leads to no such.
std::optional<std::string> documentation_of_module(std::string_view name);

// The comment that a module which comes with Covec begins with; "" of others.
std::string preface_of_module(std::string_view name);

// All modules that come with Covec, as chapters.
std::string documentation_of_library();

// A program, which is read and not run; `name`: what it is called. Throws CovecError, which the session renders, where
// it has syntax errors.
std::string documentation_of_text(Session& session, const std::string& name, std::string text);

}  // namespace covec
