// Go-back-n over channels that lose messages. The sender has up to WINDOW packets under way. They
// are numbered modulo MODULUS. A reply is the number of the packet that the receiver waits for, and
// confirms all earlier ones. If nothing else can happen, messages were lost, and the sender repeats
// its window from the first packet on.
//
// A packet also contains its full number, which is only used in the assertion that the receiver
// takes no packet for another one. This is true exactly if MODULUS > WINDOW. With `-D MODULUS=2`, a
// repeated window can be taken for the next one.
//
// Unless that happens, `expected` and `base` never decrease. The number of states is linear in
// PACKETS, and the number of states that a sweep stores is constant.
//
// progress: (expected, base)
// expect: states 1432
// expect: transitions 3035
// expect: valid ends
// expect: property holds: assertions
// expect: property holds: in_window
// expect: property violated: all_arrive
// expect: property violated with fairness: all_arrive
// expect: invariant holds: base <= expected
// expect: unreachable: Sender:next > expected + 2
// expect with MODULUS=2: states 737
// expect with MODULUS=2: transitions 1250
// expect with MODULUS=2: property violated in 25 steps: assertions
// expect with WINDOW=3, MODULUS=4: property holds: assertions
// expect with WINDOW=3, MODULUS=3: property violated: assertions

#ifndef PACKETS
#define PACKETS 8
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef MODULUS
#define MODULUS 3
#endif

chan packets = [WINDOW] of { byte, short };  // (number modulo MODULUS, full number)
chan replies = [WINDOW] of { byte };         // the number that the receiver waits for

short base;      // the first packet that is not confirmed
short expected;  // the packet that the receiver waits for

active proctype Sender() {
    short next;  // the packet to be sent next
    byte number;
    do
    :: next < base + WINDOW && next < PACKETS ->
        atomic { packets!(next % MODULUS), next; next++ }
    :: replies?number ->
        d_step {
            // The reply confirms all packets of the window before this number.
            do
            :: base < next && base % MODULUS != number -> base++
            :: else -> break
            od;
            number = 0
        }
    :: timeout ->
        if
        :: base < PACKETS -> next = base
        :: else -> break
        fi
    od
}

active proctype Receiver() {
    byte number;
    short packet;
end_listening:
    do
    :: packets?number, packet ->
        if
        :: number == expected % MODULUS ->
            assert(packet == expected);
            expected = packet + 1
        :: else
        fi;
        d_step { number = 0; packet = 0 };
        replies!(expected % MODULUS)
    od
}

active proctype Loss() {
end_idle:
    do
    :: packets?_, _
    :: replies?_
    od
}

ltl in_window { [] (base <= expected && expected <= base + WINDOW) }
ltl all_arrive { <> (expected == PACKETS) }
