# glibc.awk - from `readelf -W --dyn-syms` of a library of glibc, prints the assembly of a library
# of the same names, and writes the version script to the file MAP. Each name has the version that
# is the newest up to NEWEST.
function newer(a, b,    x, y, i) {
    split(a, x, ".")
    split(b, y, ".")
    for (i = 1; i <= 3; i++)
        if (x[i] + 0 != y[i] + 0)
            return x[i] + 0 > y[i] + 0
    return 0
}
function define(name) {
    print (bind[name] == "WEAK" ? ".weak " : ".globl ") name
    print ".type " name ", " (type[name] == "OBJECT" ? "@object" : "@function")
    print ".size " name ", " size[name]
    print name ":"
}
$7 ~ /^[0-9]+$/ && $8 ~ /@GLIBC_[0-9]/ {
    split($8, part, /@+GLIBC_/)
    name = part[1]
    if (newer(part[2], newest) || (name in version && newer(version[name], part[2])))
        next
    version[name] = part[2]
    address[name] = $2
    size[name] = $3
    type[name] = $4
    bind[name] = $5
}
END {
    print ".section .note.GNU-stack, \"\", @progbits\n.text"
    for (name in version) {
        names_of[version[name]] = names_of[version[name]] " " name ";"
        if (type[name] == "OBJECT")
            objects_at[address[name]] = objects_at[address[name]] " " name
        else
            define(name)
    }
    # Names of one variable (environ, __environ) stay names of one variable: a program's copy of
    # it has all of them.
    print ".bss"
    for (place in objects_at) {
        n = split(objects_at[place], names, " ")
        print ".balign 32"
        for (i = 1; i <= n; i++)
            define(names[i])
        print ".skip " size[names[1]]
    }
    for (v in names_of)
        print "GLIBC_" v " {" names_of[v] " };" >map
}
