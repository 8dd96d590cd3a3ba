# help.awk - prints what `make help` prints, of a Makefile: its first comment; then each target with
# a comment that begins with "## ", above its rule or at the end of the rule's line; then the names
# of the other targets of .PHONY, and of -v more_targets. What is in no list is a file.
NR == head + 1 && /^#/ {
    head = NR
    sub(/^# ?/, "")
    print
    next
}
/^\.PHONY:/, !/\\$/ {
    sub(/^\.PHONY:/, "")
    sub(/\\$/, "")
    split($0, word, " ")
    for (i = 1; i in word; i++)
        if (word[i] ~ /^[a-z-]+$/)
            phony[++phonies] = word[i]
    next
}
/^## / {
    text = substr($0, 4)
    next
}
/^[a-z][a-z -]*:/ {
    names = $0
    sub(/:.*/, "", names)
    if (at = index($0, " ## "))
        text = substr($0, at + 4)
    if (text != "") {
        if (!any++)
            print ""
        printf "  %-20s %s\n", names, text
        split(names, word, " ")
        for (i = 1; i in word; i++)
            told[word[i]] = 1
    }
}
{ text = "" }
END {
    n = split(more_targets, word, " ")
    for (i = 1; i <= n; i++)
        phony[++phonies] = word[i]
    for (i = 1; i <= phonies; i++)
        if (!told[phony[i]]) {
            if (length(line " " phony[i]) > 96) {
                print line
                line = ""
            }
            line = line (line == "" ? (more++ ? "         " : "\n  also: ") : " ") phony[i]
        }
    if (line != "")
        print line
}
