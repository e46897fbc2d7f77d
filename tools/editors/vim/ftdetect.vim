autocmd BufRead,BufNewFile *.covec setfiletype covec
