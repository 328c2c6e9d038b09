package import RelayProtocol

/// A page of approvals of one host's sessions, the newest first.
package struct ApprovalPage: Sendable {
    package private(set) var entries: [KeptRequest] = []
    /// Number before which the next page begins; nil if there is none.
    package private(set) var next: Int64?

    private let limit: Int
    private let bytesMax: Int
    private var taken = 0
    private var bytes = 0
    private var last: Int64?

    /// `limit`: approvals at most; `bytesMax`: bytes at most in sum. A single approval above `bytesMax` is left out.
    package init(limit: Int, bytesMax: Int) {
        self.limit = limit
        self.bytesMax = bytesMax
    }

    /// Counts an approval in; returns false if the page is full and this approval begins the next.
    package mutating func takes(_ number: Int64, bytes count: Int) -> Bool {
        let isTooLarge = count > bytesMax
        guard taken < limit, isTooLarge || bytes + count <= bytesMax else {
            next = last
            return false
        }
        taken += 1
        last = number
        if !isTooLarge { bytes += count }
        return true
    }

    /// Adds the approval that was just counted in, unless it is too large or damaged.
    package mutating func add(_ approval: Approval?, in folder: String?) {
        if let approval, approval.bytes.count <= bytesMax { entries.append(KeptRequest(folder: folder, approval: approval)) }
    }

    /// Builds the page from all approvals, in any order.
    package init(
        of all: [(summary: Summary?, approval: Approval)], before: Int64, limit: Int, bytesMax: Int
    ) {
        self.init(limit: limit, bytesMax: bytesMax)
        let inOrder = all.sorted {
            ($0.approval.requestedAt, $0.approval.id.rawValue) < ($1.approval.requestedAt, $1.approval.id.rawValue)
        }
        for (number, entry) in zip(Int64(1)..., inOrder).reversed() where number < before {
            guard takes(number, bytes: entry.approval.bytes.count) else { return }
            add(entry.approval, in: entry.summary?.place)
        }
    }
}

extension Summary {
    /// The full path of the session's folder; nil if it is unknown or shortened.
    package var place: String? { (folder ?? workingDirectory).flatMap { $0.hasPrefix("/") ? $0 : nil } }
}
