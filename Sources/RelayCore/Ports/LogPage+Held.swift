extension LogPage {
    /// The page after the number `after`, from a log that holds `count` events in memory, from the number `first` on.
    package init(
        from first: Int64, count: Int, after: Int64, limit: Int, bytesMax: Int, event: (Int64) -> [UInt8]
    ) {
        let numbers = (first..<first + Int64(count)).clamped(to: min(max(after, 0), .max - 1) + 1..<Int64.max)
        self.init(numbers, PageBuilder(limit: limit, bytesMax: bytesMax), event)
    }

    /// The page of events before a number, from events in memory: those nearest to it.
    package init(
        from first: Int64, count: Int, before: Int64, limit: Int, bytesMax: Int, event: (Int64) -> [UInt8]
    ) {
        let numbers = (first..<first + Int64(count)).clamped(to: 0..<max(before, 0)).reversed()
        self = LogPage(numbers, PageBuilder(limit: limit, bytesMax: bytesMax), event).turned
    }

    /// Takes events by their numbers. `first` is the first number taken, 0 if none.
    private init(_ numbers: some Collection<Int64>, _ builder: PageBuilder, _ event: (Int64) -> [UInt8]) {
        var builder = builder
        for number in numbers { guard builder.take(event(number)) else { break } }
        self.init(first: builder.events.isEmpty ? 0 : numbers.first ?? 0, events: builder.events)
    }
}
