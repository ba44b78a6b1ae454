/// HubCore owns the vocabulary, the wire format and the hub as a pure value. It never touches a descriptor, clock or thread.
public enum HubCore {}
