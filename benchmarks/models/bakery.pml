/* Lamport's bakery for 4 customers with tickets up to 9; who would need a higher one steps back. */

#define N 4
#define LAST 9

byte drawing[4];  /* still looking for a number */
byte ticket[4];  /* 0: wants no bread */

active proctype Customer_0() {
    byte highest;
    byte other;

outside:
    if
    :: drawing[0] = 1; goto look
    fi;
look:
    if
    :: d_step { other < N && ticket[other] > highest -> highest = ticket[other]; other = other + 1 } goto look
    :: d_step { other < N && ticket[other] <= highest -> other = other + 1 } goto look
    :: d_step { other == N && highest < LAST -> ticket[0] = highest + 1; highest = 0; other = 0 } goto drawn
    :: d_step { other == N && highest == LAST -> drawing[0] = 0; highest = 0; other = 0 } goto outside
    fi;
drawn:
    if
    :: drawing[0] = 0; goto queue
    fi;
queue:
    if
    :: d_step { other < N && drawing[other] == 0 && (ticket[other] == 0 || ticket[other] > ticket[0] || (ticket[other] == ticket[0] && other >= 0)) -> other = other + 1 } goto queue
    :: other == N -> goto served
    fi;
served:
    if
    :: d_step { ticket[0] = 0; other = 0 } goto outside
    fi;
}

active proctype Customer_1() {
    byte highest;
    byte other;

outside:
    if
    :: drawing[1] = 1; goto look
    fi;
look:
    if
    :: d_step { other < N && ticket[other] > highest -> highest = ticket[other]; other = other + 1 } goto look
    :: d_step { other < N && ticket[other] <= highest -> other = other + 1 } goto look
    :: d_step { other == N && highest < LAST -> ticket[1] = highest + 1; highest = 0; other = 0 } goto drawn
    :: d_step { other == N && highest == LAST -> drawing[1] = 0; highest = 0; other = 0 } goto outside
    fi;
drawn:
    if
    :: drawing[1] = 0; goto queue
    fi;
queue:
    if
    :: d_step { other < N && drawing[other] == 0 && (ticket[other] == 0 || ticket[other] > ticket[1] || (ticket[other] == ticket[1] && other >= 1)) -> other = other + 1 } goto queue
    :: other == N -> goto served
    fi;
served:
    if
    :: d_step { ticket[1] = 0; other = 0 } goto outside
    fi;
}

active proctype Customer_2() {
    byte highest;
    byte other;

outside:
    if
    :: drawing[2] = 1; goto look
    fi;
look:
    if
    :: d_step { other < N && ticket[other] > highest -> highest = ticket[other]; other = other + 1 } goto look
    :: d_step { other < N && ticket[other] <= highest -> other = other + 1 } goto look
    :: d_step { other == N && highest < LAST -> ticket[2] = highest + 1; highest = 0; other = 0 } goto drawn
    :: d_step { other == N && highest == LAST -> drawing[2] = 0; highest = 0; other = 0 } goto outside
    fi;
drawn:
    if
    :: drawing[2] = 0; goto queue
    fi;
queue:
    if
    :: d_step { other < N && drawing[other] == 0 && (ticket[other] == 0 || ticket[other] > ticket[2] || (ticket[other] == ticket[2] && other >= 2)) -> other = other + 1 } goto queue
    :: other == N -> goto served
    fi;
served:
    if
    :: d_step { ticket[2] = 0; other = 0 } goto outside
    fi;
}

active proctype Customer_3() {
    byte highest;
    byte other;

outside:
    if
    :: drawing[3] = 1; goto look
    fi;
look:
    if
    :: d_step { other < N && ticket[other] > highest -> highest = ticket[other]; other = other + 1 } goto look
    :: d_step { other < N && ticket[other] <= highest -> other = other + 1 } goto look
    :: d_step { other == N && highest < LAST -> ticket[3] = highest + 1; highest = 0; other = 0 } goto drawn
    :: d_step { other == N && highest == LAST -> drawing[3] = 0; highest = 0; other = 0 } goto outside
    fi;
drawn:
    if
    :: drawing[3] = 0; goto queue
    fi;
queue:
    if
    :: d_step { other < N && drawing[other] == 0 && (ticket[other] == 0 || ticket[other] > ticket[3] || (ticket[other] == ticket[3] && other >= 3)) -> other = other + 1 } goto queue
    :: other == N -> goto served
    fi;
served:
    if
    :: d_step { ticket[3] = 0; other = 0 } goto outside
    fi;
}
