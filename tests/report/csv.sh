# csv.sh - a part of run.sh: sites and totals as CSV, and as Cilkscale writes them.
profiles basic empty hostile counter
"$prof" report --csv --totals basic.prof empty.prof 2>/dev/null >totals.csv
equal csv-totals '"basic.prof","/nowhere/app","tsc","ns",'"1000000000,250000000,260000000,4,"\
"3.84615384615,1999,1001,2000,12,600000000,1100000000,2,100000000,5000000,200000,1,," \
    "$(sed -n 2p totals.csv | tr -d '\r')"
equal csv-one-header 3 "$(grep -c '' totals.csv)"
equal csv-undefined ',,' "$(sed -n 3p totals.csv | grep -o ',0,0,0,,,0' | cut -c7-8)"
"$prof" report --csv basic.prof hostile.prof 2>/dev/null >sites.csv
equal csv-columns 1 "$(sed 's/"[^"]*"/x/g; s/""//g' sites.csv | head -4 |
    awk -F, '{ print NF }' | sort -u | grep -c '')"
equal csv-rows 7 "$(grep -c "$(printf '\r')\$" sites.csv)"
has_not csv-no-controls "$(printf '\033')" sites.csv

# Cilkscale's: 600 / 150 ms, 150 ms + 2 x 200 us; 1000 / 250, 260
cat >cilkscale.csv <<'END'
tag,work (seconds),span (seconds),parallelism,burdened_span (seconds),burdened_parallelism
"sort",0.6,0.15,4,0.1504,3.98936
,1,0.25,4,0.26,3.84615
END
cilkscale() { "$prof" report --cilkscale "$@" 2>/dev/null | tr -d '\r'; }
equal csv-cilkscale "$(cat cilkscale.csv)" "$(cilkscale basic.prof)"
equal csv-cilkscale-unit 'tag,work (instructions)' \
    "$(cilkscale counter.prof | head -1 | cut -d, -f1-2)"
equal csv-cilkscale-files 1 "$(cilkscale basic.prof empty.prof | grep -c '^tag')"
equal csv-cilkscale-empty ',0,0,0,0,0' "$(cilkscale empty.prof | tail -1)"
