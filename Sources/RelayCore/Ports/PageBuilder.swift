/// Collects the events of one page until a limit is reached.
package struct PageBuilder {
    package let limit: Int
    package let bytesMax: Int
    package private(set) var events: [[UInt8]] = []
    private var bytes = 0

    package init(limit: Int, bytesMax: Int) {
        self.limit = limit
        self.bytesMax = bytesMax
    }

    /// Adds an event; false if it does not fit, and then none is added any more. The first always fits, or a page could never get
    /// past it.
    package mutating func take(_ event: consuming [UInt8]) -> Bool {
        guard events.count < limit, events.isEmpty || bytes + event.count <= bytesMax else { return false }
        bytes += event.count
        events.append(event)
        return true
    }
}
