/* Answers tests/vectors.py, a line each: what the client makes of names, values, schemas and frames of docs/vectors. */
#include "../statehub.c"

static size_t bytes_of(const char *hex, uint8_t *bytes) {
  size_t length = 0;
  for (; hex[0] != '\0' && hex[1] != '\0' && hex[0] != '\n'; hex += 2) {
    char digits[3] = {hex[0], hex[1], 0};
    bytes[length++] = (uint8_t)strtol(digits, NULL, 16);
  }
  return length;
}

static void print_hex(struct buffer *buffer, bool failed) {
  if (failed) {
    puts("malformed");
  } else {
    for (size_t at = 0; at < buffer->end; at++) printf("%02x", buffer->bytes[at]);
    puts("");
  }
  buffer_free(buffer);
}

/* A frame to a client that is connected: whether it accepts it. */
static void judge_frame(const uint8_t *bytes, size_t length) {
  statehub *hub = statehub_open("/", "vectors");
  struct verdict verdict = {0, ""};
  hub->input_limit = DEFAULT_FRAME;
  hub->link = READY;
  hub->hello = 0xFFFFFFF0;
  put(&hub->input, bytes, length);
  receive(hub, 0, &verdict);
  puts(verdict.code == 0 || bytes[4] == 0x47 ? "accepted" : verdict.message);
  statehub_close(hub);
}

int main(void) {
  static char line[1 << 20];
  static uint8_t bytes[1 << 19];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *argument = strchr(line, ' ') + 1;
    argument[-1] = '\0';
    struct buffer out = {NULL, 0, 0, 0};
    if (strcmp(line, "matches") == 0) {
      char *name = strchr(argument, ' ');
      *name++ = '\0';
      puts(statehub_matches(argument, name) ? "1" : "0");
      fflush(stdout);
      continue;
    }
    size_t length = bytes_of(argument, bytes);
    struct reader reader = {bytes, bytes + length, false};
    if (strcmp(line, "name") == 0) {
      puts(statehub_is_name((const char *)bytes, length) ? "1" : "0");
    } else if (strcmp(line, "pattern") == 0) {
      puts(statehub_is_pattern((const char *)bytes, length) ? "1" : "0");
    } else if (strcmp(line, "value") == 0) {
      statehub_value value = take_value(&reader);
      put_value(&out, &value);
      print_hex(&out, reader.failed);
    } else if (strcmp(line, "schema") == 0) {
      struct arena arena = {NULL, 0};
      statehub_schema schema = take_schema(&reader, &arena);
      put_schema(&out, &schema);
      print_hex(&out, reader.failed);
      arena_free(&arena);
    } else {
      judge_frame(bytes, length);
    }
    fflush(stdout);
  }
  return 0;
}
