(define-package "covec-mode" "@RELEASE@" "Major mode for programs in Covec" '((emacs "25.1")))
