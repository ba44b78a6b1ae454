// Owns the declarations of the macros that HubMacros expands; their expansions use this module.

/// Gives an enum a case path for each of its cases, and makes it `CasePathable`.
///
/// ```swift
/// @CasePathable
/// enum Action {
///   case task
///   case numberChanged(Int)
/// }
///
/// if action.is(\.task) { print("it began") }
/// if let number = action[case: \.numberChanged] { print(number) }
/// ```
///
/// The payload of a case without values is `Void`, that of a case with one value is the value without its label, and
/// that of a case with several is a tuple with their labels. `#if` and `@available` around a case are kept. Case names
/// must differ in more than their labels, no nested type may have the enum's own name, and the enum must be copyable.
///
/// The design follows swift-case-paths: a type can also conform by hand.
@attached(member, names: named(AllCasePaths), named(allCasePaths))
@attached(extension, conformances: CasePathable)
public macro CasePathable() = #externalMacro(module: "HubMacrosPlugin", type: "CasePathableMacro")

/// Makes a struct, a class or an enum a `Reducer`, and its nested `Action` and `State` case-pathable where they are enums.
///
/// ```swift
/// @Reducer
/// struct Counter {
///   struct State: Equatable { var count = 0 }
///   enum Action { case increment }
///   var body: some ReducerOf<Self> {
///     Reduce { state, _ in
///       state.count += 1
///       return .none
///     }
///   }
/// }
/// ```
///
/// A `body` of type `some ReducerOf<...>` or `some Reducer<..., ...>` is built with `ReducerBuilder`,
/// unless it returns explicitly. A public struct that stores only dependencies becomes Sendable, so that its effects
/// can capture it; if a public struct stores anything else, declare it `: Sendable`. The macro does not see an
/// `Action` that is declared in an extension: put `@CasePathable` there. A nested enum `State` can be read by case:
/// `state.loaded`.
///
/// A struct or a class whose declaration has neither a `body` nor a `reduce(into:action:)` does nothing. It gets
/// whichever are missing of a `State` without properties, an `Action` without cases, and a `body`.
///
/// An enum is one feature composed of others, for a stack or a presentation. Each case names its feature:
/// ```swift
/// @Reducer
/// enum Screen {
///   case counter(Counter)
///   case search(Search = Search(find: find))
///   case welcome
/// }
/// ```
/// This generates `Screen.State` and `Screen.Action`, with a case for each feature's, and `Screen.body`. `forEach` and
/// `ifLet` take them without a closure. Declare additional conformances of the two in extensions.
@attached(
  member, names: named(State), named(Action), named(Body), named(body), named(CaseScope), named(scope)
)
@attached(memberAttribute)
@attached(extension, conformances: Reducer, CaseReducer, Sendable)
public macro Reducer() = #externalMacro(module: "HubMacrosPlugin", type: "ReducerMacro")

/// Marks a case of an enum with `@Reducer` as state without actions.
@attached(peer)
public macro ReducerCaseIgnored() = #externalMacro(module: "HubMacrosPlugin", type: "ReducerCaseIgnoredMacro")

/// Makes a state ``ObservableState``. It adds nothing else, because whatever is read through a store is observed.
@attached(extension, conformances: ObservableState)
public macro ObservableState() = #externalMacro(module: "HubMacrosPlugin", type: "ObservableStateMacro")

/// Gives a struct of closures an initialiser in which every closure is optional.
///
/// ```swift
/// @DependencyClient
/// struct NumberStore: Sendable {
///   var value: @Sendable () async -> AsyncStream<Int>
///   var updateValue: @Sendable (_ to: Int) async throws -> Void
///   var limit: @Sendable () -> Int = { 0 }
/// }
///
/// let store = NumberStore(value: { AsyncStream { $0.yield(1) } })
/// try await store.updateValue(to: 2)  // reports: NumberStore.updateValue is unimplemented
/// ```
///
/// A missing closure reports its name with `reportIssue` when it is called, which fails a test.
/// It then throws `Unimplemented`, returns nil or an ended stream, or just returns. If its type allows none of these,
/// the property needs a closure literal as its default value, whose result is returned after the report. Any other
/// default value, such as the name of a function, is an implementation and is used without a report. Properties that
/// are not closures, constants, and types
/// hidden behind a `typealias` are plain parameters, with their initial values as defaults.
///
/// A closure with named parameters, such as `(_ to: Int)`, gets a method with these labels.
///
/// The initialiser is as visible as the struct, but no more visible than any property it sets.
@attached(member, names: named(init), arbitrary)
public macro DependencyClient() = #externalMacro(module: "HubMacrosPlugin", type: "DependencyClientMacro")
