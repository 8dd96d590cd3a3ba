# teams.sh - a part of run.sh: parallel regions that ran in teams of one thread.

# A loop of 800 chunks of 1 ms, in a team of one of two workers: 400 ms of idle time.
loop='construct=parallel runtime=openmp flags=4 tasks=801 invocations=1 on=1 threads=1 busiest=100
    work=800 span=2 longest=1 handed=799 elapsed=900 sleep=900 root=10'
grain alone $loop one=1 of-one=800
json teams-json '.sites[] | select(.construct == "parallel") | .teams_of_one' \
    '{"executions":1,"work_ns":800000000}' alone.prof
json teams-finding '.findings[0] | [.id, .place.function]' '["nested","app+0x402000"]' alone.prof
# Without that, the region is one of a team.
grain shared $loop
json teams-none '[.findings[] | select(.id == "nested")]' '[]' shared.prof
# Threads that started late are no reason where one thread had all.
grain absent $loop one=1 of-one=800 sleep=0
json teams-absent '.findings[0].id' '"nested"' absent.prof
# merged profiles have the sums
STARTED=5000000000000 ./gen grain $loop one=1 of-one=800 >again.prof
status teams-merge 0 "$prof" merge --as runs -o both.prof alone.prof again.prof
json teams-merge-sum '.sites[] | select(.construct == "parallel") | .teams_of_one' \
    '{"executions":2,"work_ns":1600000000}' both.prof
