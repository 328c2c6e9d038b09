#ifndef HELIOGRAPH_CNGHTTP2_H
#define HELIOGRAPH_CNGHTTP2_H

#include <nghttp2/nghttp2.h>

#endif
