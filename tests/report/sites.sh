# sites.sh - a part of run.sh: spawn sites are lines of the program, by any compiler, and with less
# and less debug information.
site_lines() { # PREFIX PROFILE: every marked line is found, with its function
    "$prof" report --json "$2" 2>err >sites.json
    for mark in direct outlined standard helper twice templated; do
        line=$(grep -n "// SITE $mark\$" "$here/sites.cpp" | cut -d: -f1)
        equal "$1-$mark" "\"sites.cpp:$line\"" \
            "$(jq -c --arg c $mark '.sites[] | select(.construct == $c) |
                (.file | sub(".*/"; "")) + ":" + (.line | tostring)' sites.json)"
    done
}
build_sites() { # OUTPUT COMPILER FLAGS...
    output=$1
    shift
    "$@" -std=c++17 -Wall -I"$here/include" "$here/sites.cpp" -o "$output" 2>gcc.log ||
        fail "build-$output" "$(head -3 gcc.log)"
}
sites_program
profile_of sites
site_lines g++ sites.prof
equal merged 1 "$(jq '[.sites[] | select(.construct == "twice")] | length' sites.json)"
equal merged-sums 2 "$(jq '.sites[] | select(.construct == "twice") | .invocations' sites.json)"
equal merged-addresses 2 \
    "$(jq '.sites[] | select(.construct == "twice") | .addresses | length' sites.json)"
json raw-apart '[.sites[] | select(.construct == "twice")] | length' 2 sites.prof --raw
has_not library-never-first '"function": "\(void \)\?\(tbb\|std\)::[^i]*run' sites.json
json nobodys '.sites[] | select(.construct == "internal") | .function' \
    '"tbb::detail::d1::internal(char const*)"' sites.prof
COLUMNS=120 "$prof" report --full --frames sites.prof >sites.txt
has lambda-name 'standard::{lambda' sites.txt
has frames-header 'oneapi/tbb/fake.h:' sites.txt
has anonymous-namespace '(anonymous namespace)::Matrix::multiply' sites.txt
equal build-id-silent 0 "$(grep -c '' err)"

# A sanitizer's function stands between the program and pthread_create.
cat >sanitized.c <<'C'
#include <pthread.h>
static void *nothing(void *a) { return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    return pthread_join(t, 0);
}
C
if gcc -g -fsanitize=address sanitized.c -o sanitized -pthread 2>gcc.log; then
    "$prof" run -c virtual -o sanitized.prof ./sanitized >out 2>err
    json sanitizers-spawn '[.sites[] | select(.construct == "pthread_create") |
        [.function, .line]]' '[["main",6]]' sanitized.prof
else
    fail sanitizers-spawn "$(head -3 gcc.log)"
fi

# A function that ends with its region jumps to the runtime, which returns to the function's caller.
cat >jumps.c <<'C'
static int total[64];
__attribute__((noinline)) static void inner(void)
{
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        total[i]++;
}
__attribute__((noinline)) static void outer(void) { inner(); }
int main(void)
{
    outer();
    total[0]++;
    return 0;
}
C
if gcc -O2 -g -fopenmp jumps.c -o jumps 2>gcc.log; then
    OMP_NUM_THREADS=2 "$prof" run -c virtual --no-report -o jumps.prof ./jumps >out 2>err
    json jumps '[.sites[] | select(.construct == "parallel") | [.function, .line]]' \
        '[["inner",4]]' jumps.prof
else
    fail jumps "$(head -3 gcc.log)"
fi

# The sites of OpenMP are the pragmas, in the program's function, whatever stands before them.
pragmas=$(sed -n '/#pragma.*SITE/=' "$here/regions.c" | jq -sc .)
regions() { # NAME COMPILER FLAGS...
    name=$1
    shift
    if ! "$@" -fopenmp -I"$here/../../include" "$here/regions.c" -o regions 2>gcc.log; then
        fail "$name" "$(head -3 gcc.log)"
        return
    fi
    OMP_NUM_THREADS=2 "$prof" run -c virtual --no-report -o regions.prof ./regions >out 2>err
    json "$name" '[.sites[] | select(.runtime == "openmp") | .line] | sort' "$pragmas" regions.prof
    json "$name-function" '[.sites[] | select(.runtime == "openmp") | .function |
        sub("[(:].*"; "")] | unique' '["regions"]' regions.prof
}
regions regions-O0 gcc -O0 -g
regions regions-O2 gcc -O2 -g
regions regions-no-pie gcc -O1 -g -gdwarf-4 -fno-pie -no-pie
regions regions-split gcc -O2 -g -gsplit-dwarf
# gcc 12 has no inlined function at the call of TBB's, only a line of its header: the site is main.
if g++ -O2 -g "$here/../../examples/faults/counts.cpp" -o counts -ltbb 2>gcc.log; then
    "$prof" run -c virtual --no-report -o counts.prof ./counts >out 2>err
    line=$(sed -n '/tbb::parallel_for(/=' "$here/../../examples/faults/counts.cpp")
    json own-line '[.sites[] | select(.construct == "parallel_for") | [.function, .line]]' \
        "[[\"main\",$line]]" counts.prof
