/* contended_tasks.c - one strand creates 1600 tasks; half of them have a clause. */
int main(void)
{
    static int done[1600], dep;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 1600; i += 2) {
#pragma omp task firstprivate(i)
        done[i] = 1;
#pragma omp task firstprivate(i) depend(in: dep)
        done[i + 1] = 1;
    }
    for (int i = 0; i < 1600; i++)
        if (!done[i])
            return 1;
    return 0;
}
