/* Makes the Nth write, sync or change of a file under FAULT_UNDER fail, stop half-way, or be the last thing the process
   does. FAULT_KIND: kill-write, torn-write, fail-write, kill-sync, fail-sync, kill-change, fail-change. FAULT_AT: N.
   FAULT_ERRNO: for the failing ones. A failing sync fails from then on, as a broken disk would. A change is a file that
   is made, cut, renamed or removed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/types.h>

static atomic_long writes, syncs, changes, reads;

static int ours(int fd) {
    const char *under = getenv("FAULT_UNDER");
    char link[64], path[4096];
    if (!under) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, under, strlen(under)) == 0;
}

static long at(void) { const char *text = getenv("FAULT_AT"); return text ? atol(text) : 0; }
static int is(const char *kind) { const char *text = getenv("FAULT_KIND"); return text && strcmp(text, kind) == 0; }
static int failing(void) { const char *text = getenv("FAULT_ERRNO"); return text ? atoi(text) : EIO; }

static void fired(void) {
    const char *mark = getenv("FAULT_MARK");
    FILE *file = mark ? fopen(mark, "w") : NULL;
    if (file) fclose(file);
}

typedef ssize_t (*pwrite_type)(int, const void *, size_t, off64_t);

static ssize_t faulty_pwrite(pwrite_type real, int fd, const void *data, size_t size, off64_t offset) {
    if (!ours(fd)) return real(fd, data, size, offset);
    long number = atomic_fetch_add(&writes, 1) + 1;
    if (number == at() && (is("kill-write") || is("torn-write"))) {
        fired();
        if (is("torn-write")) real(fd, data, size / 2, offset);
        kill(getpid(), SIGKILL);
        pause();
    }
    if (is("fail-write") && number >= at() && number < at() + 3) {
        fired();
        errno = failing();
        return -1;
    }
    return real(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    return faulty_pwrite((pwrite_type)dlsym(RTLD_NEXT, "pwrite64"), fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    return faulty_pwrite((pwrite_type)dlsym(RTLD_NEXT, "pwrite"), fd, data, size, offset);
}

typedef ssize_t (*pread_type)(int, void *, size_t, off64_t);

static ssize_t faulty_pread(pread_type real, int fd, void *data, size_t size, off64_t offset) {
    if (!ours(fd)) return real(fd, data, size, offset);
    long number = atomic_fetch_add(&reads, 1) + 1;
    if (number < at() || number >= at() + 3) return real(fd, data, size, offset);
    if (is("fail-read")) {
        fired();
        errno = failing();
        return -1;
    }
    if (is("short-read")) {
        fired();
        return size > 1 ? real(fd, data, size / 2, offset) : 0;
    }
    return real(fd, data, size, offset);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset) {
    return faulty_pread((pread_type)dlsym(RTLD_NEXT, "pread64"), fd, data, size, offset);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset) {
    return faulty_pread((pread_type)dlsym(RTLD_NEXT, "pread"), fd, data, size, offset);
}

static int faulty_sync(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (!ours(fd)) return real(fd);
    long number = atomic_fetch_add(&syncs, 1) + 1;
    if (is("kill-sync") && number == at()) {
        fired();
        kill(getpid(), SIGKILL);
        pause();
    }
    if (is("fail-sync") && number >= at()) {
        fired();
        errno = failing();
        return -1;
    }
    return real(fd);
}

static int under(const char *path) {
    const char *under = getenv("FAULT_UNDER");
    return under && path && strncmp(path, under, strlen(under)) == 0;
}

static int changing(void) {
    long number = atomic_fetch_add(&changes, 1) + 1;
    if (is("kill-change") && number == at()) {
        fired();
        kill(getpid(), SIGKILL);
        pause();
    }
    if (is("fail-change") && number == at()) {
        fired();
        errno = failing();
        return 0;
    }
    return 1;
}

static int faulty_open(const char *name, const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    if ((flags & O_CREAT) && under(path) && access(path, F_OK) != 0 && !changing()) return -1;
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);
    return faulty_open("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);
    return faulty_open("open64", path, flags, mode);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    return under(from) && !changing() ? -1 : real(from, to);
}

int unlink(const char *path) {
    int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
    return under(path) && access(path, F_OK) == 0 && !changing() ? -1 : real(path);
}

static int faulty_cut(const char *name, int fd, off64_t size) {
    int (*real)(int, off64_t) = (int (*)(int, off64_t))dlsym(RTLD_NEXT, name);
    return ours(fd) && !changing() ? -1 : real(fd, size);
}

int ftruncate(int fd, off_t size) { return faulty_cut("ftruncate", fd, size); }
int ftruncate64(int fd, off64_t size) { return faulty_cut("ftruncate64", fd, size); }

int fdatasync(int fd) { return faulty_sync("fdatasync", fd); }
int fsync(int fd) { return faulty_sync("fsync", fd); }
