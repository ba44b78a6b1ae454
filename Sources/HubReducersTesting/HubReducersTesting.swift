// HubReducersTesting
