# reason.awk - prints, from the output of npm and node, the line that states why they failed. npm
# begins its lines with "npm ERR!" or "npm error", and ends with the path of a log; node prints the
# place and the stack of an error, too.
{ ours = sub(/^npm (ERR!|error) */, "") }
/^ *$/ { next }
{ last = $0 }
ours && /^(code|errno|syscall|type|path|dest|address|port) / {
    code = $1 == "code" ? $2 : code
    next
}
ours && /^(A complete log|\/.*\.log$)/ { next }
reason == "" && (ours || /[Ee]rror[]:]|ERROR/) { reason = $0 }
END {
    reason = reason != "" ? reason : code != "" ? code : last
    sub(/^network /, "", reason)
    print substr(reason, 1, 200)
}
