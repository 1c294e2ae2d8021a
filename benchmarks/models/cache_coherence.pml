/* A directory keeps 5 caches of one memory line coherent: readers share it, a writer owns it alone. All talk
   is by handshake, the directory serves one request at a time. */

#define N 5

byte holds[5];  /* 0: nothing, 1: a shared copy, 2: the only copy */
byte who, what;  /* the request being served: cache, and 1 to read or 2 to write */
byte other;  /* the cache the directory looks at */

chan request = [0] of { byte, byte };  /* (cache, 1: to read or 2: to write) */
chan recalled = [0] of { byte };  /* cache */
chan recall_0 = [0] of { byte };  /* what the cache may keep */
chan recall_1 = [0] of { byte };
chan recall_2 = [0] of { byte };
chan recall_3 = [0] of { byte };
chan recall_4 = [0] of { byte };
chan grant_0 = [0] of { byte };  /* what the cache gets */
chan grant_1 = [0] of { byte };
chan grant_2 = [0] of { byte };
chan grant_3 = [0] of { byte };
chan grant_4 = [0] of { byte };

active proctype Directory() {
ready:
    if
    :: atomic { request?who, what; other = 0 } goto scan
    fi;
scan:
    if
    :: d_step { other < N && (other == who || holds[other] == 0 || (what == 1 && holds[other] == 1)) -> other = other + 1 } goto scan
    :: other == 0 && who != 0 && (holds[0] == 2 || (what == 2 && holds[0] == 1)) -> goto ask_0
    :: other == 1 && who != 1 && (holds[1] == 2 || (what == 2 && holds[1] == 1)) -> goto ask_1
    :: other == 2 && who != 2 && (holds[2] == 2 || (what == 2 && holds[2] == 1)) -> goto ask_2
    :: other == 3 && who != 3 && (holds[3] == 2 || (what == 2 && holds[3] == 1)) -> goto ask_3
    :: other == 4 && who != 4 && (holds[4] == 2 || (what == 2 && holds[4] == 1)) -> goto ask_4
    :: other == N && who == 0 -> goto give_0
    :: other == N && who == 1 -> goto give_1
    :: other == N && who == 2 -> goto give_2
    :: other == N && who == 3 -> goto give_3
    :: other == N && who == 4 -> goto give_4
    fi;
ask_0:
    if
    :: recall_0!2 - what; goto answer
    fi;
answer:
    if
    :: atomic { recalled?other; other = other + 1 } goto scan
    fi;
ask_1:
    if
    :: recall_1!2 - what; goto answer
    fi;
ask_2:
    if
    :: recall_2!2 - what; goto answer
    fi;
ask_3:
    if
    :: recall_3!2 - what; goto answer
    fi;
ask_4:
    if
    :: recall_4!2 - what; goto answer
    fi;
give_0:
    if
    :: grant_0!what; goto ready
    fi;
give_1:
    if
    :: grant_1!what; goto ready
    fi;
give_2:
    if
    :: grant_2!what; goto ready
    fi;
give_3:
    if
    :: grant_3!what; goto ready
    fi;
give_4:
    if
    :: grant_4!what; goto ready
    fi;
}

active proctype Cache_0() {
    byte keep;
    byte uses;  /* reads and writes since the last grant, up to 3 */

still:
    if
    :: holds[0] == 0 -> goto want_read
    :: holds[0] < 2 -> goto want_write
    :: d_step { holds[0] > 0 && uses < 3 -> uses = uses + 1 } goto still
    :: holds[0] == 2 && uses == 3 -> goto drop
    :: recall_0?keep; goto give_up
    fi;
want_read:
    if
    :: request!0, 1; goto wait
    fi;
want_write:
    if
    :: request!0, 2; goto wait
    :: recall_0?keep; goto write_later
    fi;
drop:
    if
    :: d_step { holds[0] = 1; uses = 0 } goto still
    fi;
wait:
    if
    :: grant_0?holds[0]; goto still
    fi;
give_up:
    if
    :: d_step { holds[0] = keep; keep = 0; uses = 0 } goto tell
    fi;
write_later:
    if
    :: d_step { holds[0] = keep; keep = 0; uses = 0 } goto tell_write
    fi;
tell:
    if
    :: recalled!0; goto still
    fi;
tell_write:
    if
    :: recalled!0; goto want_write
    fi;
}

