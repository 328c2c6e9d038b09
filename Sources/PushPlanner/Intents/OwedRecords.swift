import RelayModel

/// Records that the planner staged and the disk has refused: they are staged again with the next batch.
struct OwedRecords {
    private var records: [PushRecord] = []
    private var orders: [PushIntent] = []

    var isEmpty: Bool { records.isEmpty }
    var count: Int { records.count }

    mutating func add(_ records: [PushRecord], _ orders: [PushIntent]) {
        self.records = PushRecord.latest(self.records + records)
        self.orders += orders
    }

    /// Takes all of them; nil if there are none.
    mutating func take() -> (records: [PushRecord], orders: [PushIntent])? {
        guard !records.isEmpty else { return nil }
        defer { self = OwedRecords() }
        return (records, orders)
    }
}
