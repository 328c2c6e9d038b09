/// Takes events for one page until its limits are reached.
struct PageBuilder {
    let limit: Int
    let bytesMax: Int
    private(set) var events: [[UInt8]] = []
    private var bytes = 0

    init(limit: Int, bytesMax: Int) {
        self.limit = limit
        self.bytesMax = bytesMax
    }

    /// False where it has no room; it takes none after that. The first always fits, or a page could never get past it.
    mutating func take(_ event: [UInt8]) -> Bool {
        guard events.count < limit, events.isEmpty || bytes + event.count <= bytesMax else { return false }
        bytes += event.count
        events.append(event)
        return true
    }
}
