#ifndef HELIOGRAPH_CLIBFUZZER_H
#define HELIOGRAPH_CLIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library, see "Using libFuzzer as a library" in its manual. Linked by -sanitize=fuzzer.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
