// What `?while` says: a page for each keyword, and for the other forms of the language that people ask for.
#pragma once

#include <string_view>

namespace covec {

struct KeywordPage {
  std::string_view word, form, does, example, section;  // the section of docs/language.md
};

inline constexpr KeywordPage keyword_pages[] = {
    {"fn", "fn f(x, y=1.0) { … }",
     "Defines a function; `fn f(x) = e` is one expression, and fn(x) { … } without a name a value.",
     "fn area(w, h=1.0) = w * h\nprint(area(2), area(2, h=3))", "Functions"},
    {"return", "return e", "Ends a function with a value; without one, or without a return, it gives none.",
     "fn sign_of(x) { if x < 0 { return -1 }\n    return 1 }\nprint(sign_of(-3))", "Functions"},
    {"if", "if c { … } else { … }", "Chooses what runs; `a if c else b` chooses between two expressions.",
     "x = 3\nif x > 2 { print(\"large\") } else { print(\"small\") }", "Statements"},
    {"else", "if c { … } else if d { … } else { … }", "Begins what runs where the condition of an `if` is false.",
     "x = 3\nprint(\"large\" if x > 5 else \"small\")", "Statements"},
    {"for", "for i in range(n) { … }",
     "A loop over ranges, tensors, tuples, lists and maps, or in brackets a comprehension.",
     "for i, x in enumerate([5, 6]) { print(i, x) }\nprint([i^2 for i in range(3)], sum(i for i in range(4)))",
     "Statements"},
    {"in", "x in xs",
     "Tells whether something is a part of a list, tuple, tensor, string or map; in a loop, stands before what it goes "
     "through.",
     "print(2 in (1, 2), \"b\" not in {a: 1})\nfor i in range(2) { print(i) }", "Expressions"},
    {"while", "while c { … }", "A loop that runs as long as the condition is true.",
     "n = 1\nwhile n < 100 { n *= 2 }\nprint(n)", "Statements"},
    {"break", "break", "Leaves the innermost loop.", "for i in range(9) { if i == 2 { break }\n    print(i) }",
     "Statements"},
    {"continue", "continue", "Begins the next round of the innermost loop.",
     "for i in range(3) { if i == 1 { continue }\n    print(i) }", "Statements"},
    {"import", "import m", "Runs a module once and binds its name; `import \"file.covec\" as m` takes a file.",
     "import stats\nprint(stats.normal(0.0, 1.0).density(0.0))", "Modules"},
    {"as", "import m as name", "Binds a module to another name.", "import optim as o\nprint(o.sgd(1.0, 0.5, lr=0.1))",
     "Modules"},
    {"assert", "assert c, \"message\"",
     "An error unless the condition is true; it shows the values of the condition's parts.",
     "x = [1.0, 2.0]\nassert sum(x) == 3.0, \"another sum\"", "Statements"},
    {"try", "try { … } catch err { … }", "Runs the second block where the first one fails; err.message tells why.",
     "try { error(\"no\") } catch err { print(err.message) }\ntry { print(1 // 0) } catch { print(\"failed\") }",
     "Errors"},
    {"catch", "try { … } catch err { … }", "Begins what runs where the block of a `try` fails.",
     "try { error(\"no\") } catch err { print(err.message) }\ntry { print(1 // 0) } catch { print(\"failed\") }",
     "Errors"},
    {"true", "true", "The bool; a tensor of them is a mask.", "x = [1, 5]\nprint(true and any(x > 2), x[x > 2])",
     "Expressions"},
    {"false", "false", "The bool; a tensor of them is a mask.", "x = [1, 5]\nprint(not any(x > 9), false or true)",
     "Expressions"},
    {"none", "none", "No value: what a function without a return gives. Test it by == none.",
     "fn f(x, limit=none) = x if limit == none else minimum(x, limit)\nprint(f(3), f(3, limit=2))", "Values"},
    {"and", "a and b", "True if both are; b is evaluated only if a is true. Of tensors: a & b.",
     "x = 3\nprint(x > 0 and x < 5, [1, 9] > 2 & [1, 9] < 10)", "Expressions"},
    {"or", "a or b", "True if one is; b is evaluated only if a is false. Of tensors: a | b.",
     "x = 3\nprint(x < 0 or x > 2, [1, 9] < 2 | [1, 9] > 5)", "Expressions"},
    {"not", "not a", "True if a is false. Of tensors: ~a.", "print(not 1 > 2, ~([1, 9] > 2))\nprint(3 not in (1, 2))",
     "Expressions"},
    {"->", "x -> e", "A function without a name, a lambda; x -> { … } has a block.",
     "f = (x, y) -> x + y\nprint(f(1, 2), vmap(x -> x^2)([1.0, 2.0]))", "Functions"},
    {"comprehension", "[e for i in range(n)]",
     "A tensor or list of what an expression is for each item; `if` filters, sum(e for …) adds up.",
     "print([i^2 for i in range(4) if i != 2])\nprint(sum(i for i in range(4)))", "Comprehensions"},
    {"slice", "x[a:b:step]", "Elements from a up to b, negative from the end; `...` stands for all other axes.",
     "x = arange(6)\nprint(x[1:3], x[-1], x[::2])", "Indexing"},
    {"record", "{name: e, …}",
     "Values under names: r.name reads one, {...r, name: e} changes one. A struct, class or dictionary elsewhere.",
     "p = {w: 1.5, b: 0.0}\nprint(p.w, {...p, b: 2.0})", "Values"},
    {"f-string", "f\"{e} {e:.2f}\"", "A text with values in it, each with a format.",
     "x = 2.0 / 3\nprint(f\"x is {x:.3f}\")", "Strings"},
};

}  // namespace covec
