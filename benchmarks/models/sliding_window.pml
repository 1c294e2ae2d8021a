/* A go-back-n window of 4 with sequence numbers modulo 7 over two queues of 5 that may lose their oldest
   message; payloads are numbered modulo 14, to tell an old message from a new one with its number. */

#define WINDOW 4
#define NUMBERS 7
#define PAYLOADS 14

chan data = [5] of { byte, byte };  /* (sequence number, payload) */
chan ack = [5] of { byte };  /* the next number the receiver wants */

active proctype Sender() {
    byte base;  /* oldest payload that is not acknowledged */
    byte open;  /* payloads sent since then */
    byte resend;  /* where the repetition has come to */
    byte wanted;

ready:
    if
    :: d_step { open < WINDOW && nfull(data) -> data!(base + open) % NUMBERS, (base + open) % PAYLOADS; open = open + 1 } goto ready
    :: ack?wanted; goto decide
    /* the timer rings */
    :: open > 0 -> goto repeat
    fi;
decide:
    if
    /* a cumulative acknowledgement moves the window one by one */
    :: d_step { open > 0 && wanted != base % NUMBERS -> base = (base + 1) % PAYLOADS; open = open - 1 } goto decide
    :: d_step { open == 0 || wanted == base % NUMBERS -> wanted = 0 } goto ready
    fi;
repeat:
    if
    :: d_step { resend < open && nfull(data) -> data!(base + resend) % NUMBERS, (base + resend) % PAYLOADS; resend = resend + 1 } goto repeat
    :: d_step { resend == open -> resend = 0 } goto ready
    fi;
}

active proctype Receiver() {
    byte expected;  /* payload to be delivered next */
    byte number;
    byte payload;

listen:
    if
    :: data?number, payload; goto judge
    fi;
judge:
    if
    :: number == expected % NUMBERS -> goto deliver
    :: d_step { number != expected % NUMBERS -> number = 0; payload = 0 } goto reply
    fi;
deliver:
    if
    :: d_step { expected = (payload + 1) % PAYLOADS; number = 0; payload = 0 } goto reply
    fi;
reply:
    if
    :: ack!expected % NUMBERS; goto listen
    /* or keep quiet until the next message */
    :: true -> goto listen
    fi;
}

active proctype Loss() {
    byte number;
    byte payload;

idle:
    if
    :: d_step { data?number, payload; number = 0; payload = 0 } goto idle
    :: d_step { ack?number; number = 0 } goto idle
    fi;
}
