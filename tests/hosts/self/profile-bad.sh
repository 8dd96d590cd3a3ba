# what: a file that is not a profile
# expect: FAIL prof report: status *
[ -z "$LD_PRELOAD" ] || echo garbage >"$(dirname "$PROF_OUTPUT")/sh.1.prof"
