/* deepens.c - a stack that grows by little steps while samples come: a handler's frame is often the
 * first that needs the next page. Under valgrind, which makes the frames itself. */
#include <string.h>
#include <time.h>

static volatile int sink;

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int deepen(long end, int depth)
{
    volatile char frame[400];
    memset((char *)frame, depth, sizeof frame);
    for (int i = 0; i < 4000; i++)
        sink += frame[i % sizeof frame];
    return depth && now_ms() < end ? deepen(end, depth - 1) + frame[7] : 0;
}

int main(void)
{
    return deepen(now_ms() + 1500, 15000) == -1;
}
