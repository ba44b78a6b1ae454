// The smallest program that gets a value from a hub and prints it: the floor for a command line tool. It checks next to
// nothing, and only knows strings of sixteen bytes.
//
//   get PATH NAME
#include "../../Tools/wire/frames.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SIZE = 16 };

int main(int count, char **words) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (count != 3 || strlen(words[1]) >= sizeof address.sun_path || strlen(words[2]) > 200) return 2;
  strcpy(address.sun_path, words[1]);
  int hub = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(hub, (void *)&address, sizeof address) != 0) return 3;

  uint8_t request[sizeof hello + HEADER + 1 + 200];
  size_t asked = put_hello(request);
  asked += put_get(request + asked, words[2]);
  if (write(hub, request, asked) < 0) return 1;

  uint8_t answer[4096];
  size_t length = 0, frame = 0;
  for (;;) {
    ssize_t received = read(hub, answer + length, sizeof answer - length);
    if (received <= 0) return 1;
    length += received;
    while (length - frame >= HEADER && length - frame >= HEADER + (size_t)answer[frame]) {
      size_t end = frame + HEADER + answer[frame];
      if (answer[frame + 4] == ERROR) return 4;
      if (answer[frame + 4] == VALUE) {
        uint8_t *value = answer + end - SIZE;
        value[SIZE] = '\n';
        return write(STDOUT_FILENO, value, SIZE + 1) != SIZE + 1;
      }
      frame = end;
    }
  }
}
