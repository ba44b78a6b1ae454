// Wrong on purpose: memory is read that was given back. The address sanitizer has to find it.

let memory = UnsafeMutablePointer<Int>.allocate(capacity: 8)
memory.initialize(repeating: 1, count: 8)
memory.deallocate()
print(memory[3])
