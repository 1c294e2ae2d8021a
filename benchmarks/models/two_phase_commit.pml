/* Two-phase commit with 7 workers and one transaction after the other: votes come through one queue, orders
   through one place per worker. */

#define PREPARE 0
#define COMMIT 1
#define ABORT 2

chan order_0 = [1] of { byte };
chan order_1 = [1] of { byte };
chan order_2 = [1] of { byte };
chan order_3 = [1] of { byte };
chan order_4 = [1] of { byte };
chan order_5 = [1] of { byte };
chan order_6 = [1] of { byte };
chan vote = [2] of { byte };  /* 1: yes */
chan finished = [2] of { byte };

active proctype Coordinator() {
    byte got;  /* votes or reports received */
    byte yes;
    byte said;
    byte verdict;

prepare_0:
    if
    :: order_0!PREPARE; goto prepare_1
    fi;
prepare_1:
    if
    :: order_1!PREPARE; goto prepare_2
    fi;
prepare_2:
    if
    :: order_2!PREPARE; goto prepare_3
    fi;
prepare_3:
    if
    :: order_3!PREPARE; goto prepare_4
    fi;
prepare_4:
    if
    :: order_4!PREPARE; goto prepare_5
    fi;
prepare_5:
    if
    :: order_5!PREPARE; goto prepare_6
    fi;
prepare_6:
    if
    :: order_6!PREPARE; goto collect
    fi;
collect:
    if
    :: d_step { got < 7 && nempty(vote) -> vote?said } goto count
    :: d_step { got == 7 && yes == 7 -> verdict = COMMIT; got = 0; yes = 0 } goto tell_0
    :: d_step { got == 7 && yes < 7 -> verdict = ABORT; got = 0; yes = 0 } goto tell_0
    fi;
count:
    if
    :: d_step { yes = yes + said; got = got + 1; said = 0 } goto collect
    fi;
tell_0:
    if
    :: order_0!verdict; goto tell_1
    fi;
tell_1:
    if
    :: order_1!verdict; goto tell_2
    fi;
tell_2:
    if
    :: order_2!verdict; goto tell_3
    fi;
tell_3:
    if
    :: order_3!verdict; goto tell_4
    fi;
tell_4:
    if
    :: order_4!verdict; goto tell_5
    fi;
tell_5:
    if
    :: order_5!verdict; goto tell_6
    fi;
tell_6:
    if
    :: order_6!verdict; goto settle
    fi;
settle:
    if
    :: d_step { got < 7 && nempty(finished) -> finished?said; got = got + 1; said = 0 } goto settle
    :: d_step { got == 7 -> got = 0; verdict = 0 } goto prepare_0
    fi;
}

active proctype Worker_0() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_0?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_0?order; goto told
    fi;
refused:
    if
    :: order_0?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!0; goto idle
    fi;
}

active proctype Worker_1() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_1?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_1?order; goto told
    fi;
refused:
    if
    :: order_1?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!1; goto idle
    fi;
}

active proctype Worker_2() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_2?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_2?order; goto told
    fi;
refused:
    if
    :: order_2?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!2; goto idle
    fi;
}

active proctype Worker_3() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_3?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_3?order; goto told
    fi;
refused:
    if
    :: order_3?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!3; goto idle
    fi;
}

active proctype Worker_4() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_4?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_4?order; goto told
    fi;
refused:
    if
    :: order_4?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!4; goto idle
    fi;
}

active proctype Worker_5() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_5?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_5?order; goto told
    fi;
refused:
    if
    :: order_5?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!5; goto idle
    fi;
}

active proctype Worker_6() {
    byte order;
    byte committed;  /* the last transaction was committed here */

idle:
    if
    :: order_6?order; goto asked
    fi;
asked:
    if
    :: vote!1; goto agreed
    :: vote!0; goto refused
    fi;
agreed:
    if
    :: order_6?order; goto told
    fi;
refused:
    if
    :: order_6?order; goto told
    fi;
told:
    if
    :: d_step { committed = (order == COMMIT); order = 0 } goto report
    fi;
report:
    if
    :: finished!6; goto idle
    fi;
}
