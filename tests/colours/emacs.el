;; Writes the class of each character of the files given, a line for each file, to $COVEC_CLASSES.  -*- lexical-binding: t -*-
(defconst classes
  '((font-lock-keyword-face . ?k) (font-lock-constant-face . ?k) (covec-number . ?n) (font-lock-string-face . ?s)
    (font-lock-comment-face . ?c) (font-lock-comment-delimiter-face . ?c)))

(defun classes-of-buffer ()
  (font-lock-ensure)
  (mapcar (lambda (at) (alist-get (get-text-property at 'face) classes ?.)) (number-sequence (point-min) (1- (point-max)))))

(let ((coding-system-for-write 'utf-8) lines)
  (dolist (file command-line-args-left)
    (with-current-buffer (find-file-noselect file)
      (unless (eq major-mode 'covec-mode) (error "%s is shown in %s" file major-mode))
      (push (concat (classes-of-buffer) "\n") lines)))
  (write-region (apply #'concat (nreverse lines)) nil (getenv "COVEC_CLASSES") nil 'quiet))
(kill-emacs 0)
