// Updates to many subscribers: how long one takes to reach the first and the last of them, and how many get through when
// the next ones follow at once.
#include "load.h"

#include <sys/socket.h>

enum { SAMPLES = 200000, WARM_UP = 20, FEWEST = 5, PATIENCE = 10000000, SLICES = 8 };

static struct connection publisher;

static void publish(uint64_t update, int count) {
  size_t length = 0;
  for (int index = 0; index < count; index++, update++) {
    const char *key = key_name(update % options.keys);
    length += options.protocol->publish(&publisher, encoded + length, key, first_value + 1 + update);
  }
  if (send_all(publisher.descriptor, encoded, length) != 0) fail("%s took no update", options.protocol->name);
}

/// Replies to updates are read, and do not matter.
static void drain(void) {
  while (pump(&publisher, MSG_DONTWAIT) > 0) {}
}

static void start(void) {
  struct subscribers plan = {
      .count = options.subscribers,
      .processes = options.processes,
      .keys = options.keys,
      .pattern = options.pattern,
      .threads = options.threads,
      .reading = true,
      .pinned = options.pinned,
  };
  if (start_subscribers(plan) != 0) fail("%s took no %d subscribers", options.protocol->name, plan.count);
  open_connection(&publisher);
  if (options.protocol->dial(&publisher, options.address) != 0) fail("%s took no publisher", options.protocol->name);
}

/// One update in flight.
void measure_latency(void) {
  double *first = malloc(SAMPLES * sizeof *first), *last = malloc(SAMPLES * sizeof *last);
  uint64_t updates = 0, receivers = options.subscribers;
  size_t samples = 0;
  int lost = 0;
  double began = 0, broker = 0, readers = 0;
  start();
  while (samples < SAMPLES && lost < 3) {
    if (updates == WARM_UP) began = now(), broker = cpu_time(options.broker), readers = subscribers_cpu();
    if (samples >= FEWEST && now() - began > options.seconds * 1e6) break;
    uint64_t before = updates * receivers, target = before + receivers;
    expect_deliveries(before, target);
    double sent = now();
    publish(updates++, 1);
    if (!await_deliveries(target, PATIENCE)) {
      lost++;
      give_up_on(target);
    } else if (updates > WARM_UP) {
      first[samples] = progress->first - sent;
      last[samples++] = progress->last - sent;
    }
    drain();
  }
  double elapsed = now() - began, deliveries = (double)samples * receivers;
  broker = cpu_time(options.broker) - broker;
  readers = subscribers_cpu() - readers;
  struct tally tally = stop_subscribers();
  figure("first_p50_us", percentile(first, samples, 0.5));
  figure("last_p50_us", percentile(last, samples, 0.5));
  figure("last_p99_us", percentile(last, samples, 0.99));
  figure("broker_us_per_delivery", broker / deliveries);
  figure("subscriber_us_per_delivery", readers / deliveries);
  figure("broker_busy", broker / elapsed);
  figure("samples", samples);
  figure("missing", lost + tally.gaps);
}

/// What a part of a run has cost, and how much it has moved: the worst of them tell whether a broker is steady.
static struct {
  double end, time, broker, deliveries, dearest, slowest;
} slices;

static void begin_slices(double time, double broker) {
  slices.time = time;
  slices.broker = broker;
  slices.deliveries = delivered();
  slices.end = time + options.seconds * 1e6 / SLICES;
  slices.dearest = 0;
  slices.slowest = -1;
}

static void note_slice(double time) {
  if (time < slices.end) return;
  double broker = cpu_time(options.broker), deliveries = delivered() - slices.deliveries;
  double cost = (broker - slices.broker) / deliveries, rate = deliveries / (time - slices.time) * 1e6;
  double dearest = slices.dearest > cost ? slices.dearest : cost;
  double slowest = slices.slowest < 0 || rate < slices.slowest ? rate : slices.slowest;
  begin_slices(time, broker);
  slices.dearest = dearest;
  slices.slowest = slowest;
}

/// A window of updates in flight: a quarter of it is sent in one write whenever that much has been delivered.
void measure_throughput(void) {
  start();
  uint64_t receivers = options.pattern ? options.subscribers : options.subscribers / options.keys;
  uint64_t window = options.window, part = window / 4 > 0 ? window / 4 : 1, sent = options.keys;
  publish(0, options.keys);
  if (!await_deliveries(sent * receivers, PATIENCE)) fail("%s delivered nothing", options.protocol->name);
  drain();
  uint64_t before = sent;
  int stalls = 0;
  double began = now(), broker = cpu_time(options.broker), readers = subscribers_cpu();
  begin_slices(began, broker);
  for (double time = began; time - began < options.seconds * 1e6 && stalls < 3; time = now()) {
    note_slice(time);
    uint64_t known = delivered() / receivers, room = window - (sent - known);
    if (sent - known > window - part) {
      if (!await_deliveries((sent - window + part) * receivers, PATIENCE)) stalls++;
      continue;
    }
    publish(sent, room);
    sent += room;
    drain();
  }
  if (!await_deliveries(sent * receivers, PATIENCE)) stalls++;
  double elapsed = now() - began;
  broker = cpu_time(options.broker) - broker;
  readers = subscribers_cpu() - readers;
  struct tally tally = stop_subscribers();
  double deliveries = (double)tally.deliveries - before * receivers;
  figure("deliveries_per_s", deliveries / elapsed * 1e6);
  figure("megabytes_per_s", deliveries / elapsed * options.size);
  if (slices.slowest >= 0) {
    figure("slowest_megabytes_per_s", slices.slowest / 1e6 * options.size);
    figure("dearest_us_per_delivery", slices.dearest);
  }
  figure("updates_per_s", (sent - before) / elapsed * 1e6);
  figure("broker_us_per_delivery", broker / deliveries);
  figure("subscriber_us_per_delivery", readers / deliveries);
  figure("broker_busy", broker / elapsed);
  figure("missing", (double)(sent * receivers) - tally.deliveries);
  figure("gaps", tally.gaps);
  figure("stalls", stalls);
}
