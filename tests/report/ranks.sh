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

# ---- which rank was waited for ----
# 1 and 2 wait for 80 ms each, of that 10 ms for ranks that are not known
AWAITED='' ./gen rank 0 3 100 0 0 100 >await0.prof
AWAITED='0 60 2 10' ./gen rank 1 3 10 10 80 100 >await1.prof
AWAITED='0 65 1 5' ./gen rank 2 3 10 10 80 100 >await2.prof
"$prof" merge -o await.prof await[0-2].prof 2>/dev/null
json awaited-calls '[.job.calls[] | select(.for == "collective") | [.construct, .count, .time_ns,
    [.awaited[] | [.rank, .count, .time_ns]]]]' \
    '[["MPI_Barrier",20,160000000,[[0,2,125000000],[2,1,10000000],[1,1,5000000]]]]' await.prof
json awaited-job '[.job.awaited[] | .rank]' '[0,2,1]' await.prof
json awaited-finding '[.findings[] | select(.id == "mpi") | .place.function, .awaited]' \
    '["app+0x40300f",{"rank":0,"ns":125000000.0,"waits_ns":160000000.0}]' await.prof
equal awaited-full '' "$(report --full await.prof)"
has awaited-line 'MPI_Barrier  *ranks late at it  *0 (78 %)$' ranks.txt
has awaited-rank '^ *0  *78.1  *125 ms  *2  *app+0x40300f .*MPI_Barrier$' ranks.txt
equal awaited-brief '' "$(report await.prof)"
words
has awaited-sentence '160 ms .*125 ms .* 0)' words
# merged in steps it is the same, byte for byte
"$prof" merge -o await12.prof await1.prof await2.prof 2>/dev/null
"$prof" merge -o steps.prof await0.prof await12.prof 2>/dev/null
equal awaited-steps '' "$(cmp await.prof steps.prof 2>&1)"
# no rank has most of it
AWAITED='0 40 2 40' ./gen rank 1 3 10 10 80 100 >await1.prof
AWAITED='0 40 1 40' ./gen rank 2 3 10 10 80 100 >await2.prof
"$prof" merge -o even.prof await[0-2].prof 2>/dev/null
json awaited-even '[.findings[] | select(.id == "mpi") | .awaited]' '[null]' even.prof
equal awaited-even-report '' "$(report even.prof)"
# the files of older versions
json awaited-old '[.job.awaited, .job.calls[].awaited]' '[[]]' job.prof

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
