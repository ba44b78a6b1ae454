// Whole processes: what idle subscribers cost a broker, how soon a broker answers after its start, and what a command line
// tool takes.
#include "load.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

void measure_idle(void) {
  usleep(200000);
  long before = resident_bytes(options.broker);
  double broker = cpu_time(options.broker);
  struct subscribers plan = {
      .count = options.subscribers, .processes = 1, .keys = 1, .reading = true};
  if (start_subscribers(plan) != 0) fail("%s took no %d subscribers", options.protocol->name, plan.count);
  broker = cpu_time(options.broker) - broker;
  usleep(300000);
  figure("bytes_per_subscriber", (double)(resident_bytes(options.broker) - before) / options.subscribers);
  figure("resident_kib", resident_bytes(options.broker) / 1024.0);
  figure("broker_us_per_connect", broker / options.subscribers);
  stop_subscribers();
}

static pid_t spawn(char **command) {
  pid_t process = fork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int nothing = open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nothing, descriptor);
  execvp(command[0], command);
  _exit(127);
}

static bool answers(void) {
  struct connection connection;
  open_connection(&connection);
  bool ready = options.protocol->dial(&connection, options.address) == 0;
  close_connection(&connection);
  return ready;
}

void wait_for_broker(void) {
  for (double end = now() + 15e6; now() < end; usleep(2000)) {
    if (answers()) return;
  }
  fail("%s never answered", options.protocol->name);
}

static void end(pid_t process) {
  kill(process, SIGTERM);
  for (double patience = now() + 3e6; waitpid(process, NULL, WNOHANG) == 0; usleep(1000)) {
    if (now() > patience) kill(process, SIGKILL);
  }
}

void measure_start(void) {
  double *times = calloc(options.runs, sizeof *times), *work = calloc(options.runs, sizeof *work);
  for (int run = 0; run < options.runs; run++) {
    if (strncmp(options.address, "unix:", 5) == 0) unlink(options.address + 5);
    double began = now();
    pid_t broker = spawn(options.command);
    while (!answers()) {
      if (now() - began > 15e6) fail("%s never answered", options.protocol->name);
      usleep(100);
    }
    times[run] = (now() - began) / 1e3;
    work[run] = cpu_time(broker) / 1e3;
    end(broker);
  }
  figure("wall_ms", percentile(times, options.runs, 0.5));
  figure("cpu_ms", percentile(work, options.runs, 0.5));
}

static double milliseconds(struct timeval time) { return time.tv_sec * 1e3 + time.tv_usec / 1e3; }

void measure_command(void) {
  double *times = calloc(options.runs, sizeof *times), *work = calloc(options.runs, sizeof *work);
  struct rusage usage;
  int failures = 0;
  for (int run = -2; run < options.runs; run++) {
    int status;
    double began = now();
    pid_t process = spawn(options.command);
    wait4(process, &status, 0, &usage);
    if (status != 0) failures++;
    if (run < 0) continue;
    times[run] = (now() - began) / 1e3;
    work[run] = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  }
  figure("wall_ms", percentile(times, options.runs, 0.5));
  figure("cpu_ms", percentile(work, options.runs, 0.5));
  figure("resident_kib", usage.ru_maxrss);
  figure("failures", failures);
}

/// Runs what the protocol needs beside the broker, until it ends.
void serve(void) {
  pid_t server = options.protocol->prepare ? options.protocol->prepare(options.address, key_name(0)) : 0;
  if (server > 0) waitpid(server, NULL, 0);
}
