#ifndef HELIOGRAPH_CZLIB_H
#define HELIOGRAPH_CZLIB_H

#include <zlib.h>

#endif
