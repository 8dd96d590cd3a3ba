# what: escript; 20,000 processes, ports through erl_child_setup, dirty schedulers, halt at once, from a process and with work under way, SIGTERM
# packages: erlang-base
# needs: escript erl
# profile: beam.smp
# quick: yes
cat >heavy.escript <<'END'
#!/usr/bin/env escript
%%! +SDio 4
main(_) ->
    Me = self(),
    N = 20000,
    [spawn(fun() -> Me ! {done, I * I} end) || I <- lists:seq(1, N)],
    io:format("squares ~p~n", [lists:sum([receive {done, X} -> X end || _ <- lists:seq(1, N)])]),
    io:format("ports ~s~n", [lists:join(",", [string:trim(os:cmd("echo " ++ integer_to_list(I))) || I <- lists:seq(1, 20)])]),
    Ps = [open_port({spawn, "sh -c 'exit 3'"}, [exit_status]) || _ <- lists:seq(1, 20)],
    io:format("statuses ~p~n", [lists:sum([receive {P, {exit_status, C}} -> C end || P <- Ps])]),
    L = [spawn_monitor(fun() ->
            Z = zlib:compress(binary:copy(<<"abcdefgh">>, 200000)),
            F = "f" ++ integer_to_list(I),
            ok = file:write_file(F, Z), {ok, Z} = file:read_file(F),
            exit({size, byte_size(zlib:uncompress(Z))}) end) || I <- lists:seq(1, 16)],
    io:format("dirty ~p~n", [lists:sum([receive {'DOWN', M, process, _, {size, B}} -> B end || {_, M} <- L])]),
    halt(5).
END
escript heavy.escript
echo "status $?"
erl -noshell -eval 'halt().'
echo "halt $?"
erl -noshell -s init stop
echo "stop $?"
erl -noshell -eval '[spawn(fun() -> halt(4) end) || _ <- lists:seq(1, 50)], timer:sleep(200000).'
echo "halt from processes $?"
erl +S 8:8 +SDcpu 8:8 +SDio 16 +A 16 -noshell -eval '
    [spawn(fun() -> (fun F() -> F() end)() end) || _ <- lists:seq(1, 20)],
    [open_port({spawn, "sleep 1"}, []) || _ <- lists:seq(1, 5)],
    [spawn(fun() -> file:write_file("/dev/null", binary:copy(<<0>>, 5000000)) end) || _ <- lists:seq(1, 50)],
    halt(3).'
echo "halt under load $?"
erl -noshell -eval 'io:format("up~n"), [os:cmd("true") || _ <- lists:seq(1, 100000000)].' >up 2>/dev/null &
pid=$!
until grep -q up up 2>/dev/null; do sleep 0.05; done
kill -TERM $pid
wait $pid
echo "SIGTERM $?"
