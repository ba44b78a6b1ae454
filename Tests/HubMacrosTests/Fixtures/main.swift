// Owns the program that runs what the other files declare, and says so at its end.

func check(_ conditions: Bool..., line: Int = #line) {
  guard conditions.allSatisfy({ $0 }) else { fatalError("line \(line): \(conditions)") }
}

checkCasePaths()
checkHarderCasePaths()
checkReducers()
await checkEnumReducers()
await checkClients()
print("all checks passed")
