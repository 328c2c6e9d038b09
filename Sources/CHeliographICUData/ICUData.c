#include "ICUData.h"

// ICU's own table of data, in the form of its `stubdata`: a header and no entries. Foundation, which GRDB brings along, is linked with
// 34 MB of it: languages, calendars and time zones of which the programs use nothing. An object that defines the table keeps the linker
// from taking the library's. The number is the ICU version of the Swift toolchain; a test of the program's size notices another one.
const struct HeliographICUData icudt76_dat = {
    .headerSize = 32,
    .magic = {0xda, 0x27},
    .infoSize = 20,
    .charSize = 2,
    .format = {'T', 'o', 'C', 'P'},
    .formatVersion = {1, 0, 0, 0},
};
