/*
 * Inserts messages into the database of an empty store, one transaction for each, through only the C interface of
 * SQLite: an upper bound for a single creator on this disk.
 *
 *   raw-insert DATABASE full|normal COUNT CHANNEL SENDER CONTENT
 *
 * It does the store's work and no more: the same table, columns and indexes (created by the store), the same settings
 * (read back after they were set), a fresh id for each row, and the counter of the store updated in each transaction.
 * Prints the seconds from the first transaction to the end of the last.
 */
#define _DEFAULT_SOURCE
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static void fail(const char *what) {
    fprintf(stderr, "raw-insert: %s: %s\n", what, database ? sqlite3_errmsg(database) : "no database");
    exit(1);
}

static void run(const char *sql) {
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sql);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) fail(sql);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_sql(statement));
    if (sqlite3_reset(statement) != SQLITE_OK) fail(sqlite3_sql(statement));
}

static int64_t number(const char *sql) {
    sqlite3_stmt *statement = prepare(sql);
    if (sqlite3_step(statement) != SQLITE_ROW) fail(sql);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void open_database(const char *path, int synchronous) {
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) fail(path);
    sqlite3_busy_timeout(database, 5000);
    run("PRAGMA journal_mode = WAL");
    run(synchronous == 2 ? "PRAGMA synchronous = 2" : "PRAGMA synchronous = 1");
    run("PRAGMA journal_size_limit = 16777216");
    if (synchronous == 2) {
        run("PRAGMA fullfsync = ON");
        run("PRAGMA checkpoint_fullfsync = ON");
    }
    sqlite3_stmt *mode = prepare("PRAGMA journal_mode");
    if (sqlite3_step(mode) != SQLITE_ROW || strcmp((const char *)sqlite3_column_text(mode, 0), "wal") != 0)
        fail("the journal is not in write-ahead mode");
    sqlite3_finalize(mode);
    if (number("PRAGMA synchronous") != synchronous) fail("another durability is in force");
}

static uint64_t chance(void) {
    static uint64_t state;
    if (state == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        state = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
    }
    uint64_t mixed = state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
}

/* A version 7 identifier (RFC 9562, 5.7). */
static void make_id(unsigned char id[16], uint64_t milliseconds) {
    uint64_t halves[2] = {
        (milliseconds & 0xFFFFFFFFFFFF) << 16 | 0x7000 | (chance() & 0x0FFF),
        0x8000000000000000 | (chance() & 0x3FFFFFFFFFFFFFFF),
    };
    for (int index = 0; index < 16; index++) id[index] = (unsigned char)(halves[index / 8] >> (7 - index % 8) * 8);
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: raw-insert DATABASE full|normal COUNT CHANNEL SENDER CONTENT\n");
        return 2;
    }
    long count = atol(argv[3]);
    const char *channel = argv[4], *sender = argv[5], *content = argv[6];
    int bytes = (int)strlen(content);
    open_database(argv[1], strcmp(argv[2], "full") == 0 ? 2 : 1);

    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    sqlite3_stmt *move = prepare("UPDATE store SET next_sequence = ? WHERE id = 1");
    sqlite3_stmt *insert = prepare(
        "INSERT INTO message (ordinal, id, channel, sender, content, bytes, created_at, lane, lane_sequence, "
        "previous_sequence, sync_state, attempts, last_attempt_at, failure, in_doubt, position, accepted_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, 0, NULL, NULL, 0, ?, NULL)");
    int64_t sequence = number("SELECT next_sequence FROM store WHERE id = 1");

    struct timespec first, last;
    clock_gettime(CLOCK_MONOTONIC, &first);
    for (long row = 0; row < count; row++, sequence++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        int64_t milliseconds = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
        unsigned char id[16];
        make_id(id, (uint64_t)milliseconds);
        step(begin);
        sqlite3_bind_int64(insert, 1, sequence);
        sqlite3_bind_blob(insert, 2, id, sizeof id, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, channel, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, sender, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 5, content, bytes, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 6, bytes);
        sqlite3_bind_int64(insert, 7, milliseconds);
        sqlite3_bind_text(insert, 8, "text", 4, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 9, sequence);
        sqlite3_bind_int64(insert, 10, INT64_MAX);
        step(insert);
        sqlite3_bind_int64(move, 1, sequence + 1);
        step(move);
        step(commit);
    }
    clock_gettime(CLOCK_MONOTONIC, &last);

    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(move);
    sqlite3_finalize(insert);
    if (sqlite3_close(database) != SQLITE_OK) fail("closing");
    printf("%.9f\n", (double)(last.tv_sec - first.tv_sec) + (double)(last.tv_nsec - first.tv_nsec) / 1e9);
    return 0;
}
