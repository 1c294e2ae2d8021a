// Leader election in a one-way ring, after Chang and Roberts. Each node sends its number to its
// successor. A node forwards the numbers that are greater than its own and drops smaller ones. A
// node that receives its own number is the leader, and announces this around the ring. Every node
// ends when it knows the leader.
//
// `init` creates the nodes, each with its two channels and its number. Numbers along the ring
// differ by a constant stride, which is chosen at random; NODES is prime, so all numbers are
// different.
//
// expect: states 6895
// expect: transitions 21857
// expect: deadlocks 1
// expect: valid ends
// expect: property holds: assertions
// expect: property holds: at_most_one
// expect: property holds: agreement

#ifndef NODES
#define NODES 5
#endif

mtype = { CANDIDATE, LEADER };

chan link[NODES] = [2] of { mtype, byte };

byte leaders;   // nodes that were elected
byte informed;  // nodes that know the leader

proctype Node(chan in, out; byte mine) {
    byte number;
    out!CANDIDATE(mine);
    do
    :: in?CANDIDATE(number) ->
        if
        :: number > mine -> out!CANDIDATE(number)
        :: number < mine
        :: number == mine ->
elected:
            leaders++;
            out!LEADER(mine)
        fi
    :: in?LEADER(number) ->
        assert(number == NODES - 1);
        if
        :: number != mine -> out!LEADER(number)
        :: else
        fi;
        informed++;
        break
    od
}

init {
    byte i, stride;
    select (stride : 1 .. NODES - 1);
    atomic {
        for (i : 0 .. NODES - 1) {
            run Node(link[i], link[(i + 1) % NODES], i * stride % NODES)
        }
    }
}

ltl at_most_one { [] (leaders <= 1) }
ltl agreement { <> (leaders == 1 && informed == NODES) }
