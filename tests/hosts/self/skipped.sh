# what: not installed
# expect: SKIP no surely-not-installed *
# needs: surely-not-installed
# packages: none
true
