#!/bin/sh
# check.sh BUILD [PART...]
exec sh "$(dirname "$0")/run.sh" "$@"
