// RelayStore
