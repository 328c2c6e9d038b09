extension LogPage {
    /// From a log that has `count` events at hand, from the number `first` on: those after a number.
    package init(
        from first: Int64, count: Int, after: Int64, limit: Int, bytesMax: Int, event: (Int64) -> [UInt8]
    ) {
        let numbers = (first..<first + Int64(count)).clamped(to: min(max(after, 0), .max - 1) + 1..<Int64.max)
        self.init(numbers, PageBuilder(limit: limit, bytesMax: bytesMax), event)
    }

    /// Those before a number, the nearest of them.
    package init(
        from first: Int64, count: Int, before: Int64, limit: Int, bytesMax: Int, event: (Int64) -> [UInt8]
    ) {
        let numbers = (first..<first + Int64(count)).clamped(to: 0..<max(before, 0)).reversed()
        self.init(numbers, PageBuilder(limit: limit, bytesMax: bytesMax), event)
        events.reverse()
    }

    /// `first` is the least of the numbers that were taken.
    private init(_ numbers: some Sequence<Int64>, _ builder: PageBuilder, _ event: (Int64) -> [UInt8]) {
        var (builder, least) = (builder, Int64.max)
        for number in numbers {
            guard builder.take(event(number)) else { break }
            least = min(least, number)
        }
        self.init(first: builder.events.isEmpty ? 0 : least, events: builder.events)
    }
}
