# what: gcc -flto=4, make -j4 with its jobserver over 30 files, a failing job, ar: the program runs
# packages: gcc make binutils
# needs: gcc make
# quick: yes
i=0
while [ $i -lt 30 ]; do
    echo "int f$i(int x) { for (int k = 0; k < x; k++) x ^= k * $i; return x; }" >f$i.c
    i=$((i + 1)); done
{ i=0; while [ $i -lt 30 ]; do echo "int f$i(int);"; i=$((i + 1)); done; echo '#include <stdio.h>
int main(void) { int s = 0;'; i=0; while [ $i -lt 30 ]; do echo \
    "s += f$i(s + $i);"; i=$((i + 1)); done; echo 'printf("%d.", s); return 2; }'; } >main.c
cat >Makefile <<'END'
O := $(patsubst %.c,%.o,$(wildcard *.c))
p: $(O) ; +gcc -O2 -flto=jobserver -o $@ $^
%.o: %.c ; gcc -O2 -flto -c $< -o $@
bad: $(O) no ; @true
no: ; @exit 3
END
make -s -j4 p && ./p
echo "status $?"
rm p; gcc -O2 -flto=4 *.o -o p && ./p
echo "status $?"
make -s -j4 bad 2>&1 | grep -c 'Error 3'
ar rcs l.a f*.o; ar t l.a | wc -l
