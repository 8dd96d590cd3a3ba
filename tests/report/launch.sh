# launch.sh - a part of run.sh: under prof run, the program keeps its output, status and death;
# prof doctor reports on a program.
# ---- prof run: the program's own output, status and death ----
victim_program
gcc -O1 -static "$here/victim.c" -o victim-static 2>gcc.log || fail build-static "$(cat gcc.log)"
if [ -r "$build/libprof.so" ]; then
    for code in 0 1 2 77 126 127 255; do
        status run-exit-$code $code "$prof" run --no-report ./victim exit $code
    done
    for sig in 9 15 6 11; do
        sh -c '"$1" run --no-report ./victim die $2; exit $?' - "$prof" $sig >out 2>err
        equal run-signal-$sig $((128 + sig)) $?
    done
    equal run-no-core 0 "$(ls | grep -c '^core')"
    for sig in 1 2 3 10 12 15; do
        rm -f signal.out
        "$prof" run --no-report ./victim wait $sig >signal.out 2>/dev/null &
        pid=$!
        tries=0
        until grep -qs ready signal.out || [ $tries = 600 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        kill -$sig $pid
        wait $pid
        equal forward-$sig "$((40 + sig)) 1" "$? $(grep -c "signal $sig" signal.out)"
    done
    status run-missing 127 "$prof" run ./missing
    has run-missing-line '^prof: ./missing: No such file or directory$' err
    echo text >./text
    status run-not-executable 126 "$prof" run ./text
    has run-not-executable-line '^prof: ./text: Permission denied$' err
    status run-folder 126 "$prof" run -- /
    has run-folder-line '^prof: /: a directory, not a program$' err
    mkdir -p a-folder
    status run-folder-here 127 "$prof" run -- a-folder
    has run-folder-here-line '^prof: a-folder: no such .* in PATH; ./a-folder is a directory$' err
    status run-not-in-path 127 "$prof" run -- victim
    has run-not-in-path-line '^prof: victim: no such .* in PATH; did you mean ./victim?$' err
    # a file that nobody may execute, in a folder of PATH, and in the last one, which is empty: here
    mkdir -p open && cp text open/not-executable && cp text not-executable
    for folder in "$PWD/open" ''; do
        status "run-not-executable-in-path${folder:+-open}" 126 env PATH="$PATH:$folder" \
            "$prof" run -- not-executable
    done
    status run-static 7 "$prof" run ./victim-static exit 7
    has run-static-line 'statically linked: LD_PRELOAD does not reach it' err
    rm -f ./victim.*.prof
    status run-report 5 "$prof" run --full ./victim exit 5
    equal run-stdout-untouched 0 "$(wc -c <out | tr -d ' ')"
    has run-report-on-stderr 'Parallelism profile' err
    equal run-default-name 1 "$(ls victim.*.prof | grep -c '^victim\.[0-9]*\.prof$')"
    status run-output 0 "$prof" run --full -o mine.prof --report-to mine.txt ./victim cd
    has run-report-to 'Parallelism profile' mine.txt
    equal run-output-name 0 "$([ -s mine.prof ]; echo $?)"
    env_of() { # VARIABLE OPTIONS...: of a program that prof run starts
        variable=$1
        shift
        "$prof" run --no-report "$@" -- ./victim env "$variable" 2>/dev/null
    }
    equal run-clock virtual "$(env_of PROF_CLOCK -c virtual)"
    equal run-burden cilkview "$(env_of PROF_BURDEN -b cilkview)"
    equal run-env 'a=b' "$(env_of X -e X=a=b)"
    LD_PRELOAD=$tmp/nix.so "$prof" run --no-report ./victim env LD_PRELOAD >preload.txt 2>/dev/null
    has run-preload-kept "libprof.so:$tmp/nix.so" preload.txt
    "$prof" run --no-report -e LD_PRELOAD="$tmp/nix.so" ./victim env LD_PRELOAD >preload.txt \
        2>/dev/null
    has run-env-preload "libprof.so:$tmp/nix.so" preload.txt
    "$prof" run --no-report -e PROF_OUTPUT=his.prof ./victim exit 0 2>err
    equal run-env-output "prof: wrote his.prof" "$(cat err)"
    "$prof" run --no-report -e PROF_OUTPUT=his.prof -o her.prof ./victim exit 0 2>err
    equal run-env-output-and-option "prof: wrote her.prof" "$(cat err)"
    # %r is 0 without a launcher, and in a job of one rank
    "$prof" run --no-report -o 'alone.%r.prof' ./victim exit 0 2>err
    equal run-output-rank "prof: wrote alone.0.prof" "$(cat err)"
    OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 "$prof" run --no-report -o 'one.%r.prof' \
        ./victim exit 0 2>err
    equal run-output-one-rank "prof: wrote one.0.prof" "$(cat err)"
    # ranks of a job share one file: its name has what is the same in all
    rank() { # RANK OPTIONS...: of two, whose launcher is Open MPI's
        rank=$1
        shift
        OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 "$prof" run --no-report "$@" \
            ./victim exit 0 2>err
    }
    job() { # OPTIONS...: rank 0 is the last, because it waits for the files of all
        rank 1 "$@"
        equal "run-job-rank-1 $*" '' "$(cat err)"
        rank 0 "$@"
    }
    job
    has run-job '^prof: wrote victim.job.prof, of 2 ranks$' err
    equal run-job-folder 0 "$(ls | grep -c 'ranks$')"
    job -o '%e.100%%.prof'
    has run-job-name '^prof: wrote victim.100%.prof, of 2 ranks$' err
    equal run-job-name-known 0 "$(grep -c 'stand for something' err)"
    job -o 'job.%h.%p.prof'
    has run-job-kept '^prof: job.%h.%p.prof is the file of all ranks: in its name, %e and %% ' err
    has run-job-kept-name '^prof: wrote job.%h.%p.prof, of 2 ranks$' err
    "$prof" run --no-report -e PROF_DISABLE=1 ./victim exit 0 2>err
    equal run-env-disable 'prof: no profile was written: PROF_DISABLE is set' "$(cat err)"
    "$prof" run --no-report -e PROF_QUIET=1 ./victim exit 0 2>err
    equal run-env-quiet '' "$(cat err)"
    # who ignores SIGTSTP is not stopped by it
    ( trap '' TSTP; exec "$prof" run --no-report ./victim wait 15 >ignores.out 2>/dev/null ) &
    pid=$!
    tries=0
    until grep -qs ready ignores.out || [ $tries = 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -TSTP $pid
    kill -TERM $pid
    tries=0
    while ps -o stat= -p $pid | grep -q '^[SRD]' && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    equal run-stop-ignored '' "$(ps -o stat= -p $pid | grep -v Z)"
    kill -CONT $pid 2>/dev/null
    wait $pid
    status run-json 0 "$prof" run --json --report-to run.json ./victim exit 0
    equal run-json-valid 5 "$(jq .format_version run.json)"
else
    skip run "no libprof.so in $build"
fi

# ---- doctor ----
"$prof" doctor >doctor.txt 2>err
equal doctor-lines 0 "$(grep -vc '^\[\(ok\|--\|!!\)\] [^:]*: .' doctor.txt)"
has doctor-waits '^\[ok\] time off the CPU: ' doctor.txt
status doctor-static 1 "$prof" doctor ./victim-static
has doctor-static-line '^\[!!\] ./victim-static: is statically linked' out
head -c 9000 victim >victim-half
chmod +x victim-half
status doctor-half 1 "$prof" doctor ./victim-half
has doctor-half-line \
    '^\[!!\] ./victim-half: is damaged: the file ends before the program does; copy' out
head -c 100 victim >victim-half
status doctor-less 1 "$prof" doctor ./victim-half
has doctor-less-line '^\[!!\] ./victim-half: is damaged: the file ends' out
status doctor-dynamic 0 "$prof" doctor ./victim
has doctor-dynamic-line '^\[ok\] ./victim: dynamically linked' out
# a runtime of this machine is none of the program's
has doctor-unlinked '^\[\(ok\|--\)\] oneTBB: .*; the program does not link it$' out
equal doctor-unlinked-order runtimes "$(grep -o '^\[..\] \(runtimes\|oneTBB\):' out |
    sed 's/.* //; s/:$//; q')"
sites_program
strip sites -o stripped
"$prof" doctor ./stripped >stripped.txt
has doctor-stripped 'debug information: stripped' stripped.txt
"$prof" doctor ./sites >known.txt
has doctor-lines-known 'debug information: DWARF with line tables' known.txt
status doctor-missing 1 "$prof" doctor ./missing
gcc -O1 -fopenmp "$here/victim.c" -o victim-omp -Wl,--no-as-needed -lgomp 2>/dev/null &&
    "$prof" doctor ./victim-omp >omp.txt &&
    has doctor-openmp 'OpenMP: libgomp is seen by its entry points' omp.txt &&
    has doctor-openmp-copies 'are found by what they define; copies .* statically are not' omp.txt
# a runtime in the program's own folder, by both words for it
mkdir -p own
gcc -shared -Wl,-soname,libtbb.so.12 -o own/libtbb.so.12 -xc /dev/null
for word in '$ORIGIN' '${ORIGIN}'; do
    gcc -O1 "$here/victim.c" -o victim-own -Wl,--no-as-needed own/libtbb.so.12 \
        -Wl,-rpath,"$word/own" && "$prof" doctor ./victim-own >own.txt
    has "doctor-run-path-$word" "oneTBB: $PWD/own/libtbb.so.12 lacks " own.txt
done
# a runtime that is linked into the program
cat >inside.c <<'END'
#ifdef GOMP
void GOMP_parallel(void) {}
#else
void __kmpc_fork_call(void) {}
#endif
#ifdef TOOLS
void ompt_start_tool(void) {}
#endif
int main(void) { return 0; }
END
said() { # NAME FLAGS WHAT: one line of OpenMP, that it is a problem; prof run says so, too
    gcc $2 inside.c -o inside
    status doctor-$1 1 "$prof" doctor ./inside
    equal doctor-$1-once 1 "$(grep -c "OpenMP" out)"
    has doctor-$1-line "^\\[!!\\] OpenMP: $3" out
    [ -f "$build/libprof.so" ] || return 0
    "$prof" run ./inside 2>inside.txt
    has run-$1 "^prof: ./inside has ${3%% *} linked into it: " inside.txt
}
invisible='is linked into the program itself: its calls are invisible'
said gomp-inside -DGOMP "libgomp $invisible"
said gomp-inside-exported '-DGOMP -rdynamic -s' "libgomp $invisible"
said omp-inside -DOMP "libomp $invisible"
said omp-inside-tools -DTOOLS \
    'libomp is linked into the program itself: regions and tasks are seen, but not '
