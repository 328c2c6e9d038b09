import RelayProtocol
import Testing

/// What is written by hand, held against the table.
@Suite("The wire's table and what reads and writes")
struct WireCodecTests {
    /// What is read of a message, with what is written of that.
    private typealias Codec = @Sendable ([UInt8]) throws(WireError) -> (value: Any, bytes: [UInt8])

    private static func codec(_ direction: WireMessage.Direction) -> Codec {
        switch direction {
        case .hostToRelay:
            { bytes throws(WireError) in
                let message = try HostMessage(parsing: bytes)
                return (message, message.bytes)
            }
        case .relayToHost:
            { bytes throws(WireError) in
                let message = try MessageToHost(parsing: bytes)
                return (message, message.bytes)
            }
        case .clientToRelay:
            { bytes throws(WireError) in
                do throws(ClientMessageError) {
                    let message = try ClientMessage(parsing: bytes)
                    return (message, message.bytes)
                } catch { throw error.error }
            }
        case .relayToClient:
            { bytes throws(WireError) in
                let message = try MessageToClient(parsing: bytes)
                return (message, message.bytes)
            }
        }
    }

    private static let head: Codec = { bytes throws(WireError) in
        let event = try Event(stored: bytes)
        return (event.head, Event(event.head, at: event.at).bytes)
    }

    // MARK: - Every field is read and written

    @Test(
        "every message is read and written with the fields of the table, and no other",
        arguments: WireMessage.Direction.allCases)
    func messages(_ direction: WireMessage.Direction) throws {
        for message in WireTable.messages(direction) {
            let examples = WireExamples.of(message.fields).map {
                JSONTree.object($0.merging(["type": .text(message.type)]) { $1 })
            }
            try check("\(direction.rawValue) \(message.type)", examples, Self.codec(direction))
        }
    }

    @Test("every head is read and written with the fields of the table, and no other", arguments: EventKind.allCases)
    func heads(_ kind: EventKind) throws { try check(kind.rawValue, Self.events(kind), Self.head) }

    private static func events(_ kind: EventKind) -> [JSONTree] {
        WireExamples.of(WireTable.head(kind).fields).map {
            .object(["kind": .text(kind.rawValue), "at": .plain("1"), "head": .object($0)])
        }
    }

    private func check(_ name: String, _ examples: [JSONTree], _ codec: Codec) throws {
        var empty: [Set<String>] = []
        var seen: Set<String> = []
        for example in examples {
            let (value, bytes) = try codec(example.bytes)
            #expect(try JSONTree(parsing: bytes) == example, "\(name) is not written as it was read")
            var look = Emptiness()
            look.look(at: value, "")
            empty.append(look.empty)
            seen.formUnion(look.filled)
        }
        // With every field of the table there is nothing left that is absent: what still is has no field.
        let unknown = empty.reduce(Set<String>()) { $0.union($1) }.subtracting(seen).subtracting(Self.ofOthers)
        #expect(unknown.isEmpty, "\(name): the table has no field for these")
    }

    /// A notice to a client, or in a reply, names no session.
    private static let ofOthers: Set<String> = [".notice.session", ".reply.1.failed.0.session"]

    // MARK: - Everything else is refused

    @Test(
        "what the table does not allow is refused by its place, and the rest is taken",
        arguments: WireMessage.Direction.allCases)
    func mutations(_ direction: WireMessage.Direction) {
        let isOfPeers = direction == .hostToRelay || direction == .clientToRelay
        for message in WireTable.messages(direction) {
            for fields in WireExamples.of(message.fields) {
                let example = JSONTree.object(fields.merging(["type": .text(message.type)]) { $1 })
                for mutation in WireMutation.all(message.fields, in: example, events: direction == .hostToRelay)
                where (isOfPeers || !mutation.isBound) && mutation.path != message.onlyWith.map({ [.member($0)] }) {
                    judge(mutation, of: example, "\(direction.rawValue) \(message.type)", Self.codec(direction))
                }
            }
        }
    }

    @Test(
        "what the table does not allow in a head is refused by its place, and the rest is taken", arguments: EventKind.allCases)
    func headMutations(_ kind: EventKind) {
        for event in Self.events(kind) {
            for mutation in WireMutation.all(WireTable.head(kind).fields, in: event, at: [.member("head")], events: true) {
                judge(mutation, of: event, kind.rawValue, Self.head)
            }
        }
    }

    private func judge(_ mutation: WireMutation, of example: JSONTree, _ name: String, _ codec: Codec) {
        let place = mutation.path.spelled
        let changed = example.replacing(mutation.path[...], with: mutation.value)
        do throws(WireError) {
            _ = try codec(changed.bytes)
            #expect(
                mutation.expected == .taken || Self.isUnread("\(name) \(place)"),
                "\(name) \(place) \(mutation.what): it was taken")
        } catch {
            #expect(
                mutation.expected == .refused(error.code) && error.path == place,
                "\(name) \(place) \(mutation.what): \(error.code) at \(error.path)")
        }
    }

    /// What our own readers do not look at in what the relay says: what they have no use for, what they take from elsewhere, and what they
    /// carry as it is.
    private static func isUnread(_ place: String) -> Bool {
        guard place.hasPrefix("relay-to-") else { return false }
        let ends = [".host.connected", ".context", "hold $.sessions", "$.version", "$.approval.approval", "].approval"]
        let within = ["welcome $.limits", " $.events[", "reply $.devices[", "reply $.budgets[", "push $.push"]
        return ends.contains(where: place.hasSuffix) || within.contains(where: place.contains)
    }
}

/// Looks for what is nil, false, zero or has nothing in it.
private struct Emptiness {
    var empty: Set<String> = []
    var filled: Set<String> = []

    mutating func look(at value: Any, _ path: String) {
        let mirror = Mirror(reflecting: value)
        switch (mirror.displayStyle, value) {
        case (.optional, _):
            note(path, isEmpty: mirror.children.isEmpty)
            if let some = mirror.children.first { look(at: some.value, path) }
        case (.collection, _), (.set, _):
            note(path, isEmpty: mirror.children.isEmpty)
            for child in mirror.children { look(at: child.value, path + "[]") }
        case (_, let flag as Bool): note(path, isEmpty: !flag)
        case (_, let number as Int64): note(path, isEmpty: number == 0)
        case (_, let text as String): note(path, isEmpty: text.isEmpty)
        default:
            for (place, child) in mirror.children.enumerated() {
                let label = child.label.map { $0.drop { $0 == "." } } ?? "\(place)"
                look(at: child.value, "\(path).\(label)")
            }
        }
    }

    private mutating func note(_ path: String, isEmpty: Bool) {
        if isEmpty { empty.insert(path) } else { filled.insert(path) }
    }
}
