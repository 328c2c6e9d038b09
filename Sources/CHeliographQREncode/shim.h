#ifndef HELIOGRAPH_CQRENCODE_H
#define HELIOGRAPH_CQRENCODE_H

#include <qrencode.h>

#endif
