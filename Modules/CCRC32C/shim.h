// The instructions for CRC-32C (Castagnoli), which Swift cannot name. Only processors that have them may run
// `causeway_crc32c_update`; `causeway_has_crc32c` is false where there is none, and on other architectures. Everything
// else, and the tables for those, is in Modules/FileStorage.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

static inline bool causeway_has_crc32c(void) { return __builtin_cpu_supports("sse4.2") != 0; }

// Continues an inverted checksum with `count` bytes.
__attribute__((target("sse4.2")))
static inline uint32_t causeway_crc32c_update(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    uint64_t wide = crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    uint32_t rest = (uint32_t)wide;
    for (; count > 0; count -= 1, next += 1) rest = __builtin_ia32_crc32qi(rest, *next);
    return rest;
}

#else

static inline bool causeway_has_crc32c(void) { return false; }

static inline uint32_t causeway_crc32c_update(uint32_t crc, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return crc;
}

#endif
