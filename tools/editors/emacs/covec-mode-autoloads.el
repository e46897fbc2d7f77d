;;; covec-mode-autoloads.el --- finds covec-mode  -*- lexical-binding: t -*-
(add-to-list 'load-path (directory-file-name (file-name-directory load-file-name)))
(autoload 'covec-mode "covec-mode" "Major mode for programs in Covec." t)
(add-to-list 'auto-mode-alist '("\\.covec\\'" . covec-mode))
;;; covec-mode-autoloads.el ends here
