/* The C client of statehub: named, typed values that all processes of a Linux machine share.
 *
 * One header, one source file, no dependency beyond libc. C11, and C++ takes both files. It starts no thread, blocks
 * only in statehub_wait and statehub_finish, and works from any event loop: wait for statehub_fd with
 * statehub_poll_events, at most statehub_poll_timeout milliseconds, then call statehub_step.
 *
 *     statehub *hub = statehub_open(NULL, "example");
 *     const char *pattern = "audio.volume";
 *     statehub_watch_open(hub, &pattern, 1, 0, shown, NULL);
 *     for (;;) statehub_wait(hub, -1);
 *
 * Promises, in the words of docs/protocol.md: a watch delivers the current value first and then the changes, in order,
 * each at most once, and `skipped` is the exact number of those left out. A lost connection is re-established
 * (within 100 ms, then at most 1 s apart for 10 s, then at most 5 s). Watches then continue where they were, or report
 * STATEHUB_EVENT_RESET. Requests that were not sent, and those that can be repeated safely (reads, and writes
 * conditional on a revision above 0), wait for the new connection; the others fail with STATEHUB_OUTCOME_UNKNOWN. No
 * request waits longer than the hub's
 * time-out. When the reply to a write arrives, every watch of this hub has shown the write. Two replies do not wait for
 * that: each one behind a filter, and after 50 ms that to a write of a store which the watch does not show, because the
 * program may not be allowed to read it.
 *
 * A hub belongs to one thread at a time. Callbacks run inside statehub_step, statehub_wait, statehub_finish and
 * statehub_close only. They may make requests, open and close watches, and close the hub, which is then freed when the call
 * that runs them returns. The first three do nothing in a callback. The arguments of a callback are valid until it returns.
 * A callback may be left by a C++ exception (the client compiled as C++, or with -fexceptions) or by longjmp: the next call
 * continues after it, if it is made on the same stack, at most 8 KiB deeper than the call that was left. In the child of a
 * fork a hub has a connection of its own; the requests and watches of the parent end there with STATEHUB_CLOSED. If memory
 * runs out, the process is aborted.
 */
#ifndef STATEHUB_H
#define STATEHUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct statehub statehub;
typedef struct statehub_watch statehub_watch;

/* ---- Values ------------------------------------------------------------------------------------------------------- */

typedef enum {
  STATEHUB_INTEGER = 1,
  STATEHUB_DOUBLE = 2,  /* finite */
  STATEHUB_BOOLEAN = 3,
  STATEHUB_STRING = 4,  /* UTF-8 */
  STATEHUB_DATA = 5,
  STATEHUB_JSON = 6     /* a text by RFC 8259, kept byte for byte */
} statehub_type;

/* `bytes` and `length` are those of string, data and json. Nothing ends with a zero byte. */
typedef struct {
  statehub_type type;
  int64_t integer;
  double real;
  bool boolean;
  const char *bytes;
  size_t length;
} statehub_value;

statehub_value statehub_integer(int64_t value);
statehub_value statehub_double(double value);
statehub_value statehub_boolean(bool value);
statehub_value statehub_string(const char *zero_terminated);
statehub_value statehub_bytes(statehub_type type, const void *bytes, size_t length);

/* As the hub compares: type and bytes. 0.0 is not -0.0, and 1 is not 1.0. */
bool statehub_equal(const statehub_value *one, const statehub_value *other);

typedef struct {
  uint64_t high, low;
} statehub_epoch;

/* ---- Errors ------------------------------------------------------------------------------------------------------- */

/* The codes of docs/protocol.md. A later hub may send others. Those of 100 and above arise in the client: NO_HUB, no hub
 * listens at the socket; TIMEOUT, no answer in time; OUTCOME_UNKNOWN, the connection was lost before the reply came;
 * CLOSED, by the program. */
