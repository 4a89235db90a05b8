// Annotates `Synchronization.Mutex` on Linux for the thread sanitizer.
//
// The fast paths of the lock are compiled into its callers, so the sanitizer sees them. The slow paths, which are taken
// when two threads contend for the lock, are in the toolchain's own library, which is not compiled for the sanitizer:
// there it sees one thread read what another wrote, and no lock between them. This file is loaded before that library,
// calls it, and adds the missing annotations. It hides nothing: an access without the lock is
// reported as before. `Tools/test-threads` verifies both with a small program before it runs a test.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Undefined in programs that are built without the sanitizer, such as `swift test` itself.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK_SLOW);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK_SLOW);

static SWIFT void (*next_lock_slow)(uint32_t thread, SELF void *mutex);
static SWIFT bool (*next_try_lock_slow)(SELF void *mutex);
static SWIFT void (*next_unlock_slow)(SELF void *mutex);

// Before `main`: one thread, and no lock has been taken yet.
__attribute__((constructor)) static void find_library(void) {
    next_lock_slow = dlsym(RTLD_NEXT, LOCK_SLOW);
    next_try_lock_slow = dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
    next_unlock_slow = dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    next_lock_slow(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
    bool is_locked = next_try_lock_slow(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    next_unlock_slow(mutex);
}
