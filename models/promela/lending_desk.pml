// A lending desk with one clerk. A reader asks for a book over a rendezvous channel, and says over
// which channel to hand it out. While the clerk fetches the book, the reader may leave. The clerk
// then waits at the desk for a reader who does not come back: an invalid end state. Other ends are
// valid: all readers are at their end, and the clerk waits at an end label for the next one.
//
// `-D PATIENT=1` keeps the readers at the desk, which removes the error.
//
// expect: states 121
// expect: transitions 188
// expect: invalid end in 3 steps
// expect: property holds: assertions
// expect: property violated: can_read
// expect: property violated with fairness: can_read
// expect: reach in 3 steps: Reader[1]@reading
// expect with PATIENT=1: states 81
// expect with PATIENT=1: transitions 112
// expect with PATIENT=1: valid ends
// expect with PATIENT=1: property holds: assertions
// expect with PATIENT=1: property holds: can_read

#ifndef READERS
#define READERS 2
#endif

mtype = { ATLAS, NOVEL };

chan desk = [0] of { mtype, chan };       // (book, where to hand it out)
chan hatch[READERS] = [0] of { mtype };   // one for each reader

active [READERS] proctype Reader() {
    mtype book;
    if
    :: desk!ATLAS, hatch[_pid]
    :: desk!NOVEL, hatch[_pid]
    fi;
    if
    :: hatch[_pid]?book ->
reading:
        assert(book == ATLAS || book == NOVEL)
#ifndef PATIENT
    :: true     // tired of waiting
#endif
    fi
}

active proctype Clerk() {
    mtype book;
    chan reader;
end_open:
    do
    :: desk?book, reader ->
fetching:
        skip;
        reader!book
    od
}

ltl can_read { <> Reader[0]@reading }
