// Fills a message's pattern and throws it.
#include "stdlib/value/error.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "stdlib/value/memory.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

std::string fill(std::string_view pattern, const std::vector<std::string>& parts) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i, 2) == "{}") {
      if (next < parts.size()) out += parts[next++];
      ++i;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

}  // namespace

void fail(const Message& message, std::vector<std::string> parts, std::vector<ArgumentLabel> labels, std::string hint) {
  throw OpError{message.key, fill(message.pattern, parts), std::move(labels), std::move(hint), nullptr, message.kind};
}

namespace {

// What else is held is let go first: telling takes memory.
OpError no_memory() {
  if (Memory* memory = Memory::current(); memory != nullptr) memory->relieve();
  const Message& row = message("system_memory");
  return {row.key, std::string(row.pattern), {}, {}, nullptr, row.kind};
}

}  // namespace

OpError current_error() {
  try {
    throw;
  } catch (const OpError& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {  // longer than anything can be
    return no_memory();
  } catch (const std::runtime_error&) {  // of the system: a compiler of C that is not there
    throw;
  } catch (const std::exception& bug) {  // our own checks, and the library's
    const Message& row = message("internal");
    return {row.key, fill(row.pattern, {bug.what()}), {}, {}, nullptr, row.kind};
  }
}

void fail_not_staged(std::string what) { fail(message("not_staged"), {std::move(what)}); }

}  // namespace covec
