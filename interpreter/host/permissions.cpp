// See permissions.hpp.
#include "interpreter/host/permissions.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/gate/limited.hpp"
#include "stdlib/value/error.hpp"

namespace covec::embedding {

namespace {

std::vector<std::string> strings_of(const char* const* list) {
  std::vector<std::string> all;
  for (; list != nullptr && *list != nullptr; ++list) all.emplace_back(*list);
  return all;
}

// What `ask` of the host's gives as a text, in the host's own environment. An exception becomes an error of the
// program: between here and the host lie frames that are not prepared for one.
template <class Ask>
bool answer(SessionGuard& guard, std::string& text, Ask&& ask) {
  std::string thrown;
  try {
    const SessionGuard::Outside outside(guard);
    const char* begin = nullptr;
    size_t bytes = 0;
    if (ask(&begin, &bytes) == 0) return false;
    text.assign(begin == nullptr ? "" : begin, begin == nullptr ? 0 : bytes);
    return true;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of unknown type";
  }
  fail(eval::row("host_exception"), {std::move(thrown)});
}

}  // namespace

bool HostInput::read_line(std::string& line, const std::atomic<bool>*) {
  return answer(guard_, line, [&](const char** text, size_t* bytes) { return function_(user_, text, bytes); });
}

bool HostModules::resolve(const std::string& name, std::string& text) {
  return answer(guard_, text,
                [&](const char** found, size_t* bytes) { return function_(user_, name.c_str(), found, bytes); });
}

void limit(const covec_options& options, covec_session& session, SessionOptions& chosen) {
  if (options.input != nullptr) session.input = std::make_unique<HostInput>(session.guard, options.input, options.user);
  if (options.resolve != nullptr)
    session.modules = std::make_unique<HostModules>(session.guard, options.resolve, options.user);
  chosen.input = session.input.get();
  chosen.resolver = session.modules.get();
  const TextLimits most;
  if (options.text_bytes != 0) chosen.texts.bytes = std::min<uint64_t>(options.text_bytes, most.bytes);
  if (options.text_nesting != 0) chosen.texts.nesting = std::min(options.text_nesting, most.nesting);
  constexpr auto longest = static_cast<uint64_t>(std::chrono::microseconds::max().count());
  chosen.run.time = std::chrono::microseconds(std::min(options.run_microseconds, longest));
  chosen.run.printed = options.run_printed_bytes;
  chosen.run.calls = options.run_calls;
}

std::shared_ptr<ops::Gate> gate_for(const covec_options& options) {
  const auto may = [&](covec_permission one) { return (options.permissions & one) != 0; };
  ops::Permissions given;
  given.read = strings_of(options.read_folders);
  given.write = strings_of(options.write_folders);
  given.clock = may(COVEC_MAY_READ_CLOCK);
  given.sleep = may(COVEC_MAY_SLEEP);
  given.input = options.input != nullptr;
  given.devices = may(COVEC_MAY_USE_DEVICES);
  given.libraries = may(COVEC_MAY_LOAD_LIBRARIES);
  given.imports = may(COVEC_MAY_IMPORT);
  given.ranks = may(COVEC_MAY_COMMUNICATE);
  given.environment = options.use_environment != 0;
  return std::make_shared<ops::LimitedGate>(given);
}

}  // namespace covec::embedding
