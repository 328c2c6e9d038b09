#include <stdint.h>

/// `DataHeader` of ICU's `ucmndata.h`, followed by an empty table of contents.
struct HeliographICUData {
    uint16_t headerSize;
    uint8_t magic[2];
    uint16_t infoSize;
    uint16_t reserved;
    uint8_t isBigEndian;
    uint8_t charset;
    uint8_t charSize;
    uint8_t reservedToo;
    uint8_t format[4];
    uint8_t formatVersion[4];
    uint8_t dataVersion[4];
    uint8_t padding[8];
    uint32_t count;
    uint32_t reservedLast;
} __attribute__((aligned(16)));

extern const struct HeliographICUData icudt76_dat;
