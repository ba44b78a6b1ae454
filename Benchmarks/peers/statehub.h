// The load generator's driver for statehub: the frames of docs/protocol.md, written by hand. It owns no connection.
#pragma once

// The header: length of what follows, kind, flags, reserved, number of the request.
static uint8_t *sh_header(uint8_t *out, uint8_t kind, uint8_t flags, uint32_t request, uint32_t length) {
  memcpy(out, &length, 4);
  out[4] = kind;
  out[5] = flags;
  out[6] = out[7] = 0;
  memcpy(out + 8, &request, 4);
  return out + 12;
}

// hello: magic, lowest and highest version, capabilities, name.
static int sh_dial(conn *c, const char *address) {
  c->fd = dial_addr(address);
  if (c->fd < 0) return -1;
  uint8_t frame[64], *p = sh_header(frame, 0x01, 0, 1, 22);
  memcpy(p, "SHUB\1\0\1\0\0\0\0\0\0\0\0\0\5bench", 22);
  if (send_all(c->fd, frame, 34)) return -1;
  return await(c, 1);
}

// watch: flags (1: every change), number of patterns, each with its length. Active once `synced` has come.
static int sh_watch(conn *c, const char *key, uint8_t flags) {
  uint8_t frame[128];
  size_t n = strlen(key);
  uint8_t *p = sh_header(frame, 0x0D, flags, 2, 3 + n);
  p[0] = 1;
  p[1] = 0;
  p[2] = n;
  memcpy(p + 3, key, n);
  uint64_t replies = c->nrep + 2;
  if (send_all(c->fd, frame, 15 + n)) return -1;
  c->flags |= 1;
  return await(c, replies);
}
static int sh_latest(conn *c, const char *key) { return sh_watch(c, key, 0); }
static int sh_every(conn *c, const char *key) { return sh_watch(c, key, 1); }

// set: the store's name, then its value: type (4: string), length, bytes.
static size_t sh_set(conn *c, uint8_t *out, const char *key, uint64_t value) {
  size_t n = strlen(key);
  uint8_t *p = sh_header(out, 0x04, 0, 3, 1 + n + 5 + 16);
  *p++ = n;
  memcpy(p, key, n);
  p += n;
  memcpy(p, "\4\20\0\0", 5);
  put_val(p + 5, value);
  return 12 + 1 + n + 5 + 16;
}

static size_t sh_get(conn *c, uint8_t *out, const char *key) {
  size_t n = strlen(key);
  uint8_t *p = sh_header(out, 0x03, 0, 4, 1 + n);
  *p++ = n;
  memcpy(p, key, n);
  return 13 + n;
}

// The value is what a frame about a store ends with.
static ssize_t sh_parse(conn *c, const uint8_t *bytes, size_t n) {
  size_t used = 0;
  while (n - used >= 12) {
    uint32_t length;
    memcpy(&length, bytes + used, 4);
    if (n - used < 12 + (size_t)length) break;
    const uint8_t *frame = bytes + used, *end = frame + 12 + length;
    switch (frame[4]) {
    case 0x40: case 0x41: case 0x43:  // change, created, current
      if (length >= 16) got_value(c, end - 16, 16);
      break;
    case 0x44:  // synced: the first one ends the watch's snapshot
      if (c->flags & 1) { c->flags &= ~1u; got_reply(c); }
      break;
    case 0x42: case 0x45: case 0x46: case 0x47: break;  // removed, resumed, forget, ended
    default: got_reply(c);
    }
    used += 12 + length;
  }
  return used;
}

static const driver d_statehub = {"statehub", 0, sh_dial, sh_latest, sh_set, sh_get, sh_set, sh_parse, 0};
static const driver d_statehub_every = {"statehub-every", 0, sh_dial, sh_every, sh_set, sh_get, sh_set, sh_parse, 0};
