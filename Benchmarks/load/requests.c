// Requests that are answered one by one: get and set, on one connection or many, alone or many in one write.
#include "load.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { SAMPLES = 2000000, WARM_UP = 10, EVENTS = 256 };

struct client {
  struct connection connection;
  uint64_t wanted;
  double sent;
};

static struct client *clients;
static double *latencies;
static size_t samples;
static uint64_t operations, next_value, next_key;

static size_t encode(struct connection *connection, uint8_t *out) {
  const char *key = key_name(next_key++ % options.keys);
  if (strcmp(options.request, "set") == 0) return options.protocol->set(connection, out, key, ++next_value);
  return options.protocol->get(connection, out, key);
}

static void ask(struct client *client) {
  size_t length = 0;
  for (int index = 0; index < options.depth; index++) length += encode(&client->connection, encoded + length);
  client->wanted = client->connection.replies + options.depth;
  client->sent = now();
  if (send_all(client->connection.descriptor, encoded, length) != 0) fail("%s took no request", options.protocol->name);
}

static void count_answer(const struct client *client) {
  if (samples < SAMPLES) latencies[samples++] = now() - client->sent;
  operations += options.depth;
}

static bool is_over(double began) {
  return options.count > 0 ? operations >= options.count : now() - began > options.seconds * 1e6;
}

static void ask_on_one(double began) {
  struct client *client = &clients[0];
  while (!is_over(began)) {
    ask(client);
    while (client->connection.replies < client->wanted) {
      if (pump(&client->connection, 0) < 0) fail("%s did not answer", options.protocol->name);
    }
    count_answer(client);
  }
}

static void ask_on_all(double began) {
  int epoll = epoll_create1(EPOLL_CLOEXEC), waiting = options.connections;
  struct epoll_event events[EVENTS];
  for (int index = 0; index < options.connections; index++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[index]};
    epoll_ctl(epoll, EPOLL_CTL_ADD, clients[index].connection.descriptor, &event);
    ask(&clients[index]);
  }
  while (waiting > 0) {
    int ready = epoll_wait(epoll, events, EVENTS, 3000);
    if (ready <= 0) fail("%s did not answer", options.protocol->name);
    bool over = is_over(began);
    for (int index = 0; index < ready; index++) {
      struct client *client = events[index].data.ptr;
      if (pump(&client->connection, MSG_DONTWAIT) < 0) fail("%s closed a connection", options.protocol->name);
      if (client->connection.replies < client->wanted) continue;
      count_answer(client);
      if (over) waiting--; else ask(client);
    }
  }
  close(epoll);
}

/// Sets one key after the other, so many in one write.
static void fill(uint64_t sets, uint64_t depth) {
  struct client *client = &clients[0];
  for (uint64_t done = 0, batch = 0; done < sets; done += batch) {
    size_t length = 0;
    batch = sets - done < depth ? sets - done : depth;
    for (uint64_t index = 0; index < batch; index++) {
      const char *key = key_name((done + index) % options.keys);
      length += options.protocol->set(&client->connection, encoded + length, key, ++next_value);
    }
    uint64_t wanted = client->connection.replies + batch;
    if (send_all(client->connection.descriptor, encoded, length) != 0
        || await_replies(&client->connection, wanted) != 0)
      fail("%s took no value", options.protocol->name);
  }
}

/// Subscribers that have stopped reading, with as much in their sockets as fits: a few hundred messages.
static void start_stopped(void) {
  enum { UPDATES_UNTIL_BLOCKED = 600 };
  struct subscribers plan = {.count = options.stopped, .processes = 1, .keys = 1};
  if (start_subscribers(plan) != 0) fail("%s took no %d subscribers", options.protocol->name, plan.count);
  fill(UPDATES_UNTIL_BLOCKED, 1);
}

/// Subscribers of the first of the keys; if there are others, they change in vain.
static void start_readers(void) {
  struct subscribers plan = {.count = options.subscribers, .processes = 1, .keys = 1, .reading = true};
  if (start_subscribers(plan) != 0) fail("%s took no subscriber", options.protocol->name);
}

static void open_clients(void) {
  clients = calloc(options.connections, sizeof *clients);
  for (int index = 0; index < options.connections; index++) {
    struct connection *connection = &clients[index].connection;
    open_connection(connection);
    if (options.protocol->dial(connection, options.address) != 0) fail("%s took no connection", options.protocol->name);
    struct timeval patience = {.tv_sec = 5};
    setsockopt(connection->descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
}

static void warm_up(void) {
  // Every key gets a value; more updates make the change log forget its oldest.
  fill(options.keys + options.fill, 64);
  for (int index = 0; index < WARM_UP; index++) {
    ask(&clients[0]);
    if (await_replies(&clients[0].connection, clients[0].wanted) != 0) fail("%s did not answer", options.protocol->name);
  }
}

void measure_requests(void) {
  pid_t server = options.protocol->prepare ? options.protocol->prepare(options.address, key_name(0)) : 0;
  latencies = malloc(SAMPLES * sizeof *latencies);
  next_value = first_value;
  open_clients();
  if (options.stopped > 0) start_stopped();
  if (options.subscribers > 0) start_readers();
  warm_up();
  double began = now(), broker = cpu_time(options.broker), load = own_cpu_time(), served = cpu_time(server);
  if (options.connections == 1) ask_on_one(began); else ask_on_all(began);
  double elapsed = now() - began;
  broker = cpu_time(options.broker) - broker;
  figure("p50_us", percentile(latencies, samples, 0.5));
  figure("p99_us", percentile(latencies, samples, 0.99));
  figure("operations_per_s", operations / elapsed * 1e6);
  figure("broker_us_per_operation", broker / operations);
  figure("broker_busy", broker / elapsed);
  figure("load_us_per_operation", (own_cpu_time() - load) / operations);
  if (server > 0) {
    figure("service_us_per_operation", (cpu_time(server) - served) / operations);
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
  }
  if (options.stopped > 0 || options.subscribers > 0) stop_subscribers();
}
