/// Parallel runs of many seeds.
enum SideBySide {
    /// Tasks at once: more than most machines have cores; the thread pool runs only as many as there are.
    private static let countMax = 16

    /// Outcomes of the seeds, in the order in which they end.
    static func outcomes<Outcome: Sendable>(
        of seeds: Range<UInt64>, _ run: @escaping @Sendable (UInt64) -> Outcome
    ) -> AsyncStream<Outcome> {
        AsyncStream { stream in
            let task = Task {
                await withTaskGroup(of: Outcome.self) { group in
                    var rest = seeds.makeIterator()
                    func next() {
                        guard let seed = rest.next() else { return }
                        group.addTask { run(seed) }
                    }
                    for _ in 0..<countMax { next() }
                    for await outcome in group {
                        stream.yield(outcome)
                        if Task.isCancelled { break }
                        next()
                    }
                }
                stream.finish()
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }
}