typedef enum {
  /* made from Sources/HubCore: codes */
  STATEHUB_MALFORMED = 1, STATEHUB_UNKNOWN_KIND = 2, STATEHUB_UNSUPPORTED_VERSION = 3, STATEHUB_NOT_SUPPORTED = 4,
  STATEHUB_FRAME_TOO_LARGE = 5, STATEHUB_HELLO_EXPECTED = 6, STATEHUB_NO_SUCH_STORE = 10, STATEHUB_CONFLICT = 11,
  STATEHUB_INVALID_NAME = 12, STATEHUB_INVALID_PATTERN = 13, STATEHUB_TYPE_MISMATCH = 14, STATEHUB_OUT_OF_RANGE = 15,
  STATEHUB_NOT_A_CHOICE = 16, STATEHUB_TOO_LARGE = 17, STATEHUB_INVALID_VALUE = 18, STATEHUB_OVERFLOW = 19,
  STATEHUB_INVALID_SCHEMA = 20, STATEHUB_SCHEMA_CONFLICT = 21, STATEHUB_DECLARED = 22, STATEHUB_UNDECLARED = 23,
  STATEHUB_RESERVED = 24, STATEHUB_NO_INITIAL_VALUE = 25, STATEHUB_DENIED = 30, STATEHUB_QUOTA = 31,
  STATEHUB_CLAIMED = 32, STATEHUB_UNAVAILABLE = 33, STATEHUB_UNANSWERED = 34, STATEHUB_REFUSED = 35,
  STATEHUB_DURABILITY_UNKNOWN = 40, STATEHUB_STORAGE_FAILED = 41, STATEHUB_INVALID_CONFIGURATION = 45,
  STATEHUB_RELOAD_FAILED = 46, STATEHUB_SHUTTING_DOWN = 50, STATEHUB_NOT_READING = 51, STATEHUB_NO_HUB = 100,
  STATEHUB_TIMEOUT = 101, STATEHUB_OUTCOME_UNKNOWN = 102, STATEHUB_CONNECTION_LOST = 103,
  STATEHUB_PROTOCOL_VIOLATION = 104, STATEHUB_UNDECODABLE = 105, STATEHUB_CLOSED = 106,
  /* end of what is made */
} statehub_code;

/* `store` is what the error is about, or empty; `operation` the failed write of a transaction, counted from 0;
 * `revision` the store's, with STATEHUB_CONFLICT. */
typedef struct {
  int code;
  const char *store;
  const char *message;
  unsigned operation;
  uint64_t revision;
} statehub_error;

/* The code's word in the protocol, as "noSuchStore"; "unknown" for one of a later hub. */
const char *statehub_word(int code);

/* ---- The hub ------------------------------------------------------------------------------------------------------ */

/* Connects to nothing before the first need. `path` NULL: $STATEHUB_SOCKET, else the user's hub if there is a socket at its
 * path, else the system's; looked up now, once. An $XDG_RUNTIME_DIR of another user, as after `sudo -E`, does not count. `name` is what the hub shows about this client, up to 60 bytes. */
statehub *statehub_open(const char *path, const char *name);

/* Fails pending requests with STATEHUB_CLOSED, and frees the hub with its watches. Each watch gets STATEHUB_EVENT_ENDED, so
 * that its context can be freed. In a callback this happens when the call that runs the callback returns. */
void statehub_close(statehub *hub);

/* How long a request waits for its reply: by default 5000 ms; less than 0 counts as 0. */
void statehub_set_timeout(statehub *hub, int milliseconds);

const char *statehub_path(const statehub *hub);

/* The socket, or -1 without a connection. Each new connection has another socket: call this before each wait. */
int statehub_fd(const statehub *hub);

/* POLLIN, also POLLOUT while there is more to send than the socket takes. */
short statehub_poll_events(const statehub *hub);

/* How many milliseconds to wait at most before the next step; -1: any number. */
int statehub_poll_timeout(const statehub *hub);

/* Does all pending work without waiting: connects, sends, reads once, and calls back. */
void statehub_step(statehub *hub);

/* Waits at most so many milliseconds (-1: any number) until there is something to do, and does it. */
void statehub_wait(statehub *hub, int milliseconds);

/* Waits until that request is completed, and its callback has run. Returns 0 if it succeeded, else the code that it failed
 * with; STATEHUB_UNKNOWN (-1) if it was completed before, and in a callback. */
