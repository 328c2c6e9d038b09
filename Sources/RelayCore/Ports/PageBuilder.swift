/// Takes events for one page until its limits are reached.
package struct PageBuilder {
    package let limit: Int
    package let bytesMax: Int
    package private(set) var events: [[UInt8]] = []
    private var bytes = 0

    package init(limit: Int, bytesMax: Int) {
        self.limit = limit
        self.bytesMax = bytesMax
    }

    /// False if there is no room; it takes none after that. The first always fits, or a page could never get past it.
    package mutating func take(_ event: consuming [UInt8]) -> Bool {
        guard events.count < limit, events.isEmpty || bytes + event.count <= bytesMax else { return false }
        bytes += event.count
        events.append(event)
        return true
    }
}
