#ifndef HELIOGRAPH_CZLIB_H
#define HELIOGRAPH_CZLIB_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#if defined(__x86_64__)

#include <immintrin.h>

// The number of bytes from which folding is faster than a table: four blocks of 16 bytes.
#define CHZLIB_FOLDED_MIN 64

// Remainders that fold a block over 64, 48, … 8 and 4 bytes, and the two constants of Barrett's reduction, for the polynomial of CRC-32 with its bits
// reversed. Source: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009.
static const uint64_t chzlib_over_64[2] = { 0x154442bd4, 0x1c6e41596 };
static const uint64_t chzlib_over_16[2] = { 0x1751997d0, 0x0ccaa009e };
static const uint64_t chzlib_over_4[2] = { 0x163cd6124, 0 };
static const uint64_t chzlib_barrett[2] = { 0x1db710641, 0x1f7011641 };

__attribute__((target("pclmul,sse4.1")))
static inline __m128i chzlib_load(const void *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }

// Folds a block over the distance that `by` was computed for, onto another block.
__attribute__((target("pclmul,sse4.1")))
static inline __m128i chzlib_fold(__m128i block, __m128i by, __m128i onto) {
    __m128i low = _mm_clmulepi64_si128(block, by, 0x00), high = _mm_clmulepi64_si128(block, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

// The CRC-32 of `count` bytes, at least 64 and a multiple of 16. Requires a processor with carry-less multiplication: see
// `chzlib_can_fold`.
__attribute__((target("pclmul,sse4.1")))
static inline uint32_t chzlib_crc32_folded(uint32_t crc, const uint8_t *bytes, size_t count) {
    __m128i blocks[4], by = chzlib_load(chzlib_over_64);
    for (int index = 0; index < 4; index++) blocks[index] = chzlib_load(bytes + 16 * index);
    blocks[0] = _mm_xor_si128(blocks[0], _mm_cvtsi32_si128((int)~crc));
    for (bytes += 64, count -= 64; count >= 64; bytes += 64, count -= 64)
        for (int index = 0; index < 4; index++) blocks[index] = chzlib_fold(blocks[index], by, chzlib_load(bytes + 16 * index));
    by = chzlib_load(chzlib_over_16);
    __m128i sum = blocks[0];
    for (int index = 1; index < 4; index++) sum = chzlib_fold(sum, by, blocks[index]);
    for (; count >= 16; bytes += 16, count -= 16) sum = chzlib_fold(sum, by, chzlib_load(bytes));
    // Reduces 128 bits to 96, to 64, to 32.
    const __m128i halves = _mm_setr_epi32(-1, 0, -1, 0);
    sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by, 0x10));
    __m128i rest = _mm_clmulepi64_si128(_mm_and_si128(sum, halves), chzlib_load(chzlib_over_4), 0x00);
    sum = _mm_xor_si128(_mm_srli_si128(sum, 4), rest);
    const __m128i numbers = chzlib_load(chzlib_barrett);
    rest = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, halves), numbers, 0x10), halves);
    sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(rest, numbers, 0x00));
    return ~(uint32_t)_mm_extract_epi32(sum, 1);
}

static inline int chzlib_can_fold(void) { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"); }

#else

#define CHZLIB_FOLDED_MIN 64

static inline uint32_t chzlib_crc32_folded(uint32_t crc, const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(crc, bytes, count);
}

static inline int chzlib_can_fold(void) { return 0; }

#endif

#endif
