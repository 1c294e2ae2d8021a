/* Peterson's filter lock for 4 processes, at most one shared access a step. */

#define N 4

byte level[4];  /* how far a process has climbed, 0: not interested */
byte last[4];  /* who arrived last on a level */
byte floor[4];  /* the level a process works on */
byte other[4];  /* the competitor it looks at next */

active proctype P_0() {
idle:
    if
    :: floor[0] = 1; goto raise
    fi;
raise:
    if
    :: d_step { floor[0] < N -> level[0] = floor[0] } goto arrive
    :: floor[0] == N -> goto critical
    fi;
arrive:
    if
    :: d_step { last[floor[0]] = 0; other[0] = 0 } goto wait
    fi;
critical:
    if
    :: level[0] = 0; goto idle
    fi;
wait:
    if
    :: d_step { last[floor[0]] != 0 || other[0] == N -> floor[0] = floor[0] + 1 } goto raise
    :: d_step { other[0] < N && (other[0] == 0 || level[other[0]] < floor[0]) -> other[0] = other[0] + 1 } goto wait
    fi;
}

active proctype P_1() {
idle:
    if
    :: floor[1] = 1; goto raise
    fi;
raise:
    if
    :: d_step { floor[1] < N -> level[1] = floor[1] } goto arrive
    :: floor[1] == N -> goto critical
    fi;
arrive:
    if
    :: d_step { last[floor[1]] = 1; other[1] = 0 } goto wait
    fi;
critical:
    if
    :: level[1] = 0; goto idle
    fi;
wait:
    if
    :: d_step { last[floor[1]] != 1 || other[1] == N -> floor[1] = floor[1] + 1 } goto raise
    :: d_step { other[1] < N && (other[1] == 1 || level[other[1]] < floor[1]) -> other[1] = other[1] + 1 } goto wait
    fi;
}

active proctype P_2() {
idle:
    if
    :: floor[2] = 1; goto raise
    fi;
raise:
    if
    :: d_step { floor[2] < N -> level[2] = floor[2] } goto arrive
    :: floor[2] == N -> goto critical
    fi;
arrive:
    if
    :: d_step { last[floor[2]] = 2; other[2] = 0 } goto wait
    fi;
critical:
    if
    :: level[2] = 0; goto idle
    fi;
wait:
    if
    :: d_step { last[floor[2]] != 2 || other[2] == N -> floor[2] = floor[2] + 1 } goto raise
    :: d_step { other[2] < N && (other[2] == 2 || level[other[2]] < floor[2]) -> other[2] = other[2] + 1 } goto wait
    fi;
}

active proctype P_3() {
idle:
    if
    :: floor[3] = 1; goto raise
    fi;
raise:
    if
    :: d_step { floor[3] < N -> level[3] = floor[3] } goto arrive
    :: floor[3] == N -> goto critical
    fi;
arrive:
    if
    :: d_step { last[floor[3]] = 3; other[3] = 0 } goto wait
    fi;
critical:
    if
    :: level[3] = 0; goto idle
    fi;
wait:
    if
    :: d_step { last[floor[3]] != 3 || other[3] == N -> floor[3] = floor[3] + 1 } goto raise
    :: d_step { other[3] < N && (other[3] == 3 || level[other[3]] < floor[3]) -> other[3] = other[3] + 1 } goto wait
    fi;
}
