# what: guile (threads, futures, collector) and sbcl (threads, a collector that stops them by signals, foreign handlers)
# packages: guile-3.0 sbcl
# needs: guile sbcl
# profile: guile sbcl
cat >p.scm <<'END'
(use-modules (ice-9 threads) (ice-9 futures) (ice-9 popen) (ice-9 rdelim))
(define (work k) (let loop ((i 0) (s 0) (l '())) (if (= i 100000) s (loop (+ i 1) (+ s (modulo (* i k) 7)) (if (= 0 (modulo i 1000)) '() (cons i l))))))
(display (map join-thread (map (lambda (k) (call-with-new-thread (lambda () (work k)))) '(1 2 3 4)))) (newline)
(display (par-map work '(5 6 7 8))) (newline)
(display (let* ((f (future (work 3))) (x (work 4))) (+ x (touch f)))) (newline)
(let* ((p (open-input-pipe "echo of a child; exit 3")) (l (read-line p))) (display l) (display (status:exit-val (close-pipe p)))) (newline)
(exit 4)
END
GUILE_AUTO_COMPILE=0 guile p.scm
echo "guile $?"
cat >p.lisp <<'END'
(defun work (k) (let ((s 0) (l nil)) (dotimes (i 300000 s) (setf s (mod (+ s (* i k)) 1000003)) (push i l) (when (zerop (mod i 1000)) (setf l nil)))))
#+sb-thread (print (mapcar #'sb-thread:join-thread (mapcar (lambda (k) (sb-thread:make-thread (lambda () (work k)))) '(1 2 3 4))))
(gc :full t)
(print (handler-case (sb-ext:with-timeout 0.2 (loop)) (sb-ext:timeout () :timeout)))
(print (handler-case (car (read-from-string "5")) (type-error () :type-error)))
(print (sb-ext:process-exit-code (sb-ext:run-program "/bin/sh" '("-c" "exit 3"))))
(terpri)
(sb-ext:exit :code 6)
END
sbcl --noinform --disable-ldb --lose-on-corruption --no-userinit --script p.lisp 2>/dev/null
echo "sbcl $?"
