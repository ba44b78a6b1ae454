// What a test of a feature imports besides `HubReducers`: a hub in memory comes along. It declares nothing itself.

@_exported public import HubTesting
