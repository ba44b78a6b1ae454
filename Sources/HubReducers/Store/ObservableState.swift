// Owns the name of states that code from elsewhere marks as observable.

/// A state whose properties are read one by one through a store, as any state's can be: `store.count`.
///
/// A store compares each property that was read with what it is after a `send`, and tells Observation of those that changed.
/// So a state needs no registrar, and this protocol no members; it is there for code that is written with `@ObservableState`.
public protocol ObservableState {}
