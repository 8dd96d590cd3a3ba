# helpers.sh - sourced by run.sh: what its parts share. A part has nothing else of another part.

# ---- cases ----
pass() { echo "PASS report/$part/$1"; }
fail() {
    failed=1
    echo "FAIL report/$part/$1: $(echo "$2" | head -c 600 | tr '\n' ' ')"
    [ ${#2} -le 600 ] || printf '%s\n' "$2" | sed 's/^/     | /'   # whole, as in case.sh
}
result() { # NAME DETAIL: empty detail passes
    if [ -z "$2" ]; then pass "$1"; else fail "$1" "$2"; fi
}
skip() { echo "SKIP report/$part/$1: $2"; } # NAME WHY
# jq 1.7 prints the number 4.0 as it was written, and no integer above 2^53 exactly. 1.6 prints 4.
jq_writes=$(echo 4.0 | jq .)
plain_numbers() { # TEXT
    echo "$1" | sed 's/\([0-9]\)\.0\([],}]\)/\1\2/g; s/^\(-*[0-9]*\)\.0$/\1/
        s/9223372036854775807/9223372036854776000/g'
}
equal() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ] ||
        { [ "$jq_writes" = 4.0 ] && [ "$(plain_numbers "$2")" = "$(plain_numbers "$3")" ]; }; then
        pass "$1"
    else
        fail "$1" "expected <$2>, got <$3>"
    fi
}
status() { # NAME EXPECTED COMMAND...: exit status
    name=$1 expected=$2
    shift 2
    "$@" >out 2>err
    equal "$name" "$expected" $?
}
# What is wrong is one line, and status 2.
one_line() { # NAME PATTERN COMMAND...
    name=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    code=$?
    if [ $code = 2 ] && [ ! -s out ] && [ "$(grep -c '' err)" = 1 ] &&
        grep -q -e "^prof: .*$pattern" err; then
        pass "$name"
    else
        fail "$name" "status $code, $(head -c 300 err)"
    fi
}
# FILTER is applied to prof report's JSON of FILE; OPTIONS are prof's.
of_json() { # FILTER FILE... [OPTIONS]
    of_filter=$1
    shift
    "$prof" report --json "$@" 2>/dev/null | jq -c "$of_filter" 2>&1
}
rows() { jq -cn "$1"; } # JSON: on one line
# EXPECTED is JSON on any number of lines. Most is as jq -c writes it: then one jq is enough.
json() { # NAME FILTER EXPECTED FILE [OPTIONS]
    name=$1 filter=$2 expected=$3
    shift 3
    got=$(of_json "$filter" "$@")
    [ "$got" = "$expected" ] || expected=$(printf %s "$expected" | jq -c . 2>&1)
    equal "$name" "$expected" "$got"
}
has() { # NAME PATTERN FILE
    if grep -q -e "$2" "$3"; then pass "$1"; else fail "$1" "no <$2>"; fi
}
has_words() { # NAME FILE PATTERN...: the patterns, with a blank between
    name=$1 file=$2
    shift 2
    has "$name" "$*" "$file"
}
has_not() { # NAME PATTERN FILE
    found=$(grep -e "$2" "$3" | head -1 | cut -c1-100)
    if [ -n "$found" ]; then fail "$1" "found $found"; else pass "$1"; fi
}
damage() { # NAME [-N] FILE HOW...: every variant is refused, N of them at a time (damage.c)
    name=$1
    shift
    tries=$(./damage "$@") && pass "$name ($tries)" || fail "$name" "$tries"
}
escape=$(printf '\033')

# ---- valgrind ----
vg=
if command -v valgrind >/dev/null && ! nm "$prof" 2>/dev/null | grep -q __asan_init; then
    vg="valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
fi

