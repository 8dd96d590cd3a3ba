# what: nothing that differs
# expect: PASS *
# profile: python3
python3 -c 'import threading as t; a = t.Thread(target=print, args=("a thread",)); a.start(); a.join()'
echo "of process $$" >&2
exit 3
