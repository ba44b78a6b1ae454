// The smallest program that gets a value from a hub and prints it: the floor for a command line tool. It checks next to
// nothing, and only knows strings of sixteen bytes.
//
//   get PATH NAME
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { HEADER = 12, HELLO = 22, VALUE = 16, VALUE_REPLY = 0x82, ERROR_REPLY = 0xFF };

int main(int count, char **words) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (count != 3 || strlen(words[1]) >= sizeof address.sun_path || strlen(words[2]) > 200) return 2;
  strcpy(address.sun_path, words[1]);
  int hub = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(hub, (void *)&address, sizeof address) != 0) return 3;

  uint8_t name = strlen(words[2]);
  uint8_t request[HEADER + HELLO + HEADER + 1 + 200] =
      "\26\0\0\0\1\0\0\0\1\0\0\0SHUB\1\0\1\0\0\0\0\0\0\0\0\0\5floor";
  uint8_t *get = request + HEADER + HELLO;
  memcpy(get, (uint8_t[]){name + 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, name}, HEADER + 1);
  memcpy(get + HEADER + 1, words[2], name);
  if (write(hub, request, HEADER + HELLO + HEADER + 1 + name) < 0) return 1;

  uint8_t answer[4096];
  size_t length = 0, frame = 0;
  for (;;) {
    ssize_t received = read(hub, answer + length, sizeof answer - length);
    if (received <= 0) return 1;
    length += received;
    while (length - frame >= HEADER && length - frame >= HEADER + (size_t)answer[frame]) {
      size_t end = frame + HEADER + answer[frame];
      if (answer[frame + 4] == ERROR_REPLY) return 4;
      if (answer[frame + 4] == VALUE_REPLY) {
        uint8_t *value = answer + end - VALUE;
        value[VALUE] = '\n';
        return write(STDOUT_FILENO, value, VALUE + 1) != VALUE + 1;
      }
      frame = end;
    }
  }
}
