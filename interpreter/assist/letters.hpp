// Letters by their names in LaTeX: `\alpha` and Tab give α at the prompt. Only letters stand here, since names consist
// of them; `\epsilon` and `\phi` are LaTeX's forms, as in Julia.
#pragma once

#include <string_view>

namespace covec {

struct NamedLetter {
  std::string_view name, letter;
};

inline constexpr NamedLetter named_letters[] = {
    {"alpha", "α"},    {"beta", "β"},    {"gamma", "γ"},   {"delta", "δ"},    {"epsilon", "ϵ"}, {"varepsilon", "ε"},
    {"zeta", "ζ"},     {"eta", "η"},     {"theta", "θ"},   {"vartheta", "ϑ"}, {"iota", "ι"},    {"kappa", "κ"},
    {"varkappa", "ϰ"}, {"lambda", "λ"},  {"mu", "μ"},      {"nu", "ν"},       {"xi", "ξ"},      {"omicron", "ο"},
    {"pi", "π"},       {"varpi", "ϖ"},   {"rho", "ρ"},     {"varrho", "ϱ"},   {"sigma", "σ"},   {"varsigma", "ς"},
    {"tau", "τ"},      {"upsilon", "υ"}, {"phi", "ϕ"},     {"varphi", "φ"},   {"chi", "χ"},     {"psi", "ψ"},
    {"omega", "ω"},    {"Gamma", "Γ"},   {"Delta", "Δ"},   {"Theta", "Θ"},    {"Lambda", "Λ"},  {"Xi", "Ξ"},
    {"Pi", "Π"},       {"Sigma", "Σ"},   {"Upsilon", "Υ"}, {"Phi", "Φ"},      {"Psi", "Ψ"},     {"Omega", "Ω"},
    {"ell", "ℓ"},      {"hbar", "ℏ"},    {"aleph", "ℵ"},   {"imath", "ı"},    {"jmath", "ȷ"},
};

}  // namespace covec
