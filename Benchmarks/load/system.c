// Clocks, processor time, memory, cores and figures: everything about the machine, nothing about brokers.
#include "load.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static double microseconds(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

double now(void) { return microseconds(CLOCK_MONOTONIC); }

double cpu_time(pid_t process) {
  clockid_t clock;
  return process > 0 && clock_getcpuclockid(process, &clock) == 0 ? microseconds(clock) : 0;
}

double own_cpu_time(void) { return microseconds(CLOCK_PROCESS_CPUTIME_ID); }

long resident_bytes(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/statm", process);
  FILE *file = fopen(path, "r");
  long pages = 0;
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static void set_cores(pid_t process, const cpu_set_t *cores) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *threads = opendir(path);
  if (!threads) return;
  for (struct dirent *entry; (entry = readdir(threads));) {
    if (atoi(entry->d_name) > 0) sched_setaffinity(atoi(entry->d_name), sizeof *cores, cores);
  }
  closedir(threads);
}

void pin(pid_t process, int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core % sysconf(_SC_NPROCESSORS_ONLN), &cores);
  if (process > 0) set_cores(process, &cores);
}

void unpin(pid_t process) {
  cpu_set_t cores;
  memset(&cores, 0xff, sizeof cores);
  if (process > 0) set_cores(process, &cores);
}

enum { MAXIMUM_CORES = 64 };
static pid_t spinners[MAXIMUM_CORES];
static int spinner_count;

static _Noreturn void spin_on(int core) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) != 0) _exit(1);
  pin(getpid(), core);
  for (double end = now() + 30e6; now() < end;) {
    for (volatile int turn = 0; turn < 100000; turn++) {}
  }
  _exit(0);
}

void keep_cores_awake(void) {
  int cores = sysconf(_SC_NPROCESSORS_ONLN);
  for (int core = 0; core < cores && core < MAXIMUM_CORES; core++) {
    pid_t spinner = fork();
    if (spinner == 0) spin_on(core);
    spinners[spinner_count++] = spinner;
  }
  usleep(5000);
}

void let_cores_sleep(void) {
  for (; spinner_count > 0; spinner_count--) {
    kill(spinners[spinner_count - 1], SIGKILL);
    waitpid(spinners[spinner_count - 1], NULL, 0);
  }
}

static int compare(const void *a, const void *b) {
  double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

double percentile(double *values, size_t count, double part) {
  if (count == 0) return -1;
  qsort(values, count, sizeof *values, compare);
  return values[(size_t)(part * (count - 1) + 0.5)];
}

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "load: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, " (%s)\n", strerror(errno));
  let_cores_sleep();
  exit(2);
}

void figure(const char *name, double value) {
  static int number;
  printf("%s\"%s\": %.6g", number++ == 0 ? "{" : ", ", name, value);
}
