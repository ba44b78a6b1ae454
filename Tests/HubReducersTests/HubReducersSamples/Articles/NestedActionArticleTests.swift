// The code of the article "Leveraging custom Reducers to manage actions in your TCA app" (Oliver Foggin, 2023-12-19),
// against a real hub, which the download asks.
//
// Changed: `internal` in backticks where it is declared; `Result` has its second parameter; the destinations and what
// the article leaves out between braces are written out. `NestedAction` is the library's, and in one place the article's.

public import HubReducers
import HubReducersTesting
import TestSupport
import Testing

public enum NestedActionArticle {
  // 1.
  @Reducer
  public struct NestedAction<State, Action, ChildAction> {
    // 2.
    @usableFromInline
    let toChildAction: AnyCasePath<Action, ChildAction>

    // 3.
    @usableFromInline
    let toEffect: (inout State, ChildAction) -> Effect<Action>

    @inlinable
    public init(
      _ toChildAction: CaseKeyPath<Action, ChildAction>,
      toEffect: @escaping (inout State, ChildAction) -> Effect<Action>
    ) {
      self.toChildAction = AnyCasePath(toChildAction)
      self.toEffect = toEffect
    }

    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
      // 4.
      guard let childAction = self.toChildAction.extract(from: action) else {
        return .none
      }

      // 5.
      return toEffect(&state, childAction)
    }
  }
}

private struct UserInfo: Codable, Equatable, Sendable {
  var name: String
}

@DependencyClient
private struct ClientDependency: Sendable {
  var downloadUserInfo: @Sendable () async -> Result<UserInfo, any Error> = { .failure(CancellationError()) }
}

extension ClientDependency: DependencyKey {
  static var testValue: Self {
    @Dependency(\.hub) var hub
    let user = hub.value("user", of: UserInfo.self)
    return Self {
      await withExternalWork("the download") {
        do { return .success(try await user.get()) } catch { return .failure(error) }
      }
    }
  }

  static var liveValue: Self { testValue }
}

@Reducer
private struct UserProfile {
  struct State: Equatable {
    var user: UserInfo
    var isFavourite = false
  }

  enum Action: Equatable, Sendable {
    case favouriteTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.isFavourite.toggle()
      return .none
    }
  }
}

@Reducer
private struct Feature {
  struct State: Equatable {
    var text = ""
    var history: [String] = []
    var userProfile: UserProfile.State?
    var isDismissed = false
  }

  enum Action {
    case view(ViewAction)
    case `internal`(InternalAction)
    case destination(PresentationAction<UserProfile.Action>)
    case delegate(DelegateAction)

    @CasePathable
    enum ViewAction: Equatable, Sendable {
      case onAppear
      case task
      case buttonTapped
      case closeButtonTapped
    }

    @CasePathable
    enum InternalAction: Sendable {
      case downloadResponse(Result<UserInfo, any Error>)
    }

    @CasePathable
    enum DelegateAction: Equatable, Sendable {
      case dismissFeature
    }
  }

  @Dependency(ClientDependency.self) var clientDependency

  var body: some ReducerOf<Self> {
    CombineReducers {
      NestedAction(\.view) { state, action in
        switch action {
        case .onAppear:
          state.text = "Hello, user!"
          return .none

        case .task:
          return .none

        case .buttonTapped:
          return .run { send in
            let userInfoResult = await clientDependency.downloadUserInfo()
            await send(.internal(.downloadResponse(userInfoResult)))
          }

        case .closeButtonTapped:
          return .send(.delegate(.dismissFeature))
        }
      }

      NestedActionArticle.NestedAction(\.internal) { state, action in
        switch action {
        case .downloadResponse(.success(let user)):
          state.text = "Hello, \(user.name)!"
          state.userProfile = UserProfile.State(user: user)
        case .downloadResponse(.failure(let error)):
          state.text = "\(error)"
        }
        return .none
      }

      NestedAction(\.delegate) { state, action in
        state.isDismissed = true
        return .none
      }

      NestedAction(\.destination) { state, action in
        .none
      }
    }
    .onChange(of: \.text) { oldValue, newValue in
      Reduce { state, action in
        state.history.append(oldValue)
        return .none
      }
    }
    .ifLet(\.userProfile, action: \.destination) {
      UserProfile()
    }
  }
}

@Suite struct NestedActionArticleTests {
  @Test(
    "nested actions are handled apart, their effects are the feature's, and changes are seen wherever they happen"
  )
  func article() async throws {
    let real = try RealHub()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.hub = real.hub
    }
    store.externalTimeout = .seconds(60)
    await store.send(.view(.onAppear)) {
      $0.text = "Hello, user!"
      $0.history = [""]
    }
    await store.send(.view(.buttonTapped))
    await store.withExhaustivity(.off) {
      await store.receive(\.internal.downloadResponse.failure) { $0.history = ["", "Hello, user!"] }
    }
    #expect(store.state.text.contains("user"), "the hub has no such store yet")

    let unknown = store.state.text
    try await real.other.value("user").set(UserInfo(name: "Ada"))
    await store.send(.view(.buttonTapped))
    await store.receive(\.internal.downloadResponse.success, UserInfo(name: "Ada")) {
      $0.text = "Hello, Ada!"
      $0.history.append(unknown)
      $0.userProfile = UserProfile.State(user: UserInfo(name: "Ada"))
    }
    await store.send(.destination(.presented(.favouriteTapped))) { $0.userProfile?.isFavourite = true }
    await store.send(.destination(.dismiss)) { $0.userProfile = nil }
    await store.send(.view(.closeButtonTapped))
    await store.receive(\.delegate.dismissFeature) { $0.isDismissed = true }
    await store.finish()
  }
}
