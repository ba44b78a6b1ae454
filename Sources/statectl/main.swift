print("statectl")
