# what: ithreads with queues and shared data, detached threads, fork beside threads, pipes, alarm
# packages: perl
# needs: perl
# profile: perl
# quick: yes
cat >p.pl <<'END'
use strict; use warnings; use threads; use threads::shared; use Thread::Queue;
$| = 1;
my $sum :shared = 0;
my $q = Thread::Queue->new(1 .. 200); $q->end;
my @t = map { threads->create(sub { while (defined(my $x = $q->dequeue)) { lock $sum; $sum += $x } threads->tid }) } 1 .. 4;
print "tids ", join(",", map { $_->join } @t), " sum $sum\n";
my $done :shared = 0;
threads->create(sub { lock $done; $done = 1; cond_signal $done })->detach;
{ lock $done; cond_wait $done until $done; }
my $b = threads->create(sub { select undef, undef, undef, 0.3; 5 });
for my $i (1 .. 8) {
    my $pid = fork // die;
    if (!$pid) { require POSIX; POSIX::_exit(threads->create(sub { $i * 2 })->join) }
    waitpid $pid, 0;
    print $? >> 8, " ";
}
print "\n", $b->join, "\n";
open my $p, "-|", "sort -n" . " <<X\n3\n1\n2\nX\n" or die; print <$p>; close $p;
eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; select undef, undef, undef, 50; }; print $@;
threads->create(sub { threads->exit(3) })->join; print "still here\n";
exit 9;
END
perl p.pl
echo "status $?"
