# names.awk - prints the packages WANT (NAME/VERSION, the version is for people) by their names in
# RELEASE, from the table `releases`.
/^#/ { next }
!column {
    column = 1
    for (i = 1; i <= NF; i++)
        if ($i == release)
            column = i
    next
}
{ name[$1] = $column }
END {
    count = split(want, word, " ")
    for (i = 1; i <= count; i++) {
        sub("/.*", "", word[i])
        package = word[i] in name ? name[word[i]] : word[i]
        if (package != "-")
            printf "%s%s", separator, package
        separator = " "
    }
}
