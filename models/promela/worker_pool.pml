// Workers take jobs from a queue. A worker finishes its job, or fails and puts it back, at most
// FAILURES times in all. The dispatcher learns that all jobs are done only when nothing else can
// happen: `timeout`. It then closes the pool, and the workers go home.
//
// Each submitted job is in one place: in the queue, with a worker, or done. It is moved in one
// step, by `atomic` or `d_step`. `-D TORN=1` takes a job and notes it in two steps.
//
// progress: (submitted, failures, done)
// expect: states 3705
// expect: transitions 15641
// expect: valid ends
// expect: property holds: assertions
// expect: property holds: nothing_lost
// expect: property holds: all_done
// expect: invariant holds: busy <= 3 and failures <= 2
// expect with TORN=1: states 12435
// expect with TORN=1: transitions 50027
// expect with TORN=1: property violated: nothing_lost
// expect with TORN=1: property holds: all_done

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef JOBS
#define JOBS 4
#endif
#ifndef FAILURES
#define FAILURES 2
#endif

#ifdef TORN
#define TAKE queue?job -> busy++
#else
#define TAKE atomic { queue?job -> busy++ }
#endif

chan queue = [JOBS] of { byte };

byte submitted;  // jobs
byte busy;       // workers with a job
byte done;       // finished jobs
byte failures;   // jobs that were put back
bool closed;

active [WORKERS] proctype Worker() {
    byte job;
    do
    :: TAKE;
        if
        :: d_step { busy--; done++; job = 0 }
        :: atomic { failures < FAILURES -> failures++; busy--; queue!job; job = 0 }
        fi
    :: closed -> break
    od
}

active proctype Dispatcher() {
    byte i;
    for (i : 1 .. JOBS) {
        atomic { queue!i; submitted++ }
    }
    timeout;
    assert(done == JOBS);
    closed = true
}

ltl nothing_lost { [] (len(queue) + busy + done == submitted) }
ltl all_done { <> (done == JOBS && closed) }
