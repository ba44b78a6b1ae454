// Owns the protocol of states marked as observable.

/// Marks a state whose properties are read individually through a store: `store.count`. That works for any state.
///
/// A store compares each property that was read with its value after a `send`, and notifies Observation of changes. So
/// a state needs no registrar, and this protocol has no members: it exists for code that uses `@ObservableState`.
public protocol ObservableState {}
