;;; covec-mode.el --- Major mode for programs in Covec  -*- lexical-binding: t -*-

;; Version: @RELEASE@
;; Package-Requires: ((emacs "25.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, indentation, brackets and comments of Covec @VERSION@, written by the build.
;; Strings end with their line, and f-strings hold code, which may hold strings again.  So a scanner marks where strings
;; begin and end, before Emacs reads the text; see `covec--propertize'.

;;; Code:

(defgroup covec nil "Programs in Covec." :group 'languages)

(defcustom covec-indent-offset 4 "Columns that an open bracket adds." :type 'integer :safe #'integerp)

(defface covec-number '((t :inherit font-lock-constant-face)) "Numbers.")
(defface covec-interpolation '((t :inherit font-lock-preprocessor-face)) "Braces around code in f-strings.")

(defvar covec-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\' "\"" table)
    (modify-syntax-entry ?_ "_" table)
    (dolist (sign '(?\\ ?+ ?- ?* ?/ ?% ?^ ?~ ?& ?| ?< ?> ?= ?! ?@ ?. ?, ?: ?\; ?$)) (modify-syntax-entry sign "." table))
    table))

;; --- strings ---

(defun covec--mark (at syntax)
  (put-text-property at (1+ at) 'syntax-table (string-to-syntax syntax)))

(defun covec--mark-brace (at)
  (put-text-property at (1+ at) 'covec-brace t))

(defun covec--scan-text (quote code)
  "Mark the end of the string that QUOTE ends; with CODE its interpolations, too."
  (let (done)
    (while (not done)
      (skip-chars-forward "^\"'\\\\{}\n")
      (let ((char (char-after)) (next (char-after (1+ (point)))))
        (cond
         ((null char) (setq done t))
         ((or (eq char quote) (eq char ?\n)) (covec--mark (point) "|") (forward-char) (setq done t))
         ((or (and (eq char ?\\) (not (memq next '(nil ?\n)))) (and code (memq char '(?{ ?})) (eq char next))) (forward-char 2))
         ((and code (eq char ?{))
          (covec--mark (point) "|")
          (covec--mark-brace (point))
          (forward-char)
          (covec--scan-interpolation))
         (t (forward-char)))))))

(defun covec--scan-interpolation ()
  "Mark where the code behind an f-string's brace ends."
  (let (closers done)
    (while (not done)
      (skip-chars-forward "^()\\[\\]{}\"'#:")
      (let* ((char (char-after)) (closer (cdr (assq char '((?\( . ?\)) (?\[ . ?\]) (?{ . ?}))))))
        (cond
         ((null char) (setq done t))
         ((memq char '(?\" ?\')) (covec--scan-string))
         ((eq char ?#) (end-of-line))
         (closer (push closer closers) (forward-char))
         ((and closers (eq char (car closers))) (pop closers) (forward-char))
         (closers (forward-char))
         ((eq char ?:)
          (covec--mark (point) "|")
          (skip-chars-forward "^{}\"'\n")
          (when (eq (char-after) ?}) (covec--mark-brace (point)) (forward-char))
          (setq done t))
         ((eq char ?}) (covec--mark (point) "|") (covec--mark-brace (point)) (forward-char) (setq done t))
         (t (forward-char)))))))

(defun covec--scan-string ()
  "Mark the string whose quote is at point, and what is in it."
  (let* ((start (point))
         (code (and (eq (char-before) ?f)
                    (save-excursion (backward-char) (looking-at-p "\\_<")))))
    (covec--mark start "|")
    (forward-char)
    (covec--scan-text (char-after start) code)
    (when code (put-text-property start (point) 'syntax-multiline t))))

(defun covec--propertize (start end)
  "Mark the strings between START and END."
  (goto-char start)
  (remove-text-properties start end '(covec-brace nil))
  (while (re-search-forward "[\"'#]" end t)
    (if (eq (char-before) ?#)
        (end-of-line)
      (backward-char)
      (covec--scan-string))))

(defun covec--match-brace (limit)
  "Find a brace of an interpolation before LIMIT."
  (let ((at (text-property-any (point) limit 'covec-brace t)))
    (when at
      (goto-char (1+ at))
      (set-match-data (list at (1+ at)))
      t)))

;; --- words ---

(defun covec--words (words) (regexp-opt words 'symbols))

(defun covec--builtins (words)
  "A function that finds one of WORDS.
A field that is not called is none, nor is a name before a `='."
  (let ((pattern (covec--words words)))
    (lambda (limit)
      (let (found)
        (while (and (not found) (re-search-forward pattern limit t))
          (setq found (and (or (not (eq (char-before (match-beginning 0)) ?.)) (looking-at-p "[ \t]*("))
                           (not (looking-at-p "[ \t]*=\\(?:[^=]\\|$\\)")))))
        found))))

(defconst covec--font-lock
  `((covec--match-brace 0 'covec-interpolation t)
    ("\\_<\\(f\\)[\"']" 1 font-lock-string-face)
    ("\\_<fn[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ("^[ \t]*\\(@\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-preprocessor-face)
    @EMACS_RULES@))

;; --- indentation ---

(defun covec-indent-line ()
  "Indent by a step more than the line with the innermost open bracket."
  (interactive)
  (let* ((opener (save-excursion (back-to-indentation) (nth 1 (syntax-ppss))))
         (step (save-excursion (back-to-indentation) (if (looking-at-p "[])}]") 0 covec-indent-offset)))
         (column (if opener (+ step (save-excursion (goto-char opener) (current-indentation))) 0)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode covec-mode prog-mode "Covec"
  "Major mode for programs in Covec."
  (setq-local comment-start "# "
              comment-start-skip "#+[ \t]*"
              comment-end ""
              indent-tabs-mode nil
              indent-line-function #'covec-indent-line
              electric-indent-chars (append "])}" electric-indent-chars)
              imenu-generic-expression '((nil "^[ \t]*fn[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1))
              parse-sexp-lookup-properties t
              syntax-propertize-function #'covec--propertize
              font-lock-defaults '(covec--font-lock))
  (add-hook 'syntax-propertize-extend-region-functions #'syntax-propertize-multiline 'append 'local))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.covec\\'" . covec-mode))

(provide 'covec-mode)
;;; covec-mode.el ends here
