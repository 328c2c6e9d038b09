// The rate of SQLite alone for the same rows: one transaction per group, WAL, synchronous=FULL.
//
//     plain_sqlite FILE SESSIONS GROUP ROW_BYTES SECONDS
//
// Prints rows per second, and rows per second of processor time. Rows alternate between sessions, like events of many hosts.

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *db;

static void check(int code, int expected) {
    if (code == expected) return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 6) return fprintf(stderr, "plain_sqlite FILE SESSIONS GROUP ROW_BYTES SECONDS\n"), 2;
    long sessions = atol(arguments[2]), group = atol(arguments[3]), size = atol(arguments[4]);
    double seconds = atof(arguments[5]);
    check(sqlite3_open(arguments[1], &db), SQLITE_OK);
    check(sqlite3_exec(db,
              "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
              "CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT",
              NULL, NULL, NULL), SQLITE_OK);
    sqlite3_stmt *begin, *insert, *commit;
    check(sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL), SQLITE_OK);
    check(sqlite3_prepare_v2(db, "INSERT INTO events VALUES (?, ?, ?, ?)", -1, &insert, NULL), SQLITE_OK);
    check(sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL), SQLITE_OK);
    char *bytes = malloc(size);
    memset(bytes, 'x', size);
    int64_t rows = 0;
    double start = now(), elapsed;
    while ((elapsed = now() - start) < seconds) {
        check(sqlite3_step(begin), SQLITE_DONE);
        check(sqlite3_reset(begin), SQLITE_OK);
        for (long row = 0; row < group; row++, rows++) {
            int64_t session = rows % sessions + 1, seq = rows / sessions + 1;
            sqlite3_bind_int64(insert, 1, session << 32 | seq);
            sqlite3_bind_text(insert, 2, "message", -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 3, 1767225600000);
            sqlite3_bind_blob(insert, 4, bytes, size, SQLITE_STATIC);
            check(sqlite3_step(insert), SQLITE_DONE);
            check(sqlite3_reset(insert), SQLITE_OK);
        }
        check(sqlite3_step(commit), SQLITE_DONE);
        check(sqlite3_reset(commit), SQLITE_OK);
    }
    printf("%.0f %.0f\n", rows / elapsed, rows / (clock() / (double)CLOCKS_PER_SEC));
    return 0;
}
