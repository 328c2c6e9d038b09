// Simulates a slow disk: preloaded into a program (LD_PRELOAD), it makes each sync take SYNC_MICROSECONDS longer.
//
// Virtual machines whose host caches the disk sync in a twentieth of a millisecond; a real durable disk takes half a millisecond or more.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void wait(void) {
    static long nanoseconds = -1;
    if (nanoseconds < 0) {
        const char *text = getenv("SYNC_MICROSECONDS");
        if (!text) fprintf(stderr, "slow_sync: SYNC_MICROSECONDS is not set\n"), exit(2);
        nanoseconds = atol(text) * 1000;
    }
    nanosleep(&(struct timespec){ .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 }, NULL);
}

static int after_waiting(const char *name, int descriptor) {
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    wait();
    return sync(descriptor);
}

int fsync(int descriptor) { return after_waiting("fsync", descriptor); }
int fdatasync(int descriptor) { return after_waiting("fdatasync", descriptor); }
