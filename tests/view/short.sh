# short.sh - a part of check.sh: pages of programs whose compiled names are long, or begin before
# the program's own code.
for name in templates entry; do
    g++ -O1 -g "$here/$name.cpp" -o $name -pthread || echo "FAIL view/$name: it is not built"
done
strip -o stripped entry
for name in templates entry stripped; do
    PROF_OUTPUT=$name.prof LD_PRELOAD=$build/libprof.so ./$name >/dev/null
    "$prof" view -o $name.html $name.prof 2>err || echo "FAIL view/$name: $(head -1 err)"
done
nm entry | awk '$3 == "main" { sub(/^0*/, "", $1); print "{\"main\": \"stripped+0x" $1 "\"}" }' \
    >stripped.json
