# what: a repository of 300 files and 40 commits: index with threads, repack, gc, clone, fetch, grep, bundle, fsck
# packages: git
# needs: git
# profile: git
# quick: yes
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' \
    GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git config --global user.name n && git config --global user.email e@example.org &&
    git config --global init.defaultBranch main
git config --global pack.threads 4 && git config --global grep.threads 4 &&
    git config --global gc.autoDetach false
git config --global advice.detachedHead false && git config --global core.preloadIndex true
git init -q r && cd r || exit 1
awk 'BEGIN { for (f = 0; f < 300; f++) {
    for (l = 0; l < 200; l++) print "line", l, "of file", f, (f * l * 7919) % 1000003 > "f" f;
        close("f" f) } }'
git add -A && git commit -qm first
i=0
while [ $i -lt 40 ]; do echo "change $i" >>f$((i * 7 % 300)); git commit \
    -qam "change $i"; i=$((i + 1)); done
git repack -adfq --threads=4
git gc -q --prune=now
git fsck --no-progress
git count-objects -v | grep -e ^count -e in-pack
git rev-parse HEAD
cd ..
git clone -q --no-local r c && git -C c rev-parse HEAD
git -C c checkout -q -b b HEAD~10 && echo other >c/new && git -C c add new &&
    git -C c commit -qm other && git -C c rebase -q main && git -C c log --oneline | wc -l
git -C r fetch -q ../c b && git -C r merge -q FETCH_HEAD && git -C r log --stat | cksum
git -C r grep -c 'of file 7 ' | cksum
git -C r bundle create -q ../b.bundle --all && git clone -q b.bundle d && git -C d rev-parse HEAD
git -C r index-pack --threads=4 --verify r/.git/objects/pack/*.pack 2>/dev/null
# which deltas a pack has, and so its name, depends on which of repack's threads was faster
git -C r index-pack --threads=4 -o ../x.idx "$(ls "$PWD"/r/.git/objects/pack/*.pack | head -1)" |
    wc -c
git -C r pack-objects --all --threads=4 --window=50 -q ../p </dev/null | wc -l
git -C r status --short | wc -l
git clone -q nowhere nothing 2>&1 | head -1
