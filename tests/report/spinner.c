/* spinner.c - a loop that waits, and one that counts: spins.sh has samples hit them. */
#ifdef __aarch64__
#define PAUSE "yield"
#else
#define PAUSE "pause"
#endif

void wait_here(volatile int *go)
{
    while (!*go)
        __asm__ volatile(".globl pausing\npausing: " PAUSE);
}

void poll_here(volatile int *go)
{
    while (!*go)
        __asm__ volatile(".globl polling\npolling:");  /* adds no instruction */
}

int work_here(int n)
{
    int sum = 0;
    while (n--)
        __asm__ volatile(".globl working\nworking: nop" : "+r"(sum));
    return sum;
}
