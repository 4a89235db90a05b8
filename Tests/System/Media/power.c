/*
 * Records what a file system has promised to keep below POWER_FOLDER, so that power.py can take away everything else:
 * loaded into a hub with LD_PRELOAD, writes a line to POWER_LOG for each file and each folder that was synced.
 *
 *   S INODE BYTES      a file was synced, with this length
 *   D FOLDER           a folder was synced; followed by a line "N NAME INODE" for each name in it, and by "E"
 *
 * With POWER_NO_SYNC nothing is recorded: syncs have no effect. With the library in place a sync is a record, and
 * never a real one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int record_folder(FILE *out, const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) return -1;
    fprintf(out, "D %s\n", path);
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') fprintf(out, "N %s %lu\n", entry->d_name, (unsigned long)entry->d_ino);
    fprintf(out, "E\n");
    return closedir(folder);
}

/* Returns 1 if the sync was recorded, 0 if it concerns something else. */
static int record(int fd) {
    const char *folder = getenv("POWER_FOLDER"), *log = getenv("POWER_LOG");
    char link[64], path[4096];
    struct stat status;
    if (folder == NULL || log == NULL) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0 || fstat(fd, &status) != 0) return 0;
    path[count] = 0;
    if (strncmp(path, folder, strlen(folder)) != 0) return 0;
    if (getenv("POWER_NO_SYNC") != NULL) return 1;
    pthread_mutex_lock(&lock);
    FILE *out = fopen(log, "ae");
    if (out != NULL) {
        if (S_ISDIR(status.st_mode)) {
            record_folder(out, path);
        } else {
            fprintf(out, "S %lu %lld\n", (unsigned long)status.st_ino, (long long)status.st_size);
        }
        fclose(out);
    }
    pthread_mutex_unlock(&lock);
    return 1;
}

static int call(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return record(fd) ? 0 : real(fd);
}

int fsync(int fd) { return call("fsync", fd); }
int fdatasync(int fd) { return call("fdatasync", fd); }
