/* 14 dining philosophers; the last one takes its forks in the other order. */

byte fork[14];  /* 1 while somebody holds it */

active proctype Philosopher_0() {
thinking:
    if
    :: d_step { fork[0] == 0 -> fork[0] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[1] == 0 -> fork[1] = 1 } goto eating
    fi;
eating:
    if
    :: fork[0] = 0; goto sated
    fi;
sated:
    if
    :: fork[1] = 0; goto thinking
    fi;
}

active proctype Philosopher_1() {
thinking:
    if
    :: d_step { fork[1] == 0 -> fork[1] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[2] == 0 -> fork[2] = 1 } goto eating
    fi;
eating:
    if
    :: fork[1] = 0; goto sated
    fi;
sated:
    if
    :: fork[2] = 0; goto thinking
    fi;
}

active proctype Philosopher_2() {
thinking:
    if
    :: d_step { fork[2] == 0 -> fork[2] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[3] == 0 -> fork[3] = 1 } goto eating
    fi;
eating:
    if
    :: fork[2] = 0; goto sated
    fi;
sated:
    if
    :: fork[3] = 0; goto thinking
    fi;
}

active proctype Philosopher_3() {
thinking:
    if
    :: d_step { fork[3] == 0 -> fork[3] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[4] == 0 -> fork[4] = 1 } goto eating
    fi;
eating:
    if
    :: fork[3] = 0; goto sated
    fi;
sated:
    if
    :: fork[4] = 0; goto thinking
    fi;
}

active proctype Philosopher_4() {
thinking:
    if
    :: d_step { fork[4] == 0 -> fork[4] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[5] == 0 -> fork[5] = 1 } goto eating
    fi;
eating:
    if
    :: fork[4] = 0; goto sated
    fi;
sated:
    if
    :: fork[5] = 0; goto thinking
    fi;
}

active proctype Philosopher_5() {
thinking:
    if
    :: d_step { fork[5] == 0 -> fork[5] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[6] == 0 -> fork[6] = 1 } goto eating
    fi;
eating:
    if
    :: fork[5] = 0; goto sated
    fi;
sated:
    if
    :: fork[6] = 0; goto thinking
    fi;
}

active proctype Philosopher_6() {
thinking:
    if
    :: d_step { fork[6] == 0 -> fork[6] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[7] == 0 -> fork[7] = 1 } goto eating
    fi;
eating:
    if
    :: fork[6] = 0; goto sated
    fi;
sated:
    if
    :: fork[7] = 0; goto thinking
    fi;
}

active proctype Philosopher_7() {
thinking:
    if
    :: d_step { fork[7] == 0 -> fork[7] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[8] == 0 -> fork[8] = 1 } goto eating
    fi;
eating:
    if
    :: fork[7] = 0; goto sated
    fi;
sated:
    if
    :: fork[8] = 0; goto thinking
    fi;
}

active proctype Philosopher_8() {
thinking:
    if
    :: d_step { fork[8] == 0 -> fork[8] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[9] == 0 -> fork[9] = 1 } goto eating
    fi;
eating:
    if
    :: fork[8] = 0; goto sated
    fi;
sated:
    if
    :: fork[9] = 0; goto thinking
    fi;
}

active proctype Philosopher_9() {
thinking:
    if
    :: d_step { fork[9] == 0 -> fork[9] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[10] == 0 -> fork[10] = 1 } goto eating
    fi;
eating:
    if
    :: fork[9] = 0; goto sated
    fi;
sated:
    if
    :: fork[10] = 0; goto thinking
    fi;
}

active proctype Philosopher_10() {
thinking:
    if
    :: d_step { fork[10] == 0 -> fork[10] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[11] == 0 -> fork[11] = 1 } goto eating
    fi;
eating:
    if
    :: fork[10] = 0; goto sated
    fi;
sated:
    if
    :: fork[11] = 0; goto thinking
    fi;
}

active proctype Philosopher_11() {
thinking:
    if
    :: d_step { fork[11] == 0 -> fork[11] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[12] == 0 -> fork[12] = 1 } goto eating
    fi;
eating:
    if
    :: fork[11] = 0; goto sated
    fi;
sated:
    if
    :: fork[12] = 0; goto thinking
    fi;
}

active proctype Philosopher_12() {
thinking:
    if
    :: d_step { fork[12] == 0 -> fork[12] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[13] == 0 -> fork[13] = 1 } goto eating
    fi;
eating:
    if
    :: fork[12] = 0; goto sated
    fi;
sated:
    if
    :: fork[13] = 0; goto thinking
    fi;
}

active proctype Philosopher_13() {
thinking:
    if
    :: d_step { fork[0] == 0 -> fork[0] = 1 } goto hungry
    fi;
hungry:
    if
    :: d_step { fork[13] == 0 -> fork[13] = 1 } goto eating
    fi;
eating:
    if
    :: fork[0] = 0; goto sated
    fi;
sated:
    if
    :: fork[13] = 0; goto thinking
    fi;
}
