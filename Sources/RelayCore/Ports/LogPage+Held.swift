extension LogPage {
    /// From a log that has `count` events at hand, from the number `first` on: those after a number.
    package init(
        from first: Int64, count: Int, after: Int64, limit: Int, bytesMax: Int, event: (Int64) -> [UInt8]
    ) {
        let numbers = (first..<first + Int64(count)).clamped(to: min(max(after, 0), .max - 1) + 1..<Int64.max)
        self.init(numbers, PageBuilder(limit: limit, bytesMax: bytesMax), event)
    }

    /// A page of the held events before a number, the nearest of them.
    package init(
        from first: Int64, count: Int, before: Int64, limit: Int, bytesMax: Int, event: (Int64) -> [UInt8]
    ) {
        let numbers = (first..<first + Int64(count)).clamped(to: 0..<max(before, 0)).reversed()
        self = LogPage(numbers, PageBuilder(limit: limit, bytesMax: bytesMax), event).turned
    }

    /// `first` is the first of the numbers, and 0 where none was taken.
    private init(_ numbers: some Collection<Int64>, _ builder: PageBuilder, _ event: (Int64) -> [UInt8]) {
        var builder = builder
        for number in numbers { guard builder.take(event(number)) else { break } }
        self.init(first: builder.events.isEmpty ? 0 : numbers.first ?? 0, events: builder.events)
    }
}
