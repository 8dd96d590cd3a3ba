# strangers.sh - sourced by check.sh: programs that libprof.so cannot be loaded into. prof run
# prints the reason in one line, and they run or fail as without it. None needs a package: a 32-bit
# program is assembled; for another loader and for other processors, bytes of a real program are
# changed.
strangers=$tmp/strangers
mkdir "$strangers"
patch_bytes() { # FILE OFFSET BYTES...: octal
    file=$1 offset=$2
    shift 2
    printf "$(printf '\\%s' "$@")" | dd of="$file" bs=1 seek="$offset" conv=notrunc 2>/dev/null
}
# NAME STATUS WORDS COMMAND...: prof prints one line with WORDS; the program gets no LD_PRELOAD from
# prof
stranger() {
    name=$1 want=$2 words=$3
    shift 3
    wants "stranger-$name" && found "$(cd "$strangers" && "$@" >native 2>native.err </dev/null
        [ $? = "$want" ] || echo "natively status $?"
        "$prof" run -- "$@" >out 2>err </dev/null; s=$?; [ $s = "$want" ] || echo "status $s"
        cmp native out
        [ "$(wc -l <err)" = 1 ] && grep -q -e "^prof: .*$words" err || echo "said: $(cat err)")"
}
doctor_says() { # NAME WORDS FILE
    wants "stranger-$1-doctor" &&
        found "$(cd "$strangers" && "$prof" doctor "$3" >"$tmp/out" 2>&1; s=$?
        [ $s = 1 ] || echo "status $s"; grep -q -e "^\[!!\] [^:]*: .*$2" "$tmp/out" ||
        cat "$tmp/out")"
}
# A 32-bit program, assembled by hand: write(1, "here\n"); exit(5).
cat >"$strangers/s32.s" <<'S'
.globl _start
_start: movl $4, %eax
    movl $1, %ebx
    movl $text, %ecx
    movl $5, %edx
    int $0x80
    movl $1, %eax
    movl $5, %ebx
    int $0x80
text: .ascii "here\n"
S
if as --32 "$strangers/s32.s" -o "$strangers/s32.o" 2>/dev/null &&
    ld -m elf_i386 "$strangers/s32.o" -o "$strangers/s32" 2>/dev/null &&
    "$strangers/s32" >/dev/null; [ $? = 5 ]; then
    stranger 32-bit 5 \
        './s32 is a 32-bit program, and libprof.so is of 64 bits; it runs without being profiled' \
        ./s32
    (cd "$strangers" && PATH=$strangers:$PATH "$prof" run -- s32 >/dev/null 2>err; result \
        stranger-32-bit-path "$(grep -v '/s32 is a 32-bit program' err)")
    printf '#!%s\nnothing\n' "$strangers/s32" >"$strangers/script"
    printf '#! %s  an argument\n' "$strangers/script" >"$strangers/second"
    printf '#!/usr/bin/env -S A=b %s\n' "$strangers/s32" >"$strangers/by-env"
    chmod +x "$strangers/script" "$strangers/second" "$strangers/by-env"
    stranger script 5 './script: its interpreter .*/s32 is a 32-bit program' ./script
    stranger second-script 5 './second: its interpreter .*/s32 is a 32-bit program' ./second
    stranger env-script 5 './by-env: its interpreter .*/s32 is a 32-bit program' ./by-env
    doctor_says 32-bit 'is a 32-bit program, and libprof.so is of 64 bits; compile it' \
        "$strangers/s32"
    doctor_says script 'its interpreter .*/s32 is a 32-bit program' "$strangers/script"
    wants stranger-32-bit-bench &&
        found "$(cd "$strangers" && "$prof" bench -n 1 -t 1 -- ./s32 >out 2>err
        grep -q -e '^prof: ./s32 is a 32-bit program' err || cat err
        grep -q 'LD_PRELOAD\|ld.so' err && cat err)"
else
    echo "SKIP policy/stranger-32-bit: this assembler or this kernel has no 32-bit programs"
