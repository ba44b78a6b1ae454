// Standard error: one line for each thing that went wrong.

internal import HubSystem

/// Says it under the program's name, with nothing in it that a terminal would obey. Nothing can be done if that fails.
func complain(_ message: String) { StandardStream.error.write("statectl: \(ValueText.visible(message))\n") }