int statehub_finish(statehub *hub, uint32_t request);

/* ---- Schemas ------------------------------------------------------------------------------------------------------ */

typedef enum { STATEHUB_VOLATILE = 1, STATEHUB_RELAXED = 2, STATEHUB_SYNCED = 3 } statehub_durability;

/* What a store accepts. Begin with `statehub_schema schema = {0}` (C) or `{}` (C++), and set `type` and what is wanted. */
typedef struct {
  statehub_type type;
  const statehub_value *minimum, *maximum, *initial;  /* NULL: none */
  const statehub_value *choices;
  size_t choice_count;                                /* 0: every value */
  uint32_t max_bytes;                                 /* 0: no limit */
  int durability;                                     /* 0: the hub's default */
  const char *description;                            /* NULL: none */
} statehub_schema;

/* ---- Replies ------------------------------------------------------------------------------------------------------ */

/* A store at its last change; `time` is in nanoseconds since 1970. */
typedef struct {
  uint32_t uid;
  uint64_t store, revision, version;
  int64_t time;
  statehub_value value;
} statehub_state;

/* What a write did; `has_value` after add, toggle and reset: what the store holds now. */
typedef struct {
  uint64_t store, revision, version;
  bool changed, has_value;
  int durability;
  statehub_value value;
} statehub_result;

typedef struct {
  const char *name;
  statehub_type type;
  uint64_t store, revision, version;
  int64_t time;
  uint32_t length;
  bool is_declared, has_value;  /* a value of more than 256 bytes is left out */
  statehub_value value;
} statehub_summary;

typedef struct {
  const char *name;
  statehub_state state;
  statehub_schema schema;
  int durability;
  uint32_t watchers;
  bool is_declared, has_ttl, has_owner;
  uint64_t ttl;  /* milliseconds */
  int32_t owner;
} statehub_description;

typedef struct {
  int32_t connection;
  uint32_t pid, uid, gid;
  int64_t since;
  uint32_t watches;
  uint64_t requests;
  uint32_t unsent;
  bool is_behind;
  const char *name;
  /* Hubs before these fields leave them at zero, and texts empty. */
  uint64_t cost;  /* nanoseconds of processor time, an estimate */
  uint64_t held;  /* bytes that the hub keeps for it */
  uint32_t catch_ups;
  const char *unit;      /* of the system's service manager; "": none, or unknown */
  const char *user_unit; /* of the user's own; "": none */
  const char *app;       /* a Flatpak app's ID or a snap's name; "": none */
} statehub_client;

typedef struct {
  const char *name;
  uint64_t value;
} statehub_counter;

/* The reply to one request. `error` is NULL if it succeeded; then the fields of its kind of request are set. */
typedef struct {
  uint32_t request;
  const statehub_error *error;
  statehub_epoch epoch;             /* what revisions belong to */
  uint64_t revision;                /* ping, transaction */
  const statehub_state *state;      /* get */
  const statehub_result *results;   /* writes: one; a transaction: one for each write, in order */
  const statehub_description *description;
  const statehub_summary *stores;
  const statehub_client *clients;
  const statehub_counter *counters;
  size_t count;                     /* of results, stores, clients or counters */
  bool more;                        /* of stores and clients: ask again, behind the last one */
} statehub_reply;

typedef void statehub_on_reply(void *context, const statehub_reply *reply);

/* ---- Requests ----------------------------------------------------------------------------------------------------- */

/* Each returns its number, and calls `on_reply` (which may be NULL) exactly once, never before it returns. */

uint32_t statehub_ping(statehub *hub, statehub_on_reply *on_reply, void *context);

typedef enum { STATEHUB_READING = 1, STATEHUB_NOTHING = 2 } statehub_restriction;

/* Gives up rights for good: to reading, or to nothing, which keeps alive what the hub has until its connection is lost. Every
 * other request made after this one fails with STATEHUB_DENIED, also on later connections and in the child of a fork. A hub can
 * give up more later. */
uint32_t statehub_restrict(statehub *hub, statehub_restriction to, statehub_on_reply *on_reply, void *context);
uint32_t statehub_get(statehub *hub, const char *store, statehub_on_reply *on_reply, void *context);
uint32_t statehub_describe(statehub *hub, const char *store, statehub_on_reply *on_reply, void *context);

