// HubServer