else
    skip own-line "$(head -1 gcc.log)"
fi
# clang's names of tasks and regions do not have the program's function: the site around has it.
if command -v clang >/dev/null &&
    clang -O2 -g -fopenmp -I"$here/../../include" "$here/regions.c" -o regions 2>gcc.log; then
    OMP_NUM_THREADS=2 "$prof" run -c virtual --no-report -o regions.prof ./regions >out 2>err
    line=$(grep -n 'task // SITE' "$here/regions.c" | cut -d: -f1)
    COLUMNS=120 "$prof" report regions.prof >regions.txt 2>&1
    has regions-clang " regions *regions.c:$line *task" regions.txt
    has_not regions-clang-named 'omp_outlined\|OpenMP region' regions.txt
    COLUMNS=200 "$prof" report --full regions.prof >regions.txt 2>&1
    has regions-clang-full " regions[:.]*omp_outlined.* regions.c:$line *task" regions.txt
else
    skip regions-clang "$(head -1 gcc.log)"
fi

for variant in '-O0 -g' '-O2 -g -gdwarf-4' '-O3 -g -fno-pie -no-pie' '-O2 -g -gsplit-dwarf'; do
    name=sites$(echo "$variant" | tr -d ' ')
    build_sites "$name" g++ $variant
    profile_of "$name"
    site_lines "g++$(echo "$variant" | tr -d ' ')" "$name.prof"
done
if command -v clang++ >/dev/null; then
    build_sites sites-clang clang++ -O2 -g
    if [ -x sites-clang ]; then
        profile_of sites-clang
        site_lines clang sites-clang.prof
    fi
else
    skip clang "not installed"
fi

# The same program with less and less debug information. Its build id stays.
cp sites separate
objcopy --only-keep-debug separate separate.debug
strip separate
(objcopy --add-gnu-debuglink=separate.debug separate)
profile_of separate
site_lines debuglink separate.prof
cp sites symbols
strip -g symbols
profile_of symbols
# where `direct` is said to be, with N for its address
place='.sites[] | select(.construct == "direct") |
    [.function, .file, .code] | map(strings |= sub("0x[0-9a-f]+"; "N"))'
json symbols-only "$place" '["direct()",null,"symbols+N"]' symbols.prof
"$prof" report --full symbols.prof 2>/dev/null >symbols.txt
has symbols-only-text 'direct  *symbols+0x[0-9a-f]*' symbols.txt
cp sites stripped
strip stripped
profile_of stripped
json stripped "$place | .[:2]" '["stripped+N",null]' stripped.prof
cp sites changed
profile_of changed
build_sites changed g++ -O2 -g -DCHANGED=1 -Wl,--build-id=0x1234567890
json changed "$place | .[:2]" '["changed+N",null]' changed.prof
one=$("$prof" report changed.prof 2>&1 >/dev/null)
equal changed-says-so 1 \
    "$(echo "$one" | grep -c 'not the file that was profiled (its build id differs)')"
rm changed
equal gone-says-so 1 "$("$prof" report changed.prof 2>&1 >/dev/null | grep -c 'cannot be opened')"

# Several profiles in one report: each as it is alone, whatever files the ones before have opened.
# The same program is at other addresses in its second run.
profile_of sites && mv sites.prof again.prof && profile_of sites
files='again.prof sites.prof separate.prof sites.prof stripped.prof again.prof symbols.prof'
for file in $files; do "$prof" report --json "$file" 2>/dev/null; done | jq -s . >alone.json
"$prof" report --json $files 2>/dev/null | jq . >together.json
equal together "$(cksum <alone.json)" "$(cksum <together.json)"
equal together-moved 2 \
    "$(jq -r '[.[:2][].sites[] | select(.construct == "direct") | .addresses] | unique | length' \
        together.json)"
