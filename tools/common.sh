# shellcheck shell=bash
# What tools/run and tools/test share: find the packages, configure, build. Quiet when there is nothing to do; progress and
# errors go to standard error, so that a program's output stays its own. Start reading at prepare().

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
build=$root/build
configuration=(-DCMAKE_BUILD_TYPE=Release -DCOVEC_UNITY=ON)  # what cmake is told, beside where

die() {
  echo "covec: $*" >&2
  exit 1
}

say() { echo "covec: $*" >&2; }

package_lists=(packages.txt)  # tools/test adds its own

wanted_packages() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "${package_lists[@]/#/$root/tools/}"; }

# The wanted packages that dpkg does not have.
missing_packages() {
  local installed
  # shellcheck disable=SC2046  # the list is words
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $(wanted_packages) 2>/dev/null |
    sed -n 's/^installed //p')
  wanted_packages | grep -vxF "${installed:-none}"
}

# Runs a command as root: directly, or through sudo where there is one.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo -- "$@"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends "$@"
}

install_packages() {
  local missing=$1 log
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    die "these Debian packages are missing, and only root can install them: apt-get install $missing"
  say "installing $missing"
  log=$(mktemp) || die "cannot make a temporary file"
  # Lists may be absent or old: ask for them only when the first try fails.
  # shellcheck disable=SC2086  # the list is words
  if ! apt_install $missing >"$log" 2>&1; then
    as_root apt-get -q update >>"$log" 2>&1
    if ! apt_install $missing >>"$log" 2>&1; then
      local reason
      reason=$(grep -m1 '^E: ' "$log" | cut -c4-)
      die "apt-get could not install $missing (${reason:-see $log})"
    fi
  fi
  rm -f "$log"
}

# Elsewhere than on Debian nothing is installed; what is there may do.
check_commands() {
  local command absent=""
  for command in c++ cmake ninja antlr4 java python3; do
    command -v "$command" >/dev/null || absent="$absent $command"
  done
  [ -z "$absent" ] ||
    die "no apt-get here to install what is missing:$absent (on Debian: apt-get install $(wanted_packages | tr '\n' ' '))"
}

ensure_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    check_commands
    return
  fi
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  [ -z "$missing" ] || install_packages "${missing% }"
}

# A build folder that was configured in another place (a checkout that was moved) starts afresh.
configured_here() {
  [ -f "$build/build.ninja" ] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" 2>/dev/null
}

configure() {
  configured_here && return
  say "configuring"
  mkdir -p "$build" || die "cannot write to $build"
  cmake --fresh -S "$root" -B "$build" -G Ninja "${configuration[@]}" >"$build/configure.log" 2>&1 && return
  grep -A 4 -m1 'CMake Error' "$build/configure.log" >&2
  die "configuring failed; all that cmake said is in $build/configure.log"
}

# Reads ninja's lines: keeps them all in the log and shows how far the build is, on one line of a terminal or every tenth part elsewhere.
show_progress() {
  local line next=0 shown=""
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$build/build.log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    local done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} what=${BASH_REMATCH[3]}
    case $what in Re-checking* | Re-running*) continue ;; esac
    if [ -t 2 ]; then
      printf '\r\033[Kcovec: building %d/%d' "$done" "$total" >&2
      shown=yes
    elif [ $((done * 10 / total)) -ge "$next" ]; then
      say "building $done/$total"
      next=$((done * 10 / total + 1))
    fi
  done
  [ -z "$shown" ] || printf '\r\033[K' >&2
}

compile() {
  : >"$build/build.log"
  NINJA_STATUS='[%f/%t] ' ninja -C "$build" "$@" 2>&1 | show_progress
  [ "${PIPESTATUS[0]}" = 0 ] && return
  # What failed, and its first lines.
  grep -A 30 -m1 -E '^(FAILED:|ninja: error|CMake Error)' "$build/build.log" >&2
  die "the build failed; all that it said is in $build/build.log"
}

# --- is it built already? ---
# ninja knows best, but asking it, the packages and cmake takes longer than most programs run. So a list is kept of what a build
# read and what it made: each file's name, number, time of its last change and size. Another list means asking them. It needs no
# clock that goes forward, and sees what is edited, removed, added, moved or checked out, also where times were set back.

list=$build/built.list

# The packages' own list stands for the compiler and the headers of the system.
read_by_builds=("$root"/{CMakeLists.txt,CMakePresets.json,frontend,grammar,interpreter,jit,stdlib,tools} /var/lib/dpkg/status)
made_by_builds=("$build"/{covec,docs,CMakeCache.txt,build.ninja})

list_files() { find "$@" -type f -printf '%p %i %C@ %s\n' 2>/dev/null; }

is_built() {
  [ -x "$build/covec" ] && [ -s "$list" ] && list_files "${read_by_builds[@]}" "${made_by_builds[@]}" | cmp -s - "$list"
}

# prepare_once TARGET…: like prepare, but quick when nothing has changed since.
prepare_once() {
  is_built && return
  local sources
  sources=$(list_files "${read_by_builds[@]}")  # before building: what is edited meanwhile is seen the next time
  prepare "$@"
  { printf '%s\n' "$sources"; list_files "${made_by_builds[@]}"; } >"$list.new" 2>/dev/null && mv "$list.new" "$list"
  ! built_something || say "built: the command is $build/covec"
}

built_something() { grep -E '^\[[0-9]+/[0-9]+\] ' "$build/build.log" | grep -qvE '\] Re-(checking|running)'; }

# prepare TARGET…: everything that running needs. One at a time per checkout.
prepare() {
  ensure_packages
  configure_and_compile() {
    configure
    compile "$@"
  }
  mkdir -p "$build" 2>/dev/null && [ -w "$build" ] || die "cannot write to $build"
  if command -v flock >/dev/null; then
    exec 9>"$build/.lock"
    flock 9
    configure_and_compile "$@"
    exec 9>&-
  else
    configure_and_compile "$@"
  fi
}
