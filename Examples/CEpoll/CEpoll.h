// epoll for Swift, whose Glibc module leaves it out.
#include <sys/epoll.h>
