# Completion of the command covec for bash.
_covec() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    case $word in
      -*) mapfile -t COMPREPLY < <(compgen -W "-e --json --version -h --help" -- "$word") ;;
      *) mapfile -t COMPREPLY < <(compgen -W "test check fmt lsp jupyter doc dump emit cache verify profile bench" -- "$word"; _covec_files "$word") ;;
    esac
    return
  fi
  case $command in
    test) _covec_options "-k --filter -x --stop --json -h --help" ;;
    check) _covec_options "--json --strict --fix -h --help" ;;
    fmt) _covec_options "--check --diff -h --help" ;;
    doc) _covec_options "--html --status --words --tokens -h --help" ;;
    dump)
      [ "$before" = --types ] && return
      _covec_options "--ast --core --ir --opt --kernels --loops --asm --c --opencl --cuda --types -h --help"
      ;;
    emit)
      [ "$before" = --types ] && return
      _covec_options "--grad --jacobian --vjp --types -o -h --help"
      ;;
    verify) _covec_options "--c --emit --grad --jacobian --vjp --types --given --draws -h --help" ;;
    bench) _covec_options "-k --filter --rounds --save --against --limit -h --help" ;;
    profile) _covec_options "--memory --svg --json -h --help" ;;
    jupyter) mapfile -t COMPREPLY < <(compgen -W "install --user -h --help" -- "$word") ;;
    cache) mapfile -t COMPREPLY < <(compgen -W "clear -h --help" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

# Programs and folders.
_covec_files() {
  compgen -f -X '!*.covec' -- "$1"
  compgen -d -- "$1"
}

_covec_options() {
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(_covec_files "$word") ;;
  esac
}

complete -o filenames -F _covec covec
