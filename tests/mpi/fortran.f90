! fortran.f90 - messages and collective operations by MPI's Fortran interfaces. One source, three
! programs: -Dmpif_h, -Duse_mpi, -Duse_mpi_f08. oracle.h states how the oracle works and how ranks
! are watched. All buffers are arrays, since mpif.h lets the compiler compare the calls.
program fortran
#if defined(use_mpi_f08)
    use mpi_f08
#elif defined(use_mpi)
    use mpi
#endif
    implicit none
#if defined(mpif_h)
    include 'mpif.h'
#endif
#if defined(use_mpi_f08)
    type(MPI_Comm) :: half
    type(MPI_Request) :: requests(4)
    type(MPI_Status) :: status, statuses(4)
#else
    integer :: half
    integer :: requests(4)
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4)
#endif
    integer, parameter :: int64 = selected_int_kind(18)
    integer(int64), parameter :: watch = 2_int64**32
    integer(int64), asynchronous :: s(1), m(1), two(2), all(64)
    integer(int64) :: work
    integer :: rank, ranks, turn, error, i, place, next, previous, pid
    logical :: flag, open
    character(len=100) :: line

    s = 0
    work = 0
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    next = mod(rank + 1, ranks)
    previous = mod(rank + ranks - 1, ranks)
    do turn = 0, ranks - 1
        ! a token goes round, by blocking messages
        call cost(100 * (rank + 1))
        if (rank > 0) then
            call MPI_Recv(m, 1, MPI_INTEGER8, previous, 1, MPI_COMM_WORLD, status, error)
            call take(m(1))
        end if
        call cost(7)
        call MPI_Send(s, 1, MPI_INTEGER8, next, 1, MPI_COMM_WORLD, error)
        if (rank == 0) then
            call MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, error)
            call MPI_Recv(m, 1, MPI_INTEGER8, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, error)
            call take(m(1))
        end if

        ! both neighbours, while something costs
        call cost(10 * (ranks - rank))
        m = s
        two = -1
        call MPI_Irecv(two(1:1), 1, MPI_INTEGER8, previous, 2, MPI_COMM_WORLD, requests(1), error)
        call MPI_Irecv(two(2:2), 1, MPI_INTEGER8, next, 3, MPI_COMM_WORLD, requests(2), error)
        call MPI_Isend(m, 1, MPI_INTEGER8, next, 2, MPI_COMM_WORLD, requests(3), error)
        call MPI_Isend(m, 1, MPI_INTEGER8, previous, 3, MPI_COMM_WORLD, requests(4), error)
        call cost(1 + 3 * rank)
        if (mod(turn, 2) == 0) then
            call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
        else
            call MPI_Waitall(4, requests, statuses, error)
        end if
        call take(two(1))
        call take(two(2))

        ! one by one, as executed
        m = s
        two = -1
        call MPI_Irecv(two(1:1), 1, MPI_INTEGER8, previous, 4, MPI_COMM_WORLD, requests(1), error)
        call MPI_Irecv(two(2:2), 1, MPI_INTEGER8, next, 5, MPI_COMM_WORLD, requests(2), error)
        call cost(5 * (1 + mod(rank + turn, 3)))
        all(1:1) = s
        call MPI_Send(s, 1, MPI_INTEGER8, next, 4, MPI_COMM_WORLD, error)
        call MPI_Isend(all, 1, MPI_INTEGER8, previous, 5, MPI_COMM_WORLD, requests(3), error)
        do i = 1, 2
            ! not by the index: mpi_f08 of MPICH 4.0 counts it from 0
            open = requests(1) /= MPI_REQUEST_NULL
            call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, error)
            place = 2
            if (open .and. requests(1) == MPI_REQUEST_NULL) place = 1
            call take(two(place))
            call cost(place)
        end do
        flag = .false.
        do while (.not. flag)
            call MPI_Test(requests(3), flag, status, error)
        end do

        ! Sendrecv, a persistent request
        call cost(1 + rank)
        call MPI_Sendrecv(s, 1, MPI_INTEGER8, next, 6, m, 1, MPI_INTEGER8, previous, 6, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call take(m(1))
        call MPI_Recv_init(two, 1, MPI_INTEGER8, previous, 7, MPI_COMM_WORLD, requests(1), error)
        call MPI_Send_init(m, 1, MPI_INTEGER8, next, 7, MPI_COMM_WORLD, requests(2), error)
        do i = 1, 3
            call cost(20 + 3 * rank + i)
            m = s
            call MPI_Startall(2, requests, error)
            call cost(2)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
            call take(two(1))
        end do
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)

        ! collective operations
        call cost(10 * (ranks - rank))
        m = s
        call MPI_Bcast(m, 1, MPI_INTEGER8, ranks - 1, MPI_COMM_WORLD, error)
        call take(m(1))
        call cost(1 + rank)
        call MPI_Scan(s, m, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, error)
        call take(m(1))
        call cost(13 * (ranks - rank))
        call MPI_Gather(s, 1, MPI_INTEGER8, all, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, error)
        if (rank == 0) call take(maxval(all(1:ranks)))
        call cost(1 + rank)
        m = s
        call MPI_Iallreduce(m, two, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, requests(1), error)
        call cost(17)
        call MPI_Wait(requests(1), status, error)
        call take(two(1))
        call cost(1 + 11 * mod(rank, 2))

        ! halves: the split is an operation of all ranks, whose maximum only a second one can show
        call MPI_Allreduce(s, m, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, error)
        call take(m(1))
        call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
        call cost(3 * (1 + rank))
        m = s
        call MPI_Allreduce(MPI_IN_PLACE, m, 1, MPI_INTEGER8, MPI_MAX, half, error)
        call take(m(1))
        call MPI_Comm_free(half, error)

        if (rank == turn) call cost_long(watch)
        call MPI_Barrier(MPI_COMM_WORLD, error)
        ! the barrier brings what this operation brings
        call MPI_Allreduce(s, m, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, error)
        call take(m(1))
    end do
    call MPI_Finalize(error)
    call help_pid(pid)
    write (line, '(A,I0,A,I0,A,I0,A,I0)') 'rank ', rank, ' pid ', pid, ' work ', work, &
        ' span ', s(1)
    write (*, '(A)') trim(line)

contains

    subroutine take(other)
        integer(int64), intent(in) :: other

        s(1) = max(s(1), other)
    end subroutine take

    subroutine cost(n)
        integer, intent(in) :: n

        call cost_long(int(n, int64))
    end subroutine cost

    subroutine cost_long(n)
        integer(int64), intent(in) :: n

        call help_cost(n)
        s(1) = s(1) + n
        work = work + n
    end subroutine cost_long
end program fortran