/* A page of the stores whose names match, in the order of names, behind `after` ("": from the first). */
uint32_t statehub_list(
    statehub *hub, const char *pattern, const char *after, statehub_on_reply *on_reply, void *context);

/* A page of the hub's connections, behind number `after` (-1: from the first). */
uint32_t statehub_clients(statehub *hub, int32_t after, statehub_on_reply *on_reply, void *context);
uint32_t statehub_stats(statehub *hub, statehub_on_reply *on_reply, void *context);

typedef enum {
  STATEHUB_WRITE_SET = 4,
  STATEHUB_WRITE_ADD = 5,
  STATEHUB_WRITE_TOGGLE = 6,
  STATEHUB_WRITE_RESET = 7,
  STATEHUB_WRITE_REMOVE = 8,
  STATEHUB_WRITE_CREATE = 9
} statehub_write_kind;

/* A write. Begin with `statehub_write write = {0}` (C) or `{}` (C++). All conditions must hold, else STATEHUB_CONFLICT. A
 * condition that its kind does not have, or an epoch without a revision, is STATEHUB_INVALID_VALUE: nothing is sent.
 * After a lost connection a write under a revision above 0 is repeated, and so is a transaction of only such writes. Any
 * other one fails with STATEHUB_OUTCOME_UNKNOWN: another program may have made its condition true again. */
typedef struct {
  statehub_write_kind kind;
  const char *store;
  statehub_value value;                 /* of set; what add adds */
  bool has_revision;                    /* set, remove: only if the store's last change is of if_revision, ... */
  uint64_t if_revision;                 /* ... 0: only if there is no such store */
  const statehub_epoch *if_epoch;       /* the epoch of if_revision; NULL: any */
  const statehub_value *if_value;       /* set: only if it has exactly this value */
  bool if_absent;                       /* set, create: only if there is no such store */
  bool force;                           /* set: an equal value counts as a change, too */
  bool clamp;                           /* add: stop at the schema's bound instead of failing */
  bool ephemeral;                       /* set: the value ends with this hub; it is set again after a lost connection, */
                                        /* unless another program has set the store since */
  uint64_t ttl;                         /* set: the value ends after so many milliseconds; 0: it stays */
  const statehub_schema *schema;        /* create */
} statehub_write;

uint32_t statehub_write_one(
    statehub *hub, const statehub_write *write, statehub_on_reply *on_reply, void *context);

/* Several writes as one change with one revision: all of them, or none. */
uint32_t statehub_transaction(
    statehub *hub, const statehub_write *writes, size_t count, statehub_on_reply *on_reply, void *context);

uint32_t statehub_set(
    statehub *hub, const char *store, statehub_value value, statehub_on_reply *on_reply, void *context);
uint32_t statehub_add(
    statehub *hub, const char *store, statehub_value delta, statehub_on_reply *on_reply, void *context);

/* Makes the next value of `now` (NULL: there is no such store), for a compare-and-set; false: leave it as it is. It may be
 * called several times. What `next` points to must stay until the next call, or the reply. */
typedef bool statehub_change(void *context, const statehub_value *now, statehub_value *next);

/* Reads, changes, and sets the value if no other process has set it meanwhile; else it starts over. The reply is that of
 * the set, or of the get if nothing was to be changed; STATEHUB_CLOSED if `change` was left by an exception or longjmp. */
void statehub_update(
    statehub *hub, const char *store, statehub_change *change, statehub_on_reply *on_reply, void *context);

/* ---- Watches ------------------------------------------------------------------------------------------------------ */

typedef enum {
  STATEHUB_EVENT_INITIAL,   /* a store's value when the watch began, or began again after a reset */
  STATEHUB_EVENT_CHANGED,   /* a store has a new value, or was created with it */
  STATEHUB_EVENT_REMOVED,   /* a store was removed, perhaps one that no event has shown. The watch continues */
  STATEHUB_EVENT_RESUMED,   /* the connection was lost and is back; what changed meanwhile follows */
  STATEHUB_EVENT_SYNCED, /* `synced`: what was shown so far is the hub's state at exactly `revision` */
  STATEHUB_EVENT_RESET,     /* `reset`: everything that was shown is void; all values follow as STATEHUB_EVENT_INITIAL */
  STATEHUB_EVENT_ENDED      /* with `error`: nothing comes any more, and the watch is freed */
} statehub_event_kind;

