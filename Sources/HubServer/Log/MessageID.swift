// The log lines that the journal's catalogue explains (systemd/catalog/statehub.catalog), each with a permanent number.

/// What happened, as `journalctl MESSAGE_ID=...` finds it. The raw values are random 128-bit numbers and never change.
enum MessageID: String, CaseIterable {
  case started = "f47b267af3174f0585b90a9486c9d4ec"
  case stopped = "961628303b154e32a6ef9713bbd2bd9c"
  case cannotServe = "a15f803bd5144af1a7fd56a866fc3053"
  case reloadRefused = "e095c2ea56844ea89e6fc2a2fb0f5f2a"
  case handedOver = "db401309fa244b6691663c5d937f9a92"
  case handoffFailed = "9936359e793f41c38760c5e4d20da36e"
  case descriptorsExhausted = "039255804ce348aa8bb4efc0921e8137"
  case tooManyClients = "f3d7beffea824fe68f1c1c48508b241e"
  case userLimit = "0eb2ac4791c34c509d5ce1b8b5652cd6"
  case limitMet = "9f6602e5574948778689c7a2172fed06"
  case slowedDown = "6ce40458705847f9b363e1560be2ca2b"
  case acceptFailed = "40adf3d8c6ea42419f3b55246c93cb63"
  case notReading = "45864dfb54ac4e13abfa1ac7f6caaf4f"
  case brokenFrames = "f26e2512b88b44e3871ff51a0ed10654"
  case storageFails = "ea0bfc1653534d09a2d066e0592541e0"
  case storageWorks = "2ae9499ce8a649809d5dddb35f92ac16"
  case diskSlow = "7c1de5b43c2a4f0f9a5be0d1c8736a52"
  case snapshotFails = "e47348dd441c401db29609aa402fcd81"
}
