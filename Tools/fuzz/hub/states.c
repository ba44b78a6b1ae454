// The states that a run has seen, where libFuzzer looks for progress besides new code.
__attribute__((section("__libfuzzer_extra_counters"))) unsigned char seen_states[1 << 14];

unsigned char *hub_states(void) { return seen_states; }