enum { STATEHUB_UNKNOWN = -1 };

typedef struct {
  statehub_event_kind kind;
  statehub_watch *watch;
  const char *name;             /* of the store; empty if the event is about none */
  const statehub_value *value;  /* of STATEHUB_EVENT_INITIAL and STATEHUB_EVENT_CHANGED, else NULL */
  uint64_t revision, version;
  statehub_epoch epoch;         /* what `revision` belongs to */
  int64_t skipped;              /* changes of the store since its last event that were not shown, or STATEHUB_UNKNOWN. A store
                                   that was created and removed unseen is shown as removed, with its changes as skipped */
  int64_t time;                 /* nanoseconds since 1970 */
  uint32_t uid;                 /* who made the change */
  bool is_overdue;              /* of a hub with a deadline: the store was not written for that long. It begins and ends with
                                   STATEHUB_EVENT_CHANGED, whose version may be that of the event before */
  const statehub_error *error;
} statehub_event;

typedef void statehub_on_event(void *context, const statehub_event *event);

enum {
  STATEHUB_EVERY = 1  /* every change, as long as the hub's change log has it; else the newest to a slow reader */
};

/* Shows the current values of all stores that match, and then what happens to them. `*` stands for one component of a
 * name, `**` for any number. A watch that is longer than the hub takes ends with STATEHUB_FRAME_TOO_LARGE. */
statehub_watch *statehub_watch_open(
    statehub *hub, const char *const *patterns, size_t count, unsigned flags, statehub_on_event *on_event, void *context);

/* Numbers compare by their exact value, strings and data byte by byte; a value that cannot be compared always comes. */
typedef enum {
  STATEHUB_WHENEVER = 0,       /* no condition */
  STATEHUB_WHEN_EQUAL = 1,     /* to one of the operands */
  STATEHUB_WHEN_NOT_EQUAL = 2, /* to any of them; a missing store is not */
  STATEHUB_WHEN_LESS = 3,      /* these four: one number, string or data */
  STATEHUB_WHEN_LESS_OR_EQUAL = 4,
  STATEHUB_WHEN_GREATER = 5,
  STATEHUB_WHEN_GREATER_OR_EQUAL = 6,
  STATEHUB_WHEN_PRESENT = 7,   /* these two: no operand */
  STATEHUB_WHEN_ABSENT = 8
} statehub_comparison;

typedef struct {
  uint32_t milliseconds;  /* values come at most once in so many, up to 24 h; 0: as soon as they change */
  double deadband;        /* numbers come only when they have changed by at least that; 0: whenever they change */
  bool is_percent;        /* of the value before */
  statehub_comparison when; /* values come when this begins to hold, and when it ceases to */
  const statehub_value *operands; /* of it; at most about 1,000 bytes, which are copied */
  size_t operand_count;
  uint32_t deadline;      /* a store that nobody has written for so many milliseconds, up to 24 h, is shown as overdue until the
                             next write, even of an equal value; what was left out counts as written. 0: none is */
} statehub_filter;

/* What the daemon leaves out of all watches of `hub`; a program with several filters opens several hubs. The last value always
 * comes, at the latest when its interval ends. A deadband never leaves out a store's initial value, nor a removal. `skipped`
 * counts what was left out. False, without effect, if a watch is open or there is no such filter. */
bool statehub_set_filter(statehub *hub, const statehub_filter *filter);

/* Ends it: no event comes any more, and the handle is gone. */
void statehub_watch_close(statehub_watch *watch);

bool statehub_is_name(const char *text, size_t length);
bool statehub_is_pattern(const char *text, size_t length);
bool statehub_matches(const char *pattern, const char *name);

#ifdef __cplusplus
}
#endif

#endif
