// A ticket lock, as at the counter of a shop. A customer draws a number, waits until it is shown,
// and goes to the counter. Drawing is atomic, and numbers are counted modulo the number of
// customers. Customers are served in the order of their numbers. So a customer who waits is always
// served, but only a fair scheduler lets each one draw.
//
// `-D TORN=1` splits the drawing into two steps. Two customers can then draw the same number.
//
// expect: states 823
// expect: transitions 2019
// expect: deadlocks 0
// expect: property holds: assertions
// expect: property holds: exclusion
// expect: property holds: served
// expect: property violated: comes_again
// expect: property holds with fairness: comes_again
// expect: invariant holds: not (Customer[0]@counter and Customer[1]@counter)
// expect: reach in 3 steps: Customer[2]@counter
// expect: reach in 3 steps: Customer[0]:mine == 2 and Customer[1]:mine == 1
// expect: ltl holds: G (Customer[1]@waiting -> F Customer[1]@counter)
// expect with TORN=1: states 13983
// expect with TORN=1: transitions 35901
// expect with TORN=1: invalid end in 13 steps
// expect with TORN=1: property violated in 8 steps: assertions
// expect with TORN=1: property violated: exclusion
// expect with TORN=1: property violated with fairness: served

#ifndef CUSTOMERS
#define CUSTOMERS 3
#endif

#ifdef TORN
#define DRAW mine = next; next = (next + 1) % CUSTOMERS
#else
#define DRAW atomic { mine = next; next = (next + 1) % CUSTOMERS }
#endif

byte next;    // the number to be drawn next
byte shown;   // the number that is served
byte inside;  // customers at the counter

active [CUSTOMERS] proctype Customer() {
    byte mine;
    do
    :: DRAW;
waiting:
        shown == mine;
        inside++;
counter:
        assert(inside == 1);
        inside--;
        shown = (shown + 1) % CUSTOMERS
    od
}

ltl exclusion { [] (inside <= 1) }
ltl served { [] (Customer[0]@waiting -> <> Customer[0]@counter) }
ltl comes_again { []<> Customer[0]@counter }
