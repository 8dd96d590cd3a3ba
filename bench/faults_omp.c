// faults_omp.c - compiled by clang: a region on libomp.
long omp_region(int n);
long omp_region(int n)
{
    long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    return sum;
}
