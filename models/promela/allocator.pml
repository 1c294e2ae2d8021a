// A server lends a plotter and a scanner to two clients, which need both. A client that has one and
// is refused the other gives the first one back and tries again. Both clients ask for different
// devices first, so they can refuse each other forever. This is a livelock: there is no deadlock,
// but a non-progress cycle.
//
// With `-D ORDERED=1`, both clients ask for the plotter first. The client that gets it also gets
// the scanner, so only an unfair scheduler can prevent progress.
//
// expect: states 984
// expect: transitions 1910
// expect: deadlocks 0
// expect: property holds: assertions
// expect: property violated: non-progress
// expect: property violated with fairness: non-progress
// expect: invariant holds: not (Client[0]@progress and Client[1]@progress)
// expect with ORDERED=1: states 539
// expect with ORDERED=1: transitions 1042
// expect with ORDERED=1: property violated: non-progress
// expect with ORDERED=1: property holds with fairness: non-progress

#define CLIENTS 2

mtype = { ASK, RETURN };

chan server = [CLIENTS] of { mtype, byte, byte };    // (what, device, client)
chan answer[CLIENTS] = [1] of { bool };              // granted or refused

bool lent[2];

#ifdef ORDERED
#define FIRST 0
#else
#define FIRST _pid
#endif

active [CLIENTS] proctype Client() {
    bool granted;
    do
    :: server!ASK(FIRST, _pid);
        answer[_pid]?granted;
        if
        :: granted ->
            server!ASK(1 - FIRST, _pid);
            answer[_pid]?granted;
            if
            :: granted ->
progress:
                assert(lent[0] && lent[1]);
                server!RETURN(1 - FIRST, _pid)
            :: else
            fi;
            server!RETURN(FIRST, _pid)
        :: else
        fi
    od
}

active proctype Server() {
    byte device, client;
end_idle:
    do
    :: server?ASK(device, client) ->
        atomic { answer[client]!(!lent[device]); lent[device] = true }
    :: server?RETURN(device, client) ->
        lent[device] = false
    od
}
