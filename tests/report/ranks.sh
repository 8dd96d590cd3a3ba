# ranks.sh - a part of run.sh: the ranks of a job, a line each, and one alone. Rank 0 of six has
# more work, all of it on the path; 1 to 5 wait for it.
./gen rank 0 6 300 0 0 350 >rank0.prof
for r in 1 2 3 4 5; do ./gen rank $r 6 10 90 200 350 >rank$r.prof; done
"$prof" merge -o job.prof rank[0-9].prof 2>/dev/null
profiles basic
report() { "$prof" report "$@" 2>err >ranks.txt || echo "status $?: $(cat err)"; }
words() { tr -s '\n ' ' ' <ranks.txt >words; }
table_ranks() { # in the order of the table
    awk '$1 ~ /^[0-9]+$/ { printf "%s ", $1 }' ranks.txt
}

# ---- all: the unusual one first ----
equal ranks-all '' "$(report --ranks job.prof)"
equal ranks-order '0 1 2 3 4 5 ' "$(table_ranks)"
has ranks-line '^ *0  *85.7  *300 ms  *0.0 .* node  *0$' ranks.txt
has ranks-like '^ *3  *2.9  *100 ms  *66.7 .* node  *1$' ranks.txt
has_not ranks-no-more 'Functions\|limits' ranks.txt
# the one whose number is the last comes first, too
./gen rank 0 6 10 90 200 350 >first.prof
./gen rank 5 6 300 0 0 350 >last.prof
"$prof" merge -o turned.prof first.prof rank[1-4].prof last.prof 2>/dev/null
equal ranks-turned '' "$(report --ranks turned.prof)"
equal ranks-turned-order '5 0 1 2 3 4 ' "$(table_ranks)"
# there are more rows than --limit, but all unless it is asked for
for r in $(seq 0 29); do ./gen rank $r 30 10 90 200 350 >many$r.prof; done
"$prof" merge -o many.prof many*.prof 2>/dev/null
equal ranks-many '' "$(report --ranks many.prof)"
equal ranks-many-rows 30 "$(table_ranks | wc -w)"
equal ranks-limit '' "$(report --ranks -n 4 many.prof)"
equal ranks-limit-rows 4 "$(table_ranks | wc -w)"
has ranks-limit-words '26 more' ranks.txt

# ---- one ----
equal rank-one '' "$(report --rank 3 job.prof)"
words
has rank-figures \
    'Rank 3 of 6, on node, has 10.000 ms of the job.s critical path, 3 % of it' words
has rank-work 'Its work is 100.000 ms, 0.75 times the mean of the ranks' words
has rank-in-mpi \
    'in MPI for 200.000 ms, 67 % .* in 1 calls: 100 % for ranks late at a collective' words
has rank-alike 'These behave alike: 1-5[.]' words
has rank-function '^ *90.0  *51.4 .*app+0x403000' ranks.txt
has rank-function-less '^ *10.0  *48.6 .*app+0x402000' ranks.txt
equal rank-zero '' "$(report --rank 0 job.prof)"
words
has rank-zero-alone 'No other rank behaves like it' words
has_not rank-zero-functions 'app+0x403000' ranks.txt
equal rank-both '' "$(report --ranks --rank 0 job.prof)"
has rank-both-table '^ *rank  *% span' ranks.txt
has rank-both-one 'One rank of the job' ranks.txt
# a rank's own file has all of it
equal rank-own '' "$(report --rank 3 rank3.prof)"
"$prof" report rank3.prof >own.txt 2>/dev/null
equal rank-own-same '' "$(cmp own.txt ranks.txt 2>&1)"

# ---- what cannot be ----
refuses() { # NAME WORDS ARGUMENT...: beside what is said of the program's files
    name=$1 pattern=$2
    shift 2
    status "$name" 2 "$prof" report "$@"
    has "$name-words" "^prof: $pattern" err
    has_not "$name-silent" . out
}
refuses rank-missing 'job.prof: it has no rank 6' --rank 6 job.prof
one_line rank-no-number 'rank x: not the number of a rank' "$prof" report --rank x job.prof
refuses rank-no-job 'basic.prof: it is of no MPI job' --rank 0 basic.prof
refuses ranks-no-job 'basic.prof: it is of no MPI job' --ranks basic.prof
for form in json csv; do
    one_line ranks-$form 'are for text' "$prof" report --ranks --$form job.prof
done
if [ -n "$vg" ]; then
    status valgrind-ranks 0 $vg "$prof" report --ranks --rank 3 job.prof
    has_not valgrind-ranks-silent '^==' err
fi

# ---- threads that idle while one of their rank is in MPI ----
# three ranks of two workers, idle beside the main thread's 600 ms in a collective
for r in 0 1 2; do IDLE=600 ./gen rank $r 3 10 1000 600 30 1 2 >idle$r.prof; done
"$prof" merge -o idle.prof idle[0-2].prof 2>/dev/null
"$prof" report --full idle.prof 2>/dev/null >ranks.txt
words
