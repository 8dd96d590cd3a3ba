# hostile.sh - a part of run.sh: names with control characters do no harm.
profiles hostile
"$prof" report --full -m all --frames hostile.prof >hostile.txt 2>hostile.err
has_not hostile-text "$(printf '[\001-\010\013-\037\177\200-\237]')" hostile.txt
has_not hostile-stderr "$(printf '[\001-\010\013-\037\177\200-\237]')" hostile.err
"$prof" report --json hostile.prof >hostile.json 2>/dev/null
equal hostile-json 3 "$(jq '.sites | length' hostile.json)"
has hostile-json-whole '<script>alert(1)</script>' hostile.json
has_not hostile-json-raw "$(printf '[\001-\010\013-\037\177]')" hostile.json
