/* Chang and Roberts' election in a one-way ring of 8: a node passes greater numbers on, swallows smaller
   ones, and leads when its own comes back. A node wakes up on its own or when a message reaches it, and may
   stand aside. */

chan ring_0 = [2] of { byte, byte };  /* (1: the winner is known, number), from node 0 to its successor */
chan ring_1 = [2] of { byte, byte };
chan ring_2 = [2] of { byte, byte };
chan ring_3 = [2] of { byte, byte };
chan ring_4 = [2] of { byte, byte };
chan ring_5 = [2] of { byte, byte };
chan ring_6 = [2] of { byte, byte };
chan ring_7 = [2] of { byte, byte };

active proctype Node_0() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_0!0, 3; goto awake
    :: true -> goto aside
    :: ring_7?kind, number; goto woken
    fi;
awake:
    if
    :: ring_7?kind, number; goto judge
    fi;
aside:
    if
    :: ring_7?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_0) -> ring_0!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_0) -> ring_0!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_0!0, 3; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 3 && nfull(ring_0) -> ring_0!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 3 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 3 -> number = 0; leader = 3 } goto lead
    :: d_step { kind == 1 && nfull(ring_0) -> ring_0!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_0!1, 3; goto closing
    fi;
closing:
    if
    :: d_step { ring_7?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_1() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_1!0, 6; goto awake
    :: true -> goto aside
    :: ring_0?kind, number; goto woken
    fi;
awake:
    if
    :: ring_0?kind, number; goto judge
    fi;
aside:
    if
    :: ring_0?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_1) -> ring_1!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_1) -> ring_1!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_1!0, 6; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 6 && nfull(ring_1) -> ring_1!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 6 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 6 -> number = 0; leader = 6 } goto lead
    :: d_step { kind == 1 && nfull(ring_1) -> ring_1!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_1!1, 6; goto closing
    fi;
closing:
    if
    :: d_step { ring_0?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_2() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_2!0, 1; goto awake
    :: true -> goto aside
    :: ring_1?kind, number; goto woken
    fi;
awake:
    if
    :: ring_1?kind, number; goto judge
    fi;
aside:
    if
    :: ring_1?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_2) -> ring_2!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_2) -> ring_2!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_2!0, 1; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 1 && nfull(ring_2) -> ring_2!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 1 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 1 -> number = 0; leader = 1 } goto lead
    :: d_step { kind == 1 && nfull(ring_2) -> ring_2!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_2!1, 1; goto closing
    fi;
closing:
    if
    :: d_step { ring_1?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_3() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_3!0, 5; goto awake
    :: true -> goto aside
    :: ring_2?kind, number; goto woken
    fi;
awake:
    if
    :: ring_2?kind, number; goto judge
    fi;
aside:
    if
    :: ring_2?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_3) -> ring_3!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_3) -> ring_3!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_3!0, 5; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 5 && nfull(ring_3) -> ring_3!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 5 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 5 -> number = 0; leader = 5 } goto lead
    :: d_step { kind == 1 && nfull(ring_3) -> ring_3!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_3!1, 5; goto closing
    fi;
closing:
    if
    :: d_step { ring_2?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_4() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_4!0, 2; goto awake
    :: true -> goto aside
    :: ring_3?kind, number; goto woken
    fi;
awake:
    if
    :: ring_3?kind, number; goto judge
    fi;
aside:
    if
    :: ring_3?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_4) -> ring_4!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_4) -> ring_4!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_4!0, 2; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 2 && nfull(ring_4) -> ring_4!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 2 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 2 -> number = 0; leader = 2 } goto lead
    :: d_step { kind == 1 && nfull(ring_4) -> ring_4!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_4!1, 2; goto closing
    fi;
closing:
    if
    :: d_step { ring_3?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_5() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_5!0, 7; goto awake
    :: true -> goto aside
    :: ring_4?kind, number; goto woken
    fi;
awake:
    if
    :: ring_4?kind, number; goto judge
    fi;
aside:
    if
    :: ring_4?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_5) -> ring_5!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_5) -> ring_5!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_5!0, 7; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 7 && nfull(ring_5) -> ring_5!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 7 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 7 -> number = 0; leader = 7 } goto lead
    :: d_step { kind == 1 && nfull(ring_5) -> ring_5!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_5!1, 7; goto closing
    fi;
closing:
    if
    :: d_step { ring_4?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_6() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_6!0, 4; goto awake
    :: true -> goto aside
    :: ring_5?kind, number; goto woken
    fi;
awake:
    if
    :: ring_5?kind, number; goto judge
    fi;
aside:
    if
    :: ring_5?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_6) -> ring_6!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_6) -> ring_6!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_6!0, 4; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 4 && nfull(ring_6) -> ring_6!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 4 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 4 -> number = 0; leader = 4 } goto lead
    :: d_step { kind == 1 && nfull(ring_6) -> ring_6!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_6!1, 4; goto closing
    fi;
closing:
    if
    :: d_step { ring_5?kind, number; kind = 0; number = 0 } goto end
    fi;
}

active proctype Node_7() {
    byte kind;
    byte number;
    byte leader;

asleep:
    if
    :: ring_7!0, 8; goto awake
    :: true -> goto aside
    :: ring_6?kind, number; goto woken
    fi;
awake:
    if
    :: ring_6?kind, number; goto judge
    fi;
aside:
    if
    :: ring_6?kind, number; goto pass
    fi;
pass:
    if
    :: d_step { kind == 0 && nfull(ring_7) -> ring_7!0, number; number = 0 } goto aside
    :: d_step { kind == 1 && nfull(ring_7) -> ring_7!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
end:
    false;
woken:
    if
    :: ring_7!0, 8; goto judge
    fi;
judge:
    if
    :: d_step { kind == 0 && number > 8 && nfull(ring_7) -> ring_7!0, number; number = 0 } goto awake
    :: d_step { kind == 0 && number < 8 -> number = 0 } goto awake
    :: d_step { kind == 0 && number == 8 -> number = 0; leader = 8 } goto lead
    :: d_step { kind == 1 && nfull(ring_7) -> ring_7!1, number; leader = number; kind = 0; number = 0 } goto end
    fi;
lead:
    if
    :: ring_7!1, 8; goto closing
    fi;
closing:
    if
    :: d_step { ring_6?kind, number; kind = 0; number = 0 } goto end
    fi;
}
