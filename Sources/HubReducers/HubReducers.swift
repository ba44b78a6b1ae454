@_exported public import HubClient
