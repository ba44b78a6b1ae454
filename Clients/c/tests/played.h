/* A hub that a test plays: it answers hello, and nothing else of itself. It has one connection at a time. */
#ifndef STATEHUB_PLAYED_H
#define STATEHUB_PLAYED_H

#include "../statehub.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  HELLO = 0x01, SET = 0x04, ADD = 0x05, REMOVE = 0x08, TRANSACTION = 0x0A, WATCH = 0x0D, PING = 0x02,
  CURRENT = 0x43, SYNCED = 0x44, WELCOME = 0x80, PONG = 0x81, WRITTEN = 0x83, WATCHING = 0x87
};

struct frames {
  uint8_t bytes[1 << 12];
  size_t length;
};

static inline void add_number(struct frames *frames, uint64_t number, size_t size) {
  for (size_t at = 0; at < size; at++) frames->bytes[frames->length++] = (uint8_t)(number >> (8 * at));
}

static inline void add_frame(struct frames *frames, unsigned kind, uint32_t number, const struct frames *payload) {
  add_number(frames, payload->length, 4);
  add_number(frames, kind, 4);
  add_number(frames, number, 4);
  memcpy(frames->bytes + frames->length, payload->bytes, payload->length);
  frames->length += payload->length;
}

/* A frame whose payload is one revision. */
static inline void add_revision(struct frames *frames, unsigned kind, uint32_t number, uint64_t revision) {
  struct frames payload = {{0}, 0};
  add_number(&payload, revision, 8);
  add_frame(frames, kind, number, &payload);
}

/* What an event of a store begins with. */
static inline void add_state(struct frames *payload, uint64_t store, uint64_t revision) {
  add_number(payload, 0, 4);
  add_number(payload, store, 8);
  add_number(payload, revision, 8);
  add_number(payload, revision, 8);
  add_number(payload, 0, 8);
}

struct played {
  char directory[32], path[48];
  int listener, connection;
  uint8_t input[1 << 17];
  size_t length;
  uint32_t longest;  /* frame that it takes, as its welcome says */
};

static inline void played_begin(struct played *played) {
  memset(played, 0, sizeof *played);
  strcpy(played->directory, "/tmp/statehub-played-XXXXXX");
  CHECK(mkdtemp(played->directory) != NULL);
  snprintf(played->path, sizeof played->path, "%s/hub.sock", played->directory);
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  strcpy(address.sun_path, played->path);
  played->connection = -1;
  played->longest = 1 << 20;
  played->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  CHECK(bind(played->listener, (const struct sockaddr *)&address, sizeof address) == 0 && listen(played->listener, 8) == 0);
}

static inline void played_cut(struct played *played) {
  if (played->connection >= 0) close(played->connection);
  played->connection = -1;
  played->length = 0;
}

static inline void played_end(struct played *played) {
  played_cut(played);
  close(played->listener);
  unlink(played->path);
  rmdir(played->directory);
}

static inline void played_send(struct played *played, const struct frames *frames) {
  CHECK(send(played->connection, frames->bytes, frames->length, MSG_NOSIGNAL) == (ssize_t)frames->length);
}

static inline void played_welcome(struct played *played, uint32_t number) {
  struct frames payload = {{0}, 0}, frame = {{0}, 0};
  add_number(&payload, 1, 2);
  add_number(&payload, 0, 8);
  add_number(&payload, 7, 8);
  add_number(&payload, 7, 8);
  add_number(&payload, 10, 8);
  add_number(&payload, played->longest, 4);
  add_number(&payload, 1 << 20, 4);
  add_number(&payload, 0, 1);
  add_frame(&frame, WELCOME, number, &payload);
  played_send(played, &frame);
}

/* Waits for the client's next frame but hello. Returns its kind, and fills in its number. */
static inline unsigned played_next(struct played *played, statehub *hub, uint32_t *number) {
  for (;;) {
    statehub_wait(hub, 1);
    if (played->connection < 0) played->connection = accept4(played->listener, NULL, NULL, SOCK_NONBLOCK);
    if (played->connection < 0) continue;
    ssize_t count = recv(played->connection, played->input + played->length, sizeof played->input - played->length, 0);
    CHECK(count != 0);
    if (count > 0) played->length += (size_t)count;
    uint32_t header[3];
    if (played->length < sizeof header) continue;
    memcpy(header, played->input, sizeof header);
    size_t length = sizeof header + header[0];
    CHECK(length <= sizeof played->input);
    if (played->length < length) continue;
    memmove(played->input, played->input + length, played->length -= length);
    *number = header[2];
    if ((header[1] & 0xFF) != HELLO) return header[1] & 0xFF;
    played_welcome(played, header[2]);
  }
}

#endif
