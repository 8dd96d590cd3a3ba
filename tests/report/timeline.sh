# timeline.sh - a part of run.sh: what the threads did over the run, in text and JSON. tests/view
# has the page's.
profiles paths timeline
json timeline-bins \
    '.timeline | [.start_ns, .bin_ns, .bins, .on_cpu_sample_ns, .off_cpu_sample_ns]' \
    '[0,75000000,8,4000000,10000000]' timeline.prof
json timeline-rows '[.timeline.rows[] | [.tid, .kind, .name, .bin]]' \
    '[[4242,"main","app",[0,1,2,3,4,5]],[4243,"worker","<b>\u001b[1m",[0,6,7]],
        [4200,"user","",[3]]]' timeline.prof
json timeline-unplaced .timeline.unplaced_samples 1234 timeline.prof
json timeline-kinds '.timeline.rows[0] | [.work, .overhead, .own, .between, .blocked, .asleep]' \
    '[[18,9,2,0,0,0],[0,0,10,0,0,0],[0,1,0,0,0,0],[0,0,0,0,0,15],[0,0,0,7,0,0],[0,0,0,0,7,0]]' \
    timeline.prof
OMIT=25,26,27 ./gen timeline >no-timeline.prof
json timeline-none 'has("timeline")' false no-timeline.prof
"$prof" merge --as runs -o merged-timeline.prof timeline.prof paths.prof 2>/dev/null
json timeline-merged 'has("timeline")' false merged-timeline.prof
# samples with their times change no report, and a merged file has none
profiles timed
report_of() { "$prof" report "$@" 2>/dev/null | sed 's/[a-z]*\.prof/FILE/'; }
equal timed-text "$(report_of --full timeline.prof)" "$(report_of --full timed.prof)"
equal timed-json "$(report_of --json timeline.prof)" "$(report_of --json timed.prof)"
"$prof" merge --as runs -o merged-timed.prof timed.prof paths.prof 2>/dev/null
equal timed-merged '11' "$(./gen sections merged-timed.prof | grep -oE '^(11|28|29) ' | tr -d ' ')"

strips() { # LOCALE OPTIONS...
    locale=$1
    shift
    LC_ALL=$locale COLUMNS=80 "$prof" report "$@" timeline.prof 2>/dev/null >strips.txt
}
strip_of() { sed -n "s/^  $1 *//p" strips.txt; } # LABEL
strips C --timeline
equal timeline-main '88888884444444ooooooobbbbbbb.......sssssss' "$(strip_of 'app 4242')"
equal timeline-worker '.......                                   ppppppp8888888' \
    "$(strip_of '<b>.*1m 4243')"
equal timeline-other 4444444 "$(strip_of 'thread 4200')"
has timeline-unplaced-text \
    '^ *The first 256 threads have a strip. Of others there are 1,234 samples' strips.txt
has timeline-axis '^ *0 *600 ms$' strips.txt
has timeline-legend 'A place stands for 75.0 ms, and shows what took most of that time: 1 to' \
    strips.txt
has timeline-sampled 'Sampled: 98 times on the CPU, for 4.00 ms each, and 21 times off it' \
    strips.txt
has_not timeline-blanks ' $' strips.txt
equal timeline-width '' "$(awk 'length > 80' strips.txt)"
strips C.UTF-8 --timeline
blocks='███████▄▄▄▄▄▄▄'
blocks=$blocks'ooooooobbbbbbb.......sssssss'
equal timeline-blocks "$blocks" "$(strip_of 'app 4242')"
strips C
equal timeline-asked '' "$(strip_of 'app 4242')"
strips C --full
equal timeline-full '88888884444444ooooooobbbbbbb.......sssssss' "$(strip_of 'app 4242')"
strips C --full -n 1
has timeline-more '2 more threads: --full --all shows all' strips.txt
for width in 60 300; do
    COLUMNS=$width "$prof" report --timeline timeline.prof 2>/dev/null >strips.txt
    equal timeline-width-$width '' "$(awk -v w=$width 'length > w' strips.txt)"
done

# ---- how many tasks were ready ----
profiles tasks-ready tasks-ready-unknown
json ready-bins '.timeline.ready | [.bin, .samples, .most, .unknown_tasks]' \
    '[[0,1,2,3,4,6],[8,8,4,4,1,2],[0,1234,500,1,0,200],1]' tasks-ready.prof
json ready-mean '.timeline.ready.mean' '[0.0,800.0,400.0,0.25,0.0,200.0]' tasks-ready.prof
json ready-old '.timeline | has("ready")' false timeline.prof
json ready-unknown '.timeline.ready | [.unknown_tasks, .bin]' '[1234,[]]' tasks-ready-unknown.prof
"$prof" merge --as runs -o merged-ready.prof tasks-ready.prof paths.prof 2>/dev/null
json ready-merged 'has("timeline")' false merged-ready.prof
ready_strips() { # LOCALE PROFILE
    LC_ALL=$1 COLUMNS=80 "$prof" report --timeline "$2.prof" 2>/dev/null >strips.txt
}
ready_strips C tasks-ready
digits='00000008888888444444411111110000000       2222222'
equal ready-strip "$digits" "$(strip_of 'tasks ready')"
equal ready-others '88888884444444ooooooobbbbbbb.......sssssss' "$(strip_of 'app 4242')"
said() { tr -s ' \n' ' ' <strips.txt | grep -o "$1" | head -1; } # PATTERN
scale='Tasks ready (spawned, and not begun; counted 27 times): 0 none; 1 to 8 on average over'
scale="$scale the place, the highest is 800. At most 1,234 were ready at one count."
equal ready-scale "$scale" "$(said 'Tasks ready.*at one count\.')"
not="Not among them: tasks that had to wait for others when they were created, and those of"
not="$not libgomp's taskloops (1 in all)."
equal ready-not-counted "$not" "$(said 'Not among them.*in all)\.')"
equal ready-width '' "$(awk 'length > 80' strips.txt)"
has_not ready-blanks ' $' strips.txt
ready_strips C.UTF-8 tasks-ready
blocks=$(echo "$digits" | sed 's/8/█/g; s/4/▄/g; s/1/▁/g; s/2/▂/g')
equal ready-blocks "$blocks" "$(strip_of 'tasks ready')"
ready_strips C tasks-ready-unknown
equal ready-none '' "$(strip_of 'tasks ready')"
equal ready-none-known 'How many tasks were ready is not known: those of this run' \
    "$(said 'How many tasks.*this run')"
equal ready-none-many '(1,234 in all)' "$(said '(1,234 in all)')"
ready_strips C timeline
equal ready-none-old '' "$(said 'asks ready')"
