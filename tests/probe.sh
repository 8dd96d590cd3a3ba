# probe.sh - sourced: what this machine may lack. Each function compiles or runs what needs it, and
# prints nothing, or what is missing: then cases that need it are skipped.

# oneTBB, whose library is libtbb.so.12. (Before it, there was another TBB.)
missing_tbb() {
    probe_tmp=$(mktemp -d) || return
    printf '%s\n' '#include <oneapi/tbb/task_group.h>' \
        'int main() { tbb::task_group g; g.run([] {}); g.wait(); }' |
        g++ -std=c++17 -x c++ - -o "$probe_tmp/tbb" -ltbb 2>/dev/null &&
        ldd "$probe_tmp/tbb" | grep -q 'libtbb\.so\.12 ' && "$probe_tmp/tbb" ||
        echo 'no oneTBB, whose library is libtbb.so.12'
    rm -rf "$probe_tmp"
}
