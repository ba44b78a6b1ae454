// Owns the protocol of states marked as observable.

/// A state whose properties are read one by one through a store, as any state's can be: `store.count`.
///
/// A store compares each property that was read with its value after a `send`, and notifies Observation of changes. So
/// a state needs no registrar, and this protocol has no members; it exists for code that uses `@ObservableState`.
public protocol ObservableState {}
