# what: the go tool, goroutines on threads, net on the loopback, os/exec, a panic; with cgo (pure Go with net is linked to libc, too)
# packages: golang-go gcc
# needs: /usr/bin/go gcc
# profile: prog
# Go ends by a system call of its own, and no libc function: a profile is a checkpoint, and one run
# lasts for some.
# limit: 900
mkdir prog && cd prog || exit 1
cat >go.mod <<'END'
module prog
go 1.19
END
cat >main.go <<'END'
package main

// static long twice(long x) { return 2 * x; }
// extern void called(long);
// static void back(long x) { called(x); }
import "C"
import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

var sum int64
var mu sync.Mutex

//export called
func called(x C.long) { mu.Lock(); sum += int64(x); mu.Unlock() }

func deep(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + pad[n%64] - n + 1
}

func main() {
	var wg sync.WaitGroup
	runtime.GOMAXPROCS(4)
	total := int64(0)
	for g := 0; g < 200; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			s := int64(deep(1000))
			for i := 0; i < 2000; i++ {
				s += int64(C.twice(C.long(i)))
			}
			for i := 0; i < 200000; i++ {
				s += int64(i % 7)
			}
			C.back(C.long(g))
			mu.Lock()
			total += s
			mu.Unlock()
		}(g)
	}
	wg.Wait()
	fmt.Println("goroutines", total, sum)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	bytes := 0
	for i := 0; i < 20; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			go func() { c.Write(make([]byte, 100000)); c.(*net.TCPConn).CloseWrite() }()
			b, _ := io.ReadAll(c)
			mu.Lock()
			bytes += len(b)
			mu.Unlock()
		}()
	}
	wg.Wait()
	fmt.Println("net", bytes)
	_, err = net.LookupHost("localhost")
	fmt.Println("resolver", err)
	for i := 0; i < 5; i++ {
		out, err := exec.Command("sh", "-c", fmt.Sprintf("echo %d; exit %d", i, i)).Output()
		fmt.Printf("exec %q %v\n", out, err)
	}
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-ch)
	if len(os.Args) > 1 && os.Args[1] == "long" {
		time.Sleep(3 * time.Second)
	} else if len(os.Args) > 1 {
		var m map[int]int
		go func() { m[1] = 1 }()
		select {}
	}
	os.Exit(5)
}
END
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE=$PWD/../cache
CGO_ENABLED=1 /usr/bin/go build -o prog . 2>&1 || exit 1
for i in 1 2 3; do
    ./prog
    echo "status $?"
done
./prog long
echo "status $?"
./prog panic 2>&1 | grep ^panic
cat >pure.go <<'END'
//go:build ignore
package main

import ("fmt"; "net"; "sync")

func main() {
	var wg sync.WaitGroup
	s := make([]int, 50)
	for g := range s {
		wg.Add(1)
		go func(g int) { defer wg.Done(); for i := 0; i < 3000000; i++ { s[g] += i % 5 } }(g)
	}
	wg.Wait()
	_, err := net.LookupPort("tcp", "http")
	fmt.Println(s[0], err)
}
END
/usr/bin/go build -o pure pure.go && for i in 1 2 3; do ./pure; echo "status $?"; done
CGO_ENABLED=0 /usr/bin/go build -o static pure.go && ./static
echo "status $?"