fi
# Another loader, which obeys LD_PRELOAD, too. The program names it by a path as long as that of
# glibc's loader. It is a program itself, and prints whether it got LD_PRELOAD.
cat >"$strangers/loader.c" <<'C'
#include <stddef.h>
static long call(long n, long a, const void *b, long c)
{
    __asm__ volatile("syscall" : "+a"(n) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return n;
}
__attribute__((used)) void begin(long *stack)
{
    static const char name[] = "LD_PRELOAD=";
    for (char **e = (char **)stack + *stack + 2; *e; e++) {
        unsigned i = 0;
        while (name[i] && (*e)[i] == name[i])
            i++;
        if (!name[i])
            call(1, 2, "Error relocating libprof.so\n", 28), call(60, 127, 0, 0);
    }
    call(1, 1, "here\n", 5);
    call(60, 6, 0, 0);
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
C
printf 'int main(void) { return 3; }\n' >"$strangers/plain.c"
# The path is relative to the current directory, not one of the system's directories.
gcc -O1 -static-pie -fPIE -nostdlib -fno-stack-protector -fcf-protection=none \
    -ffreestanding "$strangers/loader.c" -o "$strangers/ld-musl-x86_64.so.1" 2>"$tmp/gcc.log" &&
    cp "$strangers/ld-musl-x86_64.so.1" "$strangers/ld-other.so.1" &&
    gcc "$strangers/plain.c" -o "$strangers/musl" -Wl,--dynamic-linker=./ld-musl-x86_64.so.1 \
        2>>"$tmp/gcc.log" &&
    gcc "$strangers/plain.c" -o "$strangers/other" -Wl,--dynamic-linker=./ld-other.so.1 \
        2>>"$tmp/gcc.log" &&
    gcc "$strangers/plain.c" -o "$strangers/lost" \
        -Wl,--dynamic-linker=/nonexistent/ld-musl-x86_64.so.1 2>>"$tmp/gcc.log" &&
    gcc "$strangers/plain.c" -o "$strangers/foreign" 2>>"$tmp/gcc.log" ||
    result stranger-build "$(head -c 300 "$tmp/gcc.log")"
stranger musl 6 \
    './musl is linked with musl, and libprof.so with glibc; it runs without being profiled' ./musl
stranger other-loader 6 './other has a loader that is not glibc.s, ./ld-other.so.1; it runs' ./other
doctor_says musl 'is linked with musl, and libprof.so with glibc; link it with glibc' \
    "$strangers/musl"
wants stranger-no-loader && found "$(cd "$strangers" && "$prof" run -- ./lost 2>err; s=$?
    [ $s = 127 ] || echo "status $s"
    [ "$(cat err)" = \
        'prof: ./lost: /nonexistent/ld-musl-x86_64.so.1, which it needs to run, is not there' ] ||
        cat err)"
wants stranger-keeps-preload && found "$(cd "$strangers" &&
    LD_PRELOAD=/nonexistent/mine.so "$prof" run -- ./musl >out 2>err; s=$?
    [ $s = 127 ] || echo "the user's own LD_PRELOAD is gone: $s")"
# x32: the class is 32 bits' and the processor's number stays. AArch64: another number. Such a file
# may not be started: no shell reads it.
cp "$strangers/foreign" "$strangers/arm"
patch_bytes "$strangers/arm" 18 267 0
[ "$(uname -m)" = aarch64 ] || ! wants stranger-foreign || found "$(cd "$strangers" &&
    "$prof" run -- ./arm >out 2>err; s=$?
    native=$(./arm >/dev/null 2>&1; echo $?)     # an emulator may be registered
    [ $s = 126 ] || [ $s = $native ] || echo "status $s, natively $native"
    arm='./arm is a program for AArch64 processors, and libprof.so for x86-64'
    grep -q "^prof: $arm; it cannot be profiled" err || cat err; grep -i 'syntax\|not found' err)"
doctor_says foreign 'is a program for AArch64 processors' "$strangers/arm"
if gcc -mx32 -c "$strangers/plain.c" -o "$strangers/x32.o" 2>/dev/null &&
    ld -m elf32_x86_64 -e main "$strangers/x32.o" -o "$strangers/x32" 2>/dev/null; then
    doctor_says x32 'is an x32 program' "$strangers/x32"
else
    result stranger-x32 "$(head -c 200 "$tmp/gcc.log"; echo 'not built')"
