// The one import of a program that uses reducers: HubClient comes with it. It declares nothing itself.

@_exported public import HubClient
