// The import for tests of features, besides `HubReducers`; it includes a hub in memory. It declares nothing itself.

@_exported public import HubTesting
