#include "interpreter/repl/search.hpp"

#include <algorithm>
#include <cctype>
#include <ranges>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "frontend/common/nearest.hpp"
#include "frontend/source/diagnostic.hpp"
#include "interpreter/repl/search_terms.hpp"

namespace covec {

namespace {

using Words = std::vector<std::string>;

// Cuts the endings of English words; words that differ only in these become one.
std::string stem_of(std::string word) {
  const auto cut = [&](std::string_view ending, size_t least) {
    const bool ends = word.size() >= least + ending.size() && word.ends_with(ending);
    if (ends) word.resize(word.size() - ending.size());
    return ends;
  };
  if (!word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")) cut("s", 3);
  if (!cut("ization", 4) && !cut("isation", 4) && !cut("ation", 4) && !cut("ing", 4)) cut("ed", 4);
  if (!cut("ize", 4) && !cut("ise", 4)) cut("e", 3);
  return word;
}

Words whole_words_of(std::string_view text) {
  Words words;
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const auto c = static_cast<unsigned char>(i < text.size() ? text[i] : ' ');
    if (std::isalnum(c) != 0 || c >= 0x80) {
      word += static_cast<char>(std::tolower(c));
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

Words words_of_text(std::string_view text) {
  Words words = whole_words_of(text);
  for (std::string& word : words) word = stem_of(std::move(word));
  return words;
}

// What is asked for, without the small words that every text has; of these alone all.
Words words_wanted(std::string_view text) {
  Words words = words_of_text(text);
  const auto is_small = [](const std::string& word) {
    constexpr std::string_view small[] = {"a", "an", "the", "of", "to", "for", "with", "by", "how", "do", "i"};
    return std::ranges::find(small, word) != std::end(small);
  };
  if (!std::ranges::all_of(words, is_small)) std::erase_if(words, is_small);
  return words;
}

std::string joined_words(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word;
  return text;
}

// A word may be the begin of a longer one; a long one may stand inside.
bool has_word_like(const Words& text, const std::string& wanted) {
  constexpr size_t long_enough = 5;  // letters
  return std::ranges::any_of(text, [&](const std::string& word) {
    return word.starts_with(wanted) || (wanted.size() >= long_enough && word.find(wanted) != word.npos);
  });
}

size_t count_of(const Words& text, const Words& wanted) {
  return static_cast<size_t>(
      std::ranges::count_if(wanted, [&](const std::string& word) { return has_word_like(text, word); }));
}

bool has_every(const Words& text, const Words& wanted) { return count_of(text, wanted) == wanted.size(); }

// One after the other, written as one word or as several.
bool has_phrase(const Words& text, const Words& wanted) {
  const std::string phrase = joined_words(wanted);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string here;
    for (size_t k = i; k < text.size() && here.size() < phrase.size(); ++k) here += text[k];
    if (here.starts_with(phrase)) return true;
  }
  return false;
}

// The pages that a term names are meant if its words are among those wanted, or the other way round.
Words names_by_terms(const Words& wanted) {
  Words names;
  for (const SearchTerm& term : search_terms) {
    const Words words = words_wanted(term.words);
    const bool among = has_every(wanted, words) || (wanted.size() > 1 && has_every(words, wanted));
    if (!among && joined_words(words) != joined_words(wanted)) continue;
    std::istringstream list{std::string(term.names)};
    for (std::string name; list >> name;) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

enum Rank : unsigned { is_name, by_term, in_name, phrase_in_summary, in_summary, phrase_in_text, in_text, nowhere };

struct Ranked {
  const Page* page;
  unsigned rank;
  size_t order, words;
};

std::string_view last_part_of(std::string_view name) { return name.substr(name.rfind('.') + 1); }

Ranked ranked(const Page& page, size_t number, const Words& wanted, const Words& terms) {
  const Words name = words_of_text(page.name);
  Words summary = words_of_text(page.signature + " " + first_sentence(page.doc));
  const Words text = words_of_text(page.signature + " " + page.doc);
  const auto term = std::ranges::find(terms, page.name);
  Rank rank = nowhere;
  if (words_of_text(last_part_of(page.name)) == wanted)
    rank = is_name;
  else if (term != terms.end())
    return {&page, by_term, static_cast<size_t>(term - terms.begin()), wanted.size()};
  else if (has_every(name, wanted) || has_phrase(name, wanted))
    rank = in_name;
  else if (has_phrase(summary, wanted))
    rank = phrase_in_summary;
  else if (has_every(summary, wanted))
    rank = in_summary;
  else if (has_phrase(text, wanted))
    rank = phrase_in_text;
  else if (has_every(text, wanted))
    rank = in_text;
  return {&page, rank, number, count_of(text, wanted)};
}

// The words of names, of first sentences and of the terms: those that people search for.
Words known_words(std::span<const Page> pages) {
  Words known;
  const auto add = [&](std::string_view text) {
    for (std::string& word : whole_words_of(text)) known.push_back(std::move(word));
  };
  for (const Page& page : pages) add(page.name + " " + first_sentence(page.doc));
  for (const SearchTerm& term : search_terms) add(term.words);
  constexpr size_t least = 4;  // letters; shorter ones are alike too often
  std::erase_if(known, [](const std::string& word) { return word.size() < least; });
  return known;
}

// Other words may be as near in letters as one that is spelled wrongly: "confusion" and "condition". Three quarters of
// the letters, at both ends, are right in a slip.
bool is_slip(std::string_view wanted, std::string_view near) {
  const auto alike = [](auto a, auto b) { return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin()); };
  const size_t at_begin = alike(wanted, near);
  const size_t at_end = alike(std::views::reverse(wanted), std::views::reverse(near));
  return 4 * (at_begin + at_end) >= 3 * wanted.size();
}

}  // namespace

std::string spelled_alike(std::string_view words, std::span<const Page> pages) {
  const Words known = known_words(pages);
  Words stems;
  for (const std::string& word : known) stems.push_back(stem_of(word));
  std::string text;
  for (const std::string& word : whole_words_of(words)) {
    const std::string stem = stem_of(word);
    std::string_view near = has_word_like(stems, stem) ? "" : nearest_name(stem, {stems.begin(), stems.end()});
    if (!is_slip(stem, near)) near = {};
    const std::string& alike =
        near.empty() ? word : known[static_cast<size_t>(std::ranges::find(stems, near) - stems.begin())];
    text += (text.empty() ? "" : " ") + alike;
  }
  return text;
}

Found pages_with(std::string_view words, std::span<const Page> pages) {
  const Words wanted = words_wanted(words);
  if (wanted.empty()) return {};
  const Words terms = names_by_terms(wanted);
  std::vector<Ranked> all;
  for (const Page& page : pages) all.push_back(ranked(page, all.size(), wanted, terms));
  Found found;
  found.whole = std::ranges::any_of(all, [](const Ranked& each) { return each.rank != nowhere; });
  // What a term names is meant: of the others those are left that speak of the words together.
  const bool named = std::ranges::any_of(all, [](const Ranked& each) { return each.rank == by_term; });
  if (named) std::erase_if(all, [](const Ranked& each) { return each.rank == in_text; });
  const size_t enough = found.whole ? 0 : std::max<size_t>(1, (wanted.size() + 1) / 2);
  std::erase_if(all, [&](const Ranked& each) { return found.whole ? each.rank == nowhere : each.words < enough; });
  std::ranges::stable_sort(all, [](const Ranked& a, const Ranked& b) {
    return std::tuple(a.rank, b.words, a.order) < std::tuple(b.rank, a.words, b.order);
  });
  for (const Ranked& each : all) found.pages.push_back(*each.page);
  return found;
}

}  // namespace covec
