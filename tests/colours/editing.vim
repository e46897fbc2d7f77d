" Writes to $COVEC_WRITTEN the file given with its lines indented anew, and then what is set for it.
execute "edit" fnameescape(argv(0))
silent %left
silent normal! gg=G
let s:settings = [&filetype, &commentstring, &comments, &matchpairs, &shiftwidth, &expandtab]
call writefile(getline(1, "$") + [string(s:settings)], $COVEC_WRITTEN)