# ---- programs: compiled once a run ----
program() { # NAME COMPILER...: NAME is here
    program=$1
    shift
    [ -x "$tools/$program" ] || "$@" -o "$tools/$program" 2>gcc.log ||
        fail "build-$program" "$(head -3 gcc.log)"
    cp "$tools/$program" .
}
build_tool() { # NAME SOURCE...
    tool=$1
    shift
    gcc -std=gnu11 -O1 -Wall -I"$include" "$@" -o "$tools/$tool" 2>gcc.log && pass "build-$tool" ||
        fail "build-$tool" "$(cat gcc.log)"
}
peak_program() { program peak gcc -O1 -Wall "$here/peak.c"; } # peak memory of a command
victim_program() { program victim gcc -O1 "$here/victim.c"; } # exits, dies, waits as it is told
sites_program() { # prints the addresses of its spawn sites, for gen_profile
    program sites g++ -O2 -g -std=c++17 -Wall -I"$here/include" "$here/sites.cpp"
}
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; } # PROGRAM

# ---- profiles of gen_profile ----
profiles() { # KIND...: KIND.prof is here
    for profile; do
        case $profile in
        none) : >none.prof ;;
        random) head -c 100000 /dev/urandom >random.prof ;;
        *) ./gen "$profile" >"$profile.prof" || fail "gen-$profile" "status $?" ;;
        esac
    done
}
judged_profile() { ./gen paths 200 50 >judged.prof; } # a function has a verdict
profile_of() { # PROGRAM: sites as it was built; a profile with its real addresses
    BUILD_ID=$(build_id "./$1") ./gen sites $("./$1") >"$1.prof"
}
# Every line of `sites` has a cost that is known. It started after the source was written.
lines_profile() {
    sites_program
    STARTED=$(($(date +%s) + 10))000000000 BUILD_ID=$(build_id ./sites) \
        ./gen lines $(./sites) >lines.prof || fail gen-lines "status $?"
}
# Four runs of one program: f has 100, 102, 98 and 104 ms of span, g has none.
four_runs() {
    i=0
    for f in 100 102 98 104; do
        ./gen run $f 300 2 >a$i.prof
        i=$((i + 1))
    done
}

# Runs that more than one part judges: NAME KEY=VALUE...
known_grains="
fib tasks=8000000 on=30 work=1000 inside=93 span=1 dispatch=700 own=150 sleep=120 longest=0.001
narrow tasks=3 work=900 span=300 sleep=400 elapsed=700 root=100 longest=300
busy work=1990 longest=10
taskloop tasks=700 invocations=1 construct=taskloop work=1000 span=2 sleep=990 longest=3 threads=1 \
    busiest=100
sleeper tasks=40 on=1 work=10 span=1.4 longest=0.3 blocked=4000 elapsed=2030 delay=4000000 \
    waited=398
turns construct=pthread_create tasks=2 on=1 work=400 span=200 longest=200 elapsed=420 blocked=400 \
    waited=38 delay=2000000
before tasks=400 on=1 work=431 span=5 longest=1.2 elapsed=960 absent=528 sleep=1.22 outside=503 \
    slept=50 delay=434000000 ready=1220000 blocked=446
asleep tasks=0 spawns=0 workers=1 work=0 root=100 span=0 elapsed=1010 outside=902 delay=1000000 \
    slept=90
parent tasks=0 spawns=0 workers=1 work=0 root=100 span=0 elapsed=1010 outside=902 children=2 \
    cpu=600000000
coarse tasks=3 on=1 work=300 span=100 elapsed=205 sleep=90 root=0.1 longest=101
"
grain() { # NAME [KEY=VALUE...]: NAME.prof, NAME.txt; without more, NAME is one of the known
    name=$1
    # shellcheck disable=SC2046  # words
    [ $# -gt 1 ] || set -- $(echo "$known_grains" | grep "^$1 ")
    shift
    ./gen grain "$@" >"$name.prof" &&
        COLUMNS=900 "$prof" report --full "$name.prof" >"$name.txt" 2>/dev/null
}

# ---- prof's forms ----
compare() { "$prof" diff --json "$@" 2>/dev/null; }
schema=$here/../../report/export
pprof_text() { # FILE
    gzip -dc "$1" | protoc --proto_path="$schema" --decode=pprof.Profile pprof.proto
}
# The page is part of prof where esbuild made it.
has_page() { "$prof" view -o - basic.prof >/dev/null 2>err; }
