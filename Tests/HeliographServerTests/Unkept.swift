import RelayCore

/// Stands for the upkeep of a store in tests that need none of it.
struct Unkept: StoreUpkeep {
    var byteCount: Int64 { 0 }
    var isShortOfRoom: Bool { false }
    func keepRoom() -> Bool { true }
    func wouldTake(bytes: Int) -> Bool { true }
    var takesWrites: Bool { true }
    var damagedRecords: [DamagedRecord] { [] }
    func checkEverything() throws(LogError) -> [DamagedRecord]? { nil }
    func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64 { 0 }
}
