# what: a generated clip, encoded by x264 with frame threads, x265, mpeg4 and vp9; decoded again by threads; filters; q on the pipe
# packages: ffmpeg
# needs: ffmpeg
# profile: ffmpeg
f() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@"; echo "status $?"; }
src="-f lavfi -i testsrc2=size=320x240:rate=25:duration=3 -f lavfi -i sine=frequency=440:duration=3"
f $src -c:v libx264 -threads 4 -preset fast -c:a aac -bitexact -f matroska a.mkv
f $src -an -c:v mpeg4 -threads 3 -bitexact b.avi
f $src -an -c:v libvpx-vp9 -threads 4 -row-mt 1 -cpu-used 8 -bitexact c.webm
f -f lavfi -i testsrc2=size=160x120:duration=1 -c:v libx265 -x265-params log-level=none:pools=2 \
    -bitexact d.mkv
for file in a.mkv b.avi c.webm d.mkv; do f -threads 4 -i $file -f framemd5 $file.md5; grep -v '^#' \
    $file.md5 | cksum; done
f -i a.mkv -filter_complex \
    "[0:v]split=2[x][y];[x]scale=160:120,hue=s=0[u];[y]scale=160:120[v];[u][v]hstack" -threads 4 \
    -an -f md5 -
ffmpeg -nostdin -hide_banner -loglevel error -i nowhere -f null - 2>&1
echo "status $?"
