# Completion of statehub's command line, by the functions of statectl's.
functions -q __statehub_register; or source (status dirname)/statectl.fish
__statehub_register statehub
