#!/bin/sh
# pack.sh BUILD ROOT OUT - makes OUT/NAME.tar.gz of ROOT, whose last part is NAME. Into ROOT `make
# install` has installed what BUILD has, made with DIST=1. This script adds the libraries that
# libprof.so opens, and the licences of what is linked with. The same tree gives the same bytes:
# all times are SOURCE_DATE_EPOCH, else that of the commit.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) root=$(cd "$2" && pwd) out=$(cd "$3" && pwd)
name=${root##*/}
doc=$root/share/doc/libprof
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null ||
    stat -c %Y "$here/../../../CHANGELOG.md")}
pfm=$(readlink -f "$(gcc -print-file-name=libpfm.so.4)")

install -m 644 "$build/libprof_names.so" "$root/lib/libprof/"
install -m 644 "$pfm" "$root/lib/libprof/libpfm.so.4"
# pkg-config knows where the file lies
pc=$root/share/pkgconfig/libprof.pc
sed "s|$root|\${prefix}|; s|^prefix=.*|prefix=\${pcfiledir}/../..|" "$pc" >"$pc.new"
mv "$pc.new" "$pc"

# The linker's maps name each archive and object file of Debian's that is inside.
sed -n 's|^\(/[^(]*\)(.*|\1|p; s|^LOAD \(/.*/crt[^/]*\.o\)$|\1|p' "$build"/*.map | sort -u |
    xargs readlink -f >"$build/inside"
echo "$pfm" >>"$build/inside"
xargs dpkg -S <"$build/inside" | sed 's/: .*//' | sort -u >"$build/packages"
mkdir -p "$doc/licences"
while read -r package; do # several packages of a source may share one file
    file=$(readlink -f "/usr/share/doc/${package%:*}/copyright")
    owner=${file%/copyright}
    install -m 644 "$file" "$doc/licences/${owner##*/}"
done <"$build/packages"
for text in $(grep -oh '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$doc"/licences/* |
    sort -u); do
    [ ! -f "$text" ] || install -m 644 "$text" "$doc/licences/"
done
{ cat "$here/copyright"
  xargs dpkg-query -W -f '    ${source:Package} ${source:Version}\n' <"$build/packages" | sort -u
  if [ -s "$build/view/head.html" ]; then
      printf '\nThe page that `prof view` writes holds the software below.\n\n'
      sh "$here/../page-licences.sh" "$build/view/head.html"
  fi; } >"$doc/copyright"

chmod -R u=rwX,go=rX "$root"
tar -C "$root/.." --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
