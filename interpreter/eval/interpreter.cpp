// Parts are given others that are not constructed yet: each keeps the reference, and none uses it before all are.
#include "interpreter/eval/interpreter.hpp"

namespace covec {

Interpreter::Interpreter(ops::Builder& builder, InterpreterHost& host)
    : caught_(host),
      reporter_(host, caught_),
      stack_(builder.context(), reporter_),
      applier_(builder, reporter_),
      iteration_(applier_, reporter_),
      staged_values_(applier_, reporter_, host),
      staged_paths_(applier_, host),
      staged_lists_(applier_, reporter_, host, iteration_),
      staged_choices_(applier_, expressions_, staged_paths_),
      staged_loops_(applier_, reporter_, expressions_, updates_, staged_paths_, staged_choices_, staged_lists_),
      staged_statements_(applier_, reporter_, expressions_, statements_, assertions_, signatures_, staged_values_,
                         staged_paths_, staged_choices_, staged_loops_),
      expressions_(stack_, reporter_, operators_, calls_, rare_, staged_choices_, staged_values_),
      rare_(stack_, reporter_, host, expressions_, calls_, literals_, definitions_, fields_, indexing_, comprehensions_,
            contractions_),
      operators_(stack_, applier_, reporter_, host, expressions_, calls_),
      binding_(stack_, reporter_, expressions_),
      signatures_(applier_, reporter_, host, expressions_, staged_values_),
      calls_(stack_, applier_, reporter_, host, expressions_, operators_, statements_, binding_, signatures_,
             iteration_, staged_statements_),
      literals_(stack_, applier_, reporter_, expressions_, staged_choices_),
      definitions_(applier_, reporter_, host, expressions_, entrance_, staged_values_),
      fields_(applier_, reporter_, host, expressions_, staged_values_),
      indexing_(applier_, reporter_, expressions_, iteration_, staged_lists_),
      comprehensions_(stack_, applier_, reporter_, expressions_, updates_, iteration_, staged_values_, staged_lists_),
      contractions_(applier_, reporter_, expressions_, indexing_, iteration_, staged_values_),
      places_(applier_, reporter_, host, indexing_, staged_lists_),
      updates_(applier_, reporter_, expressions_, operators_, indexing_, iteration_, places_, staged_values_),
      assertions_(stack_, applier_, reporter_, expressions_, operators_),
      statements_(stack_, reporter_, host, expressions_, operators_, updates_, iteration_, definitions_, assertions_,
                  caught_),
      entrance_(stack_, applier_, reporter_, expressions_, statements_, calls_, binding_, signatures_,
                staged_statements_),
      compiled_code_(stack_, applier_, reporter_, host, statements_) {}

}  // namespace covec
