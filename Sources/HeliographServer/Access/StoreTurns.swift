import RelayCore
import RelayProtocol

/// Order of what waits for the store: callers take turns, so that none waits behind another's crowd, and changes go before lists.
struct StoreTurns<Work> {
    /// Who asked.
    enum Caller: Hashable {
        /// The relay itself or its own user, or another relay on the database.
        case relay
        case workspace(WorkspaceID)
        /// A caller without a token, by the address of its household.
        case address(String)
    }

    enum Kind: CaseIterable {
        /// What somebody waits for to get in or to shut somebody out.
        case change
        /// Reads for a person who looks.
        case list
    }

    /// Work that one caller may have waiting of each kind: a person with a few devices.
    static var perCallerMax: Int { 4 }
    /// … the relay itself: its own work is one of a kind.
    static var perRelayMax: Int { 32 }
    /// … all strangers together, and all workspaces; each holds a request.
    static var strangersMax: Int { 64 }
    static var workspacesMax: Int { 256 }
    /// Changes in a row while a list waits.
    static var changesInARowMax: Int { 3 }

    /// Work of one kind; every caller in `order` has some.
    private struct Line {
        var order: [Caller] = []
        var work: [Caller: [Work]] = [:]

        mutating func add(_ new: Work, of caller: Caller) {
            if work[caller] == nil { order.append(caller) }
            work[caller, default: []].append(new)
        }

        mutating func takeNext() -> Work? {
            guard let caller = order.first, var rest = work[caller] else { return nil }
            order.removeFirst()
            let next = rest.removeFirst()
            work[caller] = rest.isEmpty ? nil : rest
            if !rest.isEmpty { order.append(caller) }
            return next
        }
    }

    private var lines: [Kind: Line] = [:]
    private var changesInARow = 0

    /// False if too much of this caller's, or of all like it, waits already.
    mutating func add(_ work: Work, _ kind: Kind, of caller: Caller) -> Bool {
        let own = lines[kind]?.work[caller]?.count ?? 0
        switch caller {
        case .relay: guard own < Self.perRelayMax else { return false }
        case .workspace: guard own < Self.perCallerMax, count(where: \.isWorkspace) < Self.workspacesMax else { return false }
        case .address: guard own < Self.perCallerMax, count(where: \.isStranger) < Self.strangersMax else { return false }
        }
        lines[kind, default: Line()].add(work, of: caller)
        return true
    }

    /// Takes the next out; nil if nothing waits.
    mutating func takeNext() -> Work? {
        let isListDue = changesInARow >= Self.changesInARowMax
        if !isListDue, let work = lines[.change]?.takeNext() {
            changesInARow += 1
            return work
        }
        changesInARow = 0
        return lines[.list]?.takeNext() ?? lines[.change]?.takeNext()
    }

    private func count(where isCounted: (Caller) -> Bool) -> Int {
        lines.values.reduce(0) { sum, line in
            sum + line.work.reduce(0) { isCounted($1.key) ? $0 + $1.value.count : $0 }
        }
    }
}

extension StoreTurns.Caller {
    fileprivate var isWorkspace: Bool { if case .workspace = self { true } else { false } }
    fileprivate var isStranger: Bool { if case .address = self { true } else { false } }
}
