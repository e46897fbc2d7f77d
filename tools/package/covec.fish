# Completion of the command covec for fish.
set -l commands test check fmt lsp doc dump emit cache verify profile
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a test -d "Run the functions marked @test"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a check -d "Tell errors of programs without running them"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a fmt -d "Format programs"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a lsp -d "Serve an editor"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a doc -d "Print the manual"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a dump -d "Show one stage of compiling a program"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a emit -d "Write a function as C code without dependencies"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a cache -d "Show the folder of compiled device kernels"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a verify -d "Run a program in two engines and compare every bit"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -a profile -d "Tell where a program spends its time"
complete -c covec -n "__fish_seen_subcommand_from profile" -l svg -r -d "Write a flame graph"
complete -c covec -n "__fish_seen_subcommand_from profile" -l json -r -d "Write a file for speedscope"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -s e -x -d "Run this text"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -l version -d "Print the version"
complete -c covec -n "not __fish_seen_subcommand_from $commands" -l json -d "Write errors as JSON"
complete -c covec -n "__fish_seen_subcommand_from test check" -l json -d "Write JSON"
complete -c covec -n "__fish_seen_subcommand_from check" -l strict -d "Exit with 1 for warnings, too"
complete -c covec -n "__fish_seen_subcommand_from check" -l fix -d "Change files where one edit is exact"
complete -c covec -n "__fish_seen_subcommand_from fmt" -l check -d "Only name the files that are not formatted"
complete -c covec -n "__fish_seen_subcommand_from fmt" -l diff -d "Only show what would be changed"
complete -c covec -s h -l help -d "Print a summary"
complete -c covec -n "__fish_seen_subcommand_from test" -s k -l filter -x -d "Only tests whose name contains this"
complete -c covec -n "__fish_seen_subcommand_from test" -s x -l stop -d "Stop at the first failure"
complete -c covec -n "__fish_seen_subcommand_from doc" -l html -d "Write HTML"
complete -c covec -n "__fish_seen_subcommand_from doc" -l status -d "A table of builtins"
complete -c covec -n "__fish_seen_subcommand_from doc" -l words -d "For programs to read"
complete -c covec -n "__fish_seen_subcommand_from doc" -l tokens -d "Keywords and names, for editors"
for stage in ast core ir opt kernels loops asm c opencl cuda
    complete -c covec -n "__fish_seen_subcommand_from dump" -l $stage
end
complete -c covec -n "__fish_seen_subcommand_from dump" -l types -x -d "Types of the parameters"
complete -c covec -n "__fish_seen_subcommand_from verify" -l c -d "Compare with C99 as well"
complete -c covec -n "__fish_seen_subcommand_from verify" -l emit -d "Compare the C code of emit with machine code"
for derivative in grad jacobian vjp
    complete -c covec -n "__fish_seen_subcommand_from emit verify" -l $derivative
end
complete -c covec -n "__fish_seen_subcommand_from emit verify" -l types -x -d "Types of the parameters"
complete -c covec -n "__fish_seen_subcommand_from emit" -s o -r -d "The folder"
complete -c covec -n "__fish_seen_subcommand_from verify" -l given -x -d "The arguments of the first comparison"
complete -c covec -n "__fish_seen_subcommand_from verify" -l draws -x -d "The number of random inputs"
complete -c covec -n "__fish_seen_subcommand_from cache" -a clear -d "Remove the kernels"
