# shellcheck shell=bash
# tools/test --sanitize: everything built with the address and undefined-behaviour sanitizers (build-asan), and apart from that with
# the thread sanitizer (build-tsan), and the tests run. A finding is a report in build-*/reports, whatever became of the test
# that met it: a test that wants an error message does not hide one. Start reading at sanitize().

# Libraries of the system are not built with sanitizers. A container that one of them and Covec share looks overflowed to the one that
# did not see the other's bookkeeping; and what ANTLR and TBB do between threads is not seen at all (tools/tsan.supp names them).
# Tests of guarded memory end processes by SIGSEGV (handle_segv=0: any other one fails its test), and where an error unwinds a stack larger
# than ASan expects it would look at the alternate one of another thread (use_sigaltstack=0).
asan_options=detect_leaks=1:detect_container_overflow=0:strict_string_checks=1:detect_stack_use_after_return=1:handle_segv=0:use_sigaltstack=0
tsan_options=suppressions=$root/tools/tsan.supp:second_deadlock_stack=1:handle_segv=0:memory_limit_mb=6000

# Not run: what looks at the sources or at the documents' text rather than at running code, and the fuzzers' soaks; and one test and one script that unwind
# stacks of 159 and 124 MB (the fuzzers write endless recursion, too), and what runs on fibres and on stacks of 64 kB, for which its frames are too large: ASan leaves the marks of what is larger than 64 MB, and takes a variable of its own that comes to lie there for an overflow.
unsanitized='^structure|^tools|^documents|^bench|^fuzz|^devices.cuda|^devices.failures.cuda|^embed.Stacks|recursion_compiled|^Session.DeepRecursionThroughOperators'

# TSan crashes where more than 65,536 functions are open at once, as in 9000 interpreted calls of a script.
untraceable='^language.calls_itself.baseline'

# run_sanitized NAME OPTIONS…: builds build-NAME and runs the tests with it.
run_sanitized() {
  local name=$1 started=$SECONDS reports status left_out=$unsanitized
  [ "$name" = tsan ] && left_out+="|$untraceable"
  shift
  build=$root/build-$name
  configuration=(--preset "$name")
  reports=$build/reports
  prepare all
  rm -rf "$reports"
  mkdir -p "$reports"
  say "$name: built in $((SECONDS - started)) s"
  COVEC_SCRIPT_SECONDS=900 ASAN_OPTIONS=$asan_options:log_path=$reports/asan \
    UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/ubsan \
    TSAN_OPTIONS=$tsan_options:log_path=$reports/tsan \
    LSAN_OPTIONS=suppressions=$root/tools/lsan.supp:print_suppressions=0 \
    ctest --test-dir "$build" --no-tests=error --output-on-failure --parallel "$(nproc)" -E "$left_out" "$@"
  status=$?
  local count
  count=$(find "$reports" -type f | wc -l)
  say "$name: $count reports in $reports, $((SECONDS - started)) s"
  [ "$count" = 0 ] || { grep -hE '^(SUMMARY:|.*runtime error:)' "$reports"/* | sort | uniq -c | sort -rn >&2; status=1; }
  return "$status"
}

sanitize() {
  local status=0 which=${1:-all}
  case $which in
    address | thread) shift ;;
    *) which=all ;;
  esac
  export COVEC_EMBED_SECONDS=${COVEC_EMBED_SECONDS:-60}  # of the host that does anything in any order
  [ "$which" = thread ] || (run_sanitized asan "$@") || status=1
  [ "$which" = address ] || (run_sanitized tsan "$@") || status=1
  return "$status"
}
