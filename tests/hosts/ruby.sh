# what: threads, fork beside threads, subprocesses, signals, at_exit, a Timeout, a Ractor
# packages: ruby
# needs: ruby
# profile: ruby
# quick: yes
cat >p.rb <<'END'
require 'timeout'
$stdout.sync = true
at_exit { puts "at_exit #{$$ == $top}" }
$top = $$
puts (1..8).map { |k| Thread.new { (1..20000).sum { |x| x * k } } }.sum(&:value)
q = Queue.new
t = Thread.new { while (x = q.pop) do print x, " " end; puts }
10.times { |i| q << i }
q << nil
t.join
10.times { |i| pid = fork { Thread.new { exit!(i) }.join }; Process.wait pid; print $?.exitstatus, " " }
puts
puts `echo from a shell`, system("exit 3"), $?.exitstatus
r = IO.popen(["cat"], "r+") { |io| io.write "popen"; io.close_write; io.read }
puts r
begin; Timeout.timeout(0.05) { sleep 50 }; rescue Timeout::Error => e; puts e.class; end
trap("USR1") { puts "USR1" }
Process.kill("USR1", $$)
sleep 0.05
puts [1, 2, 3].map { |k| Ractor.new(k) { |x| (1..1000).sum { |y| x * y } } }.map(&:take).inspect
Thread.new { raise "in a thread" }.join rescue puts $!.message
exit 4
END
ruby -W0 p.rb 2>/dev/null
echo "status $?"
