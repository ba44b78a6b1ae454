// Standard error: one line for each error.

internal import HubSystem

/// Prints it after the program's name, with control characters escaped. Errors are ignored.
func complain(_ message: String) { StandardStream.error.write("statectl: \(ValueText.visible(message))\n") }
