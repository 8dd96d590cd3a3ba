# ready.sh - a part of check.sh: as many tasks wait for a worker as the program itself says, at each
# time.
ready() { # RUNTIME MODE CHECK
    profiled r.prof ./ready-$1 "$2" >/dev/null
    checked r.prof "$3"
}
ready_queue() { # RUNTIME
    profiled r.prof ./ready-$1 queue >ready.txt
    checked r.prof 'ready($first; $began)' \
        --argjson first "$(sed -n 's/^first //p' ready.txt)" \
        --argjson began "[$(sed -n 's/^began //p' ready.txt | paste -sd ,)]"
}
build_ready() { # RUNTIME
    case $1 in
    tbb) build ready-tbb g++ -std=c++17 "$here/ready.cpp" -ltbb ;;
    libgomp) build ready-libgomp g++ -fopenmp "$here/ready.cpp" ;;
    libomp) build ready-libomp clang++ -fopenmp "$here/ready.cpp" ;;
    esac
}
for runtime in tbb libgomp libomp; do
    wants "ready-$runtime" || continue
    why=
    [ $runtime != tbb ] || why=$no_tbb
    [ $runtime != libomp ] || command -v clang++ >/dev/null || why='no clang++'
    if [ -n "$why" ]; then
        echo "SKIP sampling/ready-$runtime: $why"
        continue
    fi
    build_ready $runtime || { result ready-$runtime "not built: $(tail -3 gcc.log)"; continue; }
    case_patiently ready-$runtime ready_queue $runtime
    case_patiently ready-$runtime-busy ready $runtime busy 'never_ready(0)'
    [ $runtime = tbb ] && continue
    case_patiently ready-$runtime-chain ready $runtime chain 'never_ready(89)'
    case_patiently ready-$runtime-loop ready $runtime loop ready_is_not_said
done
ready_threads() {
    profiled r.prof ./phases >/dev/null
    checked r.prof ready_is_not_said
}
case_patiently ready-threads ready_threads
