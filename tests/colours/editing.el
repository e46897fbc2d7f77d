;; Writes to $COVEC_WRITTEN the file given with its lines indented anew, and then what is set for it.  -*- lexical-binding: t -*-
(defun commented (text)
  "The line that begins with TEXT, made a comment and then code again."
  (search-forward text)
  (comment-line 1)
  (forward-line -1)
  (prog1 (string-trim (buffer-substring-no-properties (point) (line-end-position)))
    (uncomment-region (point) (line-end-position))))

(defun text-in-brackets (text)
  "What stands in the brackets behind TEXT."
  (search-forward text)
  (let ((begin (point)))
    (forward-sexp)
    (buffer-substring-no-properties begin (point))))

(require 'subr-x)
(with-current-buffer (find-file-noselect (car command-line-args-left))
  (while (not (eobp)) (delete-horizontal-space) (forward-line))
  (indent-region (point-min) (point-max))
  (goto-char (point-min))
  (let ((settings (list major-mode indent-tabs-mode (text-in-brackets "error") (commented "y = x"))))
    (goto-char (point-max))
    (insert (format "%S\n" settings)))
  (write-region nil nil (getenv "COVEC_WRITTEN") nil 'quiet))
(kill-emacs 0)
