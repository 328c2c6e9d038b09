/// The event kinds that this version's reducer knows. Others are stored and carried unchanged.
package enum EventKind: String, Sendable, CaseIterable {
    case sessionStarted = "session.started"
    case sessionRenamed = "session.renamed"
    case sessionEnded = "session.ended"
    case statusChanged = "status.changed"
    case message
    case toolStarted = "tool.started"
    case toolFinished = "tool.finished"
    case fileChanged = "file.changed"
    case todoChanged = "todo.changed"
    case usage
    case approvalRequested = "approval.requested"
    case approvalDecided = "approval.decided"
    case approvalDelivered = "approval.delivered"
    case approvalApplied = "approval.applied"
    case approvalExpired = "approval.expired"
    case approvalCancelled = "approval.cancelled"
    case approvalStale = "approval.stale"
    case subagentStarted = "subagent.started"
    case subagentFinished = "subagent.finished"
    case budgetCrossed = "budget.crossed"
    case steeringOffered = "steering.offered"
    case steeringRequested = "steering.requested"
    case steeringChanged = "steering.changed"
    case steeringTyped = "steering.typed"
    case error
    case truncated
    case rewound

    /// Returns the kind that these bytes spell; nil if this version has none. Faster than `init(rawValue:)`, which compares each
    /// kind as text, one after the other: as much work as decoding the rest of an event's head.
    init?(spelledBy bytes: Span<UInt8>) {
        guard let spelling = Spelling(bytes) else { return nil }
        for (kind, its) in Self.spellings where its == spelling {
            self = kind
            return
        }
        return nil
    }

    /// Returns the kind that a member names, if its text has no escapes.
    init?(plain key: StaticString, of value: JSONValue) {
        guard let text = value.plainText(key) else { return nil }
        let bytes = value.document.bytes
        self.init(spelledBy: bytes.span.extracting(text))
    }

    private static let spellings = allCases.map { kind in
        let name = Array(kind.rawValue.utf8)
        guard let spelling = Spelling(name.span) else { preconditionFailure("a kind has at most 24 letters") }
        return (kind: kind, spelling: spelling)
    }

    /// Up to 24 bytes as three numbers, padded with zeros, and their count.
    private struct Spelling: Equatable {
        private let count: Int
        private var first: UInt64 = 0
        private var second: UInt64 = 0
        private var third: UInt64 = 0

        init?(_ bytes: Span<UInt8>) {
            guard bytes.count <= 3 * 8, !bytes.isEmpty else { return nil }
            count = bytes.count
            first = Self.word(bytes, from: 0)
            second = Self.word(bytes, from: 8)
            third = Self.word(bytes, from: 16)
        }

        private static func word(_ bytes: Span<UInt8>, from start: Int) -> UInt64 {
            var word: UInt64 = 0
            var index = min(start + 8, bytes.count)
            while index > start {
                index -= 1
                word = word << 8 | UInt64(bytes[index])
            }
            return word
        }
    }

    /// True if the text can be a kind in some version: one or more of `A-Z a-z 0-9 . _ -`. Every store can hold these characters;
    /// PostgreSQL's text, for example, has no NUL.
    package static func isSpelled(_ kind: String) -> Bool {
        !kind.isEmpty
            && kind.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// True if only the relay may write this kind: a host that could would decide in a person's place.
    package var isMadeByRelay: Bool {
        switch self {
        case .approvalDecided, .approvalExpired, .budgetCrossed, .steeringRequested: true
        default: false
        }
    }
}
