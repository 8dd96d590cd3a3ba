# page.awk - docs/PLATFORMS.md, from the page as it is, on standard input or as a file, with the
# VERSIONS (a file: release, versions) and ROWS (a file: release, suite, passed, failed, skipped,
# date, commit, cases) of a run in place of the old ones. RELEASES, SUITES: what make matrix runs by
# default; the page lists what of it was not run.
function release_order(release,    order) {
    order = index("bullseye bookworm trixie forky sid",
                  substr(release, 1, index(release "-", "-") - 1))
    return 2 * order + (release ~ /-/)
}
function read_tabs(file, table, keys,    line, field, key, i) {
    while ((getline line < file) > 0) {
        split(line, field, "\t")
        key = field[1] (keys == 2 ? " " field[2] : "")
        gsub("\t", " | ", line)
        table[key] = "| " line " |"
    }
}
BEGIN { FS = " *\\| *" }
/^\| release \| suite/ { part = 2; next }
/^\| release \|/ { part = 1; next }
/^\|--/ { next }
/^\|/ && part == 1 { versions_of[$2] = $0 }
/^\|/ && part == 2 { row_of[$2 " " $3] = $0 }
function sorted(table, keys,    n, key, i, j, swap) {
    for (key in table)
        keys[++n] = key
    for (i = 2; i <= n; i++)
        for (j = i; j > 1; j--) {
            split(keys[j], a, " ")
            split(keys[j - 1], b, " ")
            if (release_order(b[1]) < release_order(a[1]) ||
                (a[1] == b[1] && keys[j - 1] < keys[j]))
                break
            swap = keys[j]
            keys[j] = keys[j - 1]
            keys[j - 1] = swap
        }
    return n
}
# Prints TEXT, which is one paragraph, in lines of 100 columns.
function fill(text,    word, n, i, line) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line " " word[i]) > 100) {
            print line
            line = ""
        }
        line = line (line == "" ? "" : " ") word[i]
    }
    print line
}
# What of RELEASES and SUITES has no row: "bullseye: programs openmp; sid: all".
function missing(    release, suite, n, m, i, k, lacks, count, text) {
    n = split(releases, release, " ")
    m = split(suites, suite, " ")
    for (i = 1; i <= n; i++) {
        lacks = ""
        count = 0
        for (k = 1; k <= m; k++)
            if (!((release[i] " " suite[k]) in row_of)) {
                lacks = lacks " " suite[k]
                count++
            }
        if (count)
            text = text (text == "" ? "" : "; ") release[i] ":" (count == m ? " all" : lacks)
    }
    return text
}
END {
    read_tabs(versions, versions_of, 1)
    read_tabs(rows, row_of, 2)
    print "# Platforms\n"
    print "`make matrix` writes this page. It makes a root file system of each release of"
    print "Debian from Debian's packages, builds libprof there with that release's compiler,"
    print "and runs suites ([CONTRIBUTING](../CONTRIBUTING.md)). As root,"
    print "`make matrix RELEASES=RELEASE SUITES=SUITE` repeats a row. A + after a commit: the"
    print "tree had uncommitted changes. The suite dist runs what `make dist` makes on"
    print "Debian 12, in a root file system of essential packages and the programs' runtimes"
    print "([DIST](DIST.md)).\n"
    print "## Versions\n"
    print "| release | glibc | gcc | clang | oneTBB | libgomp | libomp | libunwind |"
    print "|---|---|---|---|---|---|---|---|"
    n = sorted(versions_of, order)
    for (i = 1; i <= n; i++) {
        line = versions_of[order[i]]
        gsub(/\| (glibc|gcc|clang|oneTBB|libgomp|libomp|libunwind) /, "| ", line)
        print line
    }
    print "\n## Suites\n"
    print "| release | suite | passed | failed | skipped | date | commit | what failed |"
    print "|---|---|---|---|---|---|---|---|"
    n = sorted(row_of, order)
    for (i = 1; i <= n; i++)
        print row_of[order[i]]
    lacks = missing()
    print ""
    fill("`make check` covers bookworm, the release on which libprof is developed." \
         (lacks == "" ? "" : " Not run, of the Makefile's RELEASES and SUITES: " lacks "."))
}
