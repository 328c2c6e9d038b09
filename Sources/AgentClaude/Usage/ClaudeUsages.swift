internal import HostCore
internal import RelayProtocol

/// The usage of a conversation, for each process that has taken part in it: each counts its own, and several can have it open.
struct ClaudeUsages {
    /// Processes whose usage is kept; those of a later one are counted anew.
    private static let otherMax = 8

    /// Usage of the process that reported last.
    var present = ClaudeUsage()
    private(set) var owner: AgentProcess?
    private var others: [(process: AgentProcess, usage: ClaudeUsage)] = []

    init() {}

    /// Makes the usage of that process the present one. A new process's begins with the figures of the one before, of which its own
    /// first figure may be the continuation.
    mutating func bring(_ process: AgentProcess) {
        guard process != owner else { return }
        if let owner {
            others.append((owner, present))
            if others.count > Self.otherMax { others.removeFirst() }
        }
        if let place = others.firstIndex(where: { $0.process == process }) {
            let prices = present.prices
            present = others.remove(at: place).usage
            present.prices = prices
        }
        owner = process
    }

    mutating func forgetAllButLast() { others.removeFirst(max(0, others.count - 1)) }

    /// The run in `session.started`.
    func run(of process: AgentProcess?) -> String? {
        (([present] + others.map(\.usage)).first { $0.process == process } ?? present).run(of: process)
    }

    /// Claude's last figure in that process; nil if it has reported none.
    func rawMicroUSD(of process: AgentProcess) -> Int64? {
        ([present] + others.map(\.usage)).first { $0.process == process }?.rawMicroUSD
    }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        present.write(to: &writer)
        if let owner { writer.object("usageOwner") { owner.write(to: &$0) } }
        guard !others.isEmpty else { return }
        let notes = others.map { other in
            JSONWriter.object {
                $0.object("owner") { other.process.write(to: &$0) }
                other.usage.write(to: &$0)
            }
        }
        writer.array("usages", notes)
    }

    /// `process`: the session's, which an earlier version does not name again.
    init(from note: JSONValue, by process: AgentProcess?) {
        present = ClaudeUsage(from: note)
        owner = note.optional("usageOwner").flatMap { AgentProcess(from: $0) } ?? present.process ?? process
        others = note.list("usages").prefix(Self.otherMax).compactMap { other in
            other.optional("owner").flatMap { AgentProcess(from: $0) }.map { ($0, ClaudeUsage(from: other)) }
        }
    }
}
