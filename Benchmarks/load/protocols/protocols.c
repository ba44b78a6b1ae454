// The list of the protocols that the load generator speaks.
#include "../load.h"

extern const struct protocol statehub, statehub_every, floor_protocol, redis, mqtt, nats, nats_kv, dbus;

const struct protocol *const protocols[] = {
    &statehub, &statehub_every, &floor_protocol, &redis, &mqtt, &nats, &nats_kv, &dbus, NULL};
