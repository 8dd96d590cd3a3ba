# processors.sh - a part of run.sh: who had the processors, in text and JSON.
profiles paths cpus
json processors-times '.processors | [.known, .wall_ns, .allowed, .online, .busy_ns, .own_ns,
    .others_ns, .steal_ns, .unit_ns]' \
    '[true,1000000000.0,4,4,1420000000.0,900000000.0,520000000.0,30000000.0,10000000.0]' cpus.prof
json processors-quota '.processors | [.throttled_ns, .quota]' '[250000000.0,1.5]' cpus.prof
json processors-cpus '.processors | [.used, .threads_allowed, .idle_allowed_ns, .idle_unused_ns]' \
    '[1,2,1550000000.0,960000000.0]' cpus.prof
json processors-each '[.processors.cpus[] | [.cpu, .allowed, .threads, .busy_ns, .samples]]' \
    '[[0,true,2,980000000,90],[1,false,0,700000000,0],[2,true,1,400000000,3],
        [3,true,0,40000000,0],[5,true,0,null,0]]' cpus.prof
"$prof" report --full cpus.prof >cpus.txt 2>/dev/null
has processors-text \
    '^ *Processors  *4, of which its threads may use 2; others had 520.000 ms of 4.000 s (13.0 %)' \
    cpus.txt
has processors-text-quota '; a quota stopped it for 250.000 ms$' cpus.txt
json processors-old 'has("processors")' false paths.prof
"$prof" report --full paths.prof 2>/dev/null >paths.txt
has_not processors-text-old '^ *Processors ' paths.txt
"$prof" merge --as runs -o merged-cpus.prof cpus.prof paths.prof 2>/dev/null
json processors-merged 'has("processors")' false merged-cpus.prof
OMIT=37 ./gen cpus >no-cpus.prof
json processors-none '.processors | [.allowed, .busy_ns, .used]' '[0,0.0,0]' no-cpus.prof
"$prof" report --full no-cpus.prof 2>/dev/null >no-cpus.txt
has_not processors-text-none '^ *Processors ' no-cpus.txt
