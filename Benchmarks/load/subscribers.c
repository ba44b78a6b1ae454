// Processes that hold subscriptions and count what they get: one epoll loop each, or a thread per subscription.
#include "load.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { MAXIMUM_PROCESSES = 8, EVENTS = 256 };

static struct control {
  _Atomic uint32_t active, failed, ended;
  _Atomic uint64_t deliveries, gaps;
} *control;
static pid_t processes[MAXIMUM_PROCESSES];
static int process_count;

static int subscribe(struct connection *connection, const struct subscribers *plan, int number) {
  open_connection(connection);
  const char *key = plan->pattern;
  if (!key) {
    key = key_name(number % plan->keys);
    connection->stride = plan->keys;
    connection->newest = first_value + number % plan->keys - plan->keys + 1;
  }
  if (options.protocol->dial(connection, options.address) != 0) return -1;
  if (options.protocol->subscribe(connection, key) != 0) return -1;
  connection->progress = 0;
  return 0;
}

static void take(struct connection *connection) {
  note_deliveries(connection->progress, now());
  connection->progress = 0;
}

static void *read_alone(void *argument) {
  struct connection *connection = argument;
  while (!atomic_load(&control->ended) && pump(connection, 0) >= 0) take(connection);
  return NULL;
}

static void read_in_threads(struct connection *connections, int count) {
  pthread_t threads[count];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (int index = 0; index < count; index++) {
    if (pthread_create(&threads[index], &small, read_alone, &connections[index]) != 0) fail("no thread");
  }
  while (!atomic_load(&control->ended)) usleep(5000);
  for (int index = 0; index < count; index++) shutdown(connections[index].descriptor, SHUT_RDWR);
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
}

static void read_in_loop(struct connection *connections, int count) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event events[EVENTS];
  for (int index = 0; index < count; index++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[index]};
    epoll_ctl(epoll, EPOLL_CTL_ADD, connections[index].descriptor, &event);
  }
  while (!atomic_load(&control->ended)) {
    int ready = epoll_wait(epoll, events, EVENTS, 20);
    for (int index = 0; index < ready; index++) {
      struct connection *connection = events[index].data.ptr;
      if (pump(connection, MSG_DONTWAIT) < 0) {
        atomic_fetch_add(&control->failed, 1);
        epoll_ctl(epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
      } else {
        take(connection);
      }
    }
  }
  close(epoll);
}

static _Noreturn void hold(const struct subscribers *plan, int first, int count) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (plan->pinned) pin(getpid(), 1);
  struct connection *connections = calloc(count, sizeof *connections);
  for (int index = 0; index < count; index++) {
    if (subscribe(&connections[index], plan, first + index) != 0) {
      fprintf(stderr, "load: subscription %d of %s failed: %s\n", first + index, options.protocol->name, strerror(errno));
      atomic_fetch_add(&control->failed, 1);
      _exit(3);
    }
    atomic_fetch_add(&control->active, 1);
  }
  if (!plan->reading) {
    while (!atomic_load(&control->ended)) usleep(2000);
  } else if (plan->threads) {
    read_in_threads(connections, count);
  } else {
    read_in_loop(connections, count);
  }
  for (int index = 0; index < count; index++) {
    atomic_fetch_add(&control->deliveries, connections[index].deliveries);
    atomic_fetch_add(&control->gaps, connections[index].gaps);
  }
  _exit(0);
}

int start_subscribers(struct subscribers plan) {
  control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (control == MAP_FAILED) fail("no shared memory");
  if (plan.processes < 1) plan.processes = 1;
  if (plan.processes > MAXIMUM_PROCESSES) plan.processes = MAXIMUM_PROCESSES;
  for (int number = 0, first = 0; number < plan.processes; number++) {
    int count = plan.count / plan.processes + (number < plan.count % plan.processes);
    pid_t process = fork();
    if (process == 0) hold(&plan, first, count);
    processes[process_count++] = process;
    first += count;
  }
  double end = now() + 60e6;
  while (atomic_load(&control->active) < (uint32_t)plan.count) {
    if (atomic_load(&control->failed) > 0 || now() > end) return -1;
    usleep(500);
  }
  // The last of them may not wait for its events yet.
  usleep(20000);
  return 0;
}

double subscribers_cpu(void) {
  double sum = 0;
  for (int number = 0; number < process_count; number++) sum += cpu_time(processes[number]);
  return sum;
}

struct tally stop_subscribers(void) {
  atomic_store(&control->ended, 1);
  double end = now() + 5e6;
  for (int number = 0; number < process_count; number++) {
    while (waitpid(processes[number], NULL, WNOHANG) == 0) {
      if (now() > end) kill(processes[number], SIGKILL);
      usleep(1000);
    }
  }
  process_count = 0;
  return (struct tally){.deliveries = atomic_load(&control->deliveries), .gaps = atomic_load(&control->gaps)};
}
