// Who is let in when a hub is nearly full, by itself.

import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Room for another client")
struct AdmissionTests {
  private static let descriptors = 1000
  /// The last descriptor for any client, and the last one for whoever administers the hub.
  private static let any = Int32(descriptors - DescriptorLimit.keptBack(of: descriptors)) - 1
  private static let few = Int32(descriptors - DescriptorLimit.keptBack(of: descriptors) / 2) - 1

  private func admission(maxClients: Int, clients: Int) -> Admission {
    var admission = Admission(maxClients: maxClients, descriptors: AdmissionTests.descriptors)
    for _ in 0..<clients { admission.add(isExtra: false) }
    return admission
  }

  @Test("there is room for as many clients as the configuration allows, below the descriptors kept back")
  func clients() {
    let free = admission(maxClients: 3, clients: 2)
    #expect(free.hasRoom(for: 7) && free.hasRoom(for: AdmissionTests.any))
    #expect(!free.hasRoom(for: AdmissionTests.any + 1))
    #expect(free.fullness.contains("LimitNOFILE"))
    let full = admission(maxClients: 3, clients: 3)
    #expect(!full.hasRoom(for: 7))
    #expect(full.fullness.contains("maxClients"))
  }

  @Test("eight more administer a full hub, with half of the descriptors kept back, and take nobody's place")
  func extras() {
    var full = admission(maxClients: 1, clients: 1)
    #expect(full.hasExtraRoom(for: AdmissionTests.few) && !full.hasExtraRoom(for: AdmissionTests.few + 1))
    for _ in 0..<8 {
      #expect(full.hasExtraRoom(for: 7))
      full.add(isExtra: true)
    }
    #expect(!full.hasExtraRoom(for: 7))
    #expect(full.clients == 1 && full.count == 9 && full.extras == 8)
    full.remove(true, wasSession: true)
    #expect(full.hasExtraRoom(for: 7) && full.clients == 1 && full.count == 8)
    full.remove(false, wasSession: true)
    #expect(full.hasRoom(for: 7) && full.clients == 0 && full.extras == 7)
  }
}
