// The signature of the call that is open, with the parameter that is written.
#include <algorithm>

#include "frontend/common/trimmed.hpp"
#include "interpreter/assist/documentation.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/lsp/callables.hpp"
#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

namespace {

// By its name, or by how many stand before it; a parameter with stars takes all that are left.
size_t active_parameter(const CallableText& callable, const OpenBracket& bracket) {
  const auto& parameters = callable.parameters;
  const auto number_of = [&](std::string_view stars) {
    const auto has_stars = [&](const std::string& text) {
      return text.substr(0, text.find_first_not_of('*')) == stars;
    };
    return static_cast<size_t>(std::ranges::find_if(parameters, has_stars) - parameters.begin());
  };
  const std::string_view name = name_of_argument(trimmed(bracket.arguments.back()));
  const auto named = static_cast<size_t>(std::ranges::find(callable.names, name) - callable.names.begin());
  if (!name.empty() && named < callable.names.size() && !parameters[named].starts_with('*')) return named;
  const size_t options = number_of("**"), rest = number_of("*");
  if (!name.empty() && options < parameters.size()) return options;
  const size_t number = bracket.arguments.size() - 1 + (callable.after_receiver ? 1 : 0);
  return rest < parameters.size() ? std::min(number, rest) : number;
}

bool is_definition(std::string_view before) {
  before = trimmed(before);
  return before == "fn" || before.ends_with(" fn") || before.ends_with("\nfn");
}

}  // namespace

Json help_with_signature(Workspace& workspace, const Json& params) {
  const std::optional<Cursor> place = place_in(workspace, params);
  if (!place) return nullptr;
  const std::string_view before = std::string_view(place->document.text).substr(0, place->offset);
  const std::optional<OpenBracket> bracket = open_bracket(before);
  if (!bracket || before[bracket->at] != '(') return nullptr;
  const std::string_view chain = chain_before(before, bracket->at);
  if (chain.empty() || is_definition(before.substr(0, bracket->at - chain.size()))) return nullptr;
  const std::optional<CallableText> callable = callable_of(workspace, *place, chain);
  if (!callable) return nullptr;
  Json parameters = Json::array();
  for (const std::string& each : callable->parameters) parameters.push_back({{"label", each}});
  Json signature{{"label", callable->signature}, {"parameters", std::move(parameters)}};
  if (!callable->doc.empty())
    signature["documentation"] = {{"kind", "markdown"}, {"value", markdown_of(callable->doc)}};
  return {{"signatures", Json::array({std::move(signature)})},
          {"activeSignature", 0},
          {"activeParameter", active_parameter(*callable, *bracket)}};
}

}  // namespace covec::lsp
