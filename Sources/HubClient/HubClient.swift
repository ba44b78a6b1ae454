// HubClient
