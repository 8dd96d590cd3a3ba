// cause: nothing
// A pool of threads of the program's own that has nothing to do all the time, as libraries start
// one; the computing is OpenMP's, and healthy.
#include <math.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int over;

static void *idle(void *unused) {
    pthread_mutex_lock(&door);
    while (!over)
        pthread_cond_wait(&news, &door);
    pthread_mutex_unlock(&door);
    return unused;
}

int main(void) {
    pthread_t pool[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&pool[i], NULL, idle, NULL);
    double sum = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum)
    for (int i = 0; i < 6000; i++) {
        double x = i;
        for (int k = 0; k < 30000; k++)
            x = sqrt(x + k);
        sum += x;
    }
    pthread_mutex_lock(&door);
    over = 1;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&door);
    for (int i = 0; i < 4; i++)
        pthread_join(pool[i], NULL);
    printf("%.6g\n", sum);
}
