// The one C file that makes CLinux a target; everything else is inline in the header.
#include "CLinux.h"
