// The one import of a program that uses reducers: HubClient comes with it. It holds nothing of its own.

@_exported public import HubClient
