// The parts of zlib that Swift cannot import: its macros, as functions of the same name with the prefix `causeway_`. No
// decisions are made here; every choice (format, level, limits) is in Modules/Gzip.
#pragma once

#include <zlib.h>

// The header and the trailer are those of a gzip file (RFC 1952); without them the window has 2^`window_bits` bytes.
static inline int causeway_deflateInit_gzip(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int causeway_inflateInit_gzip(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits + 16);
}

// Blocks alone (RFC 1951), without a header and a trailer.
static inline int causeway_deflateInit_raw(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, 8, Z_DEFAULT_STRATEGY);
}

static inline int causeway_inflateInit_raw(z_stream *stream, int window_bits) {
    return inflateInit2(stream, -window_bits);
}