fi
# A program that ends as Go's do: by a system call. It leaves nothing before the first checkpoint,
# and prof run knows why.
cat >"$strangers/go.c" <<'C'
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef GO
__asm__(".pushsection .note.go.buildid, \"a\", @note\n.long 4, 4, 4\n"
        ".asciz \"Go\\0\"\n.long 0\n.popsection");
#endif
static void *nothing(void *unused) { return unused; }
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    sleep(argc > 1 ? 3 : 0);
#ifdef __x86_64__
    asm volatile("syscall" : : "a"(SYS_exit_group), "D"(4));
#else
    register long number asm("x8") = SYS_exit_group, status asm("x0") = 4;
    asm volatile("svc 0" : : "r"(number), "r"(status));
#endif
}
C
gcc "$strangers/go.c" -o "$strangers/raw" -pthread &&
    gcc -DGO "$strangers/go.c" -o "$strangers/go" -pthread || result stranger-go-build 'not built'
stranger raw-exit 4 'no profile was written (prof doctor ./raw may know why)' ./raw
unseen='no profile was written: a Go program ends by a system call that libprof does not see'
stranger go 4 "$unseen, .* before its first checkpoint" ./go
wants stranger-go-long &&
    found "$(cd "$strangers" && "$prof" run -o go.prof -- ./go long >out 2>err; s=$?
    [ $s = 4 ] || echo "status $s"
    "$prof" report --json go.prof | jq -c '.program | [.spawns, .end]' |
        grep -qxF '[1,"running"]' || cat err)"
wants stranger-go-doctor && found "$(cd "$strangers" && "$prof" doctor ./go >"$tmp/out"
    grep -q '^\[--\] Go: .*the last checkpoint' "$tmp/out" || cat "$tmp/out"
    "$prof" doctor ./raw | grep '^\[--\] Go')"
# Programs that also fail, or run, without prof: no execute permission, a directory, a missing
# interpreter, a text that the shell reads.
printf '#!/nonexistent/interpreter\n' >"$strangers/headless"
printf 'exit 9\n' >"$strangers/text"
: >"$strangers/empty"
chmod +x "$strangers/headless" "$strangers/text" "$strangers/empty"
chmod -x "$strangers/foreign"
wants stranger-not-executable && found "$(cd "$strangers" && "$prof" run -- ./foreign 2>err; s=$?
    [ $s = 126 ] || echo "status $s"; [ "$(cat err)" = 'prof: ./foreign: Permission denied' ] ||
    cat err)"
wants stranger-directory && found "$(cd "$strangers" && "$prof" run -- / 2>err; s=$?
    [ $s = 126 ] || echo "status $s"
    [ "$(cat err)" = 'prof: /: a directory, not a program' ] || cat err)"
wants stranger-headless && found "$(cd "$strangers" && "$prof" run -- ./headless 2>err; s=$?
    [ $s = 127 ] || echo "status $s"
    [ "$(cat err)" = \
        'prof: ./headless: /nonexistent/interpreter, which it needs to run, is not there' ] ||
        cat err)"
wants stranger-text && found "$(cd "$strangers" && "$prof" run --no-report -- ./text 2>err; s=$?
    [ $s = 9 ] || echo "status $s"; "$prof" run --no-report -- ./empty 2>err; s=$?
    [ $s = 0 ] || echo "empty: status $s")"
# The loader takes no notice of LD_PRELOAD in a set-user-id program. (As root nobody is another
# user, on this mount nothing may be one.)
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && ! findmnt -no OPTIONS -T "$strangers" |
    grep -q nosuid; then
    chmod 755 "$tmp" "$strangers"
    gcc "$strangers/plain.c" -o "$strangers/suid" && chmod 4755 "$strangers/suid"
    wants stranger-set-user-id &&
        found "$(cd /tmp && setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$prof" run -- "$strangers/suid" >"$tmp/out" 2>"$tmp/err"; s=$?
        [ $s = 3 ] || echo "status $s"
        [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q \
            'suid is set-user-id, .*; it runs without being profiled' "$tmp/err" || cat "$tmp/err")"
else
    wants stranger-set-user-id && found 'SKIP needs root, setpriv, and a mount without nosuid'
fi