active proctype Cache_1() {
    byte keep;
    byte uses;  /* reads and writes since the last grant, up to 3 */

still:
    if
    :: holds[1] == 0 -> goto want_read
    :: holds[1] < 2 -> goto want_write
    :: d_step { holds[1] > 0 && uses < 3 -> uses = uses + 1 } goto still
    :: holds[1] == 2 && uses == 3 -> goto drop
    :: recall_1?keep; goto give_up
    fi;
want_read:
    if
    :: request!1, 1; goto wait
    fi;
want_write:
    if
    :: request!1, 2; goto wait
    :: recall_1?keep; goto write_later
    fi;
drop:
    if
    :: d_step { holds[1] = 1; uses = 0 } goto still
    fi;
wait:
    if
    :: grant_1?holds[1]; goto still
    fi;
give_up:
    if
    :: d_step { holds[1] = keep; keep = 0; uses = 0 } goto tell
    fi;
write_later:
    if
    :: d_step { holds[1] = keep; keep = 0; uses = 0 } goto tell_write
    fi;
tell:
    if
    :: recalled!1; goto still
    fi;
tell_write:
    if
    :: recalled!1; goto want_write
    fi;
}

active proctype Cache_2() {
    byte keep;
    byte uses;  /* reads and writes since the last grant, up to 3 */

still:
    if
    :: holds[2] == 0 -> goto want_read
    :: holds[2] < 2 -> goto want_write
    :: d_step { holds[2] > 0 && uses < 3 -> uses = uses + 1 } goto still
    :: holds[2] == 2 && uses == 3 -> goto drop
    :: recall_2?keep; goto give_up
    fi;
want_read:
    if
    :: request!2, 1; goto wait
    fi;
want_write:
    if
    :: request!2, 2; goto wait
    :: recall_2?keep; goto write_later
    fi;
drop:
    if
    :: d_step { holds[2] = 1; uses = 0 } goto still
    fi;
wait:
    if
    :: grant_2?holds[2]; goto still
    fi;
give_up:
    if
    :: d_step { holds[2] = keep; keep = 0; uses = 0 } goto tell
    fi;
write_later:
    if
    :: d_step { holds[2] = keep; keep = 0; uses = 0 } goto tell_write
    fi;
tell:
    if
    :: recalled!2; goto still
    fi;
tell_write:
    if
    :: recalled!2; goto want_write
    fi;
}

active proctype Cache_3() {
    byte keep;
    byte uses;  /* reads and writes since the last grant, up to 3 */

still:
    if
    :: holds[3] == 0 -> goto want_read
    :: holds[3] < 2 -> goto want_write
    :: d_step { holds[3] > 0 && uses < 3 -> uses = uses + 1 } goto still
    :: holds[3] == 2 && uses == 3 -> goto drop
    :: recall_3?keep; goto give_up
    fi;
want_read:
    if
    :: request!3, 1; goto wait
    fi;
want_write:
    if
    :: request!3, 2; goto wait
    :: recall_3?keep; goto write_later
    fi;
drop:
    if
    :: d_step { holds[3] = 1; uses = 0 } goto still
    fi;
wait:
    if
    :: grant_3?holds[3]; goto still
    fi;
give_up:
    if
    :: d_step { holds[3] = keep; keep = 0; uses = 0 } goto tell
    fi;
write_later:
    if
    :: d_step { holds[3] = keep; keep = 0; uses = 0 } goto tell_write
    fi;
tell:
    if
    :: recalled!3; goto still
    fi;
tell_write:
    if
    :: recalled!3; goto want_write
    fi;
}

active proctype Cache_4() {
    byte keep;
    byte uses;  /* reads and writes since the last grant, up to 3 */

still:
    if
    :: holds[4] == 0 -> goto want_read
    :: holds[4] < 2 -> goto want_write
    :: d_step { holds[4] > 0 && uses < 3 -> uses = uses + 1 } goto still
    :: holds[4] == 2 && uses == 3 -> goto drop
    :: recall_4?keep; goto give_up
    fi;
want_read:
    if
    :: request!4, 1; goto wait
    fi;
want_write:
    if
    :: request!4, 2; goto wait
    :: recall_4?keep; goto write_later
    fi;
drop:
    if
    :: d_step { holds[4] = 1; uses = 0 } goto still
    fi;
wait:
    if
    :: grant_4?holds[4]; goto still
    fi;
give_up:
    if
    :: d_step { holds[4] = keep; keep = 0; uses = 0 } goto tell
    fi;
write_later:
    if
    :: d_step { holds[4] = keep; keep = 0; uses = 0 } goto tell_write
    fi;
tell:
    if
    :: recalled!4; goto still
    fi;
tell_write:
    if
    :: recalled!4; goto want_write
    fi;
}
