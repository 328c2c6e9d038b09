import HeliographTestSupport
import RelayProtocol
import Testing

/// Hand-written codecs, checked against the table.
@Suite("The wire's table and what reads and writes")
struct WireCodecTests {
    private static func codec(_ direction: WireMessage.Direction) -> FieldCheck.Codec {
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

    private static let head: FieldCheck.Codec = { bytes throws(WireError) in
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
            let check = FieldCheck("\(direction.rawValue) \(message.type)", Self.codec(direction))
            let faults = try check.writingFaults(examples, exempt: Self.ofOthers)
            #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
        }
    }

    @Test("every head is read and written with the fields of the table, and no other", arguments: EventKind.allCases)
    func heads(_ kind: EventKind) throws {
        let faults = try FieldCheck(kind.rawValue, Self.head).writingFaults(Self.events(kind), exempt: Self.ofBodies)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    private static func events(_ kind: EventKind) -> [JSONTree] {
        WireExamples.of(WireTable.head(kind).fields).map {
            .object(["kind": .text(kind.rawValue), "at": .plain("1"), "head": .object($0)])
        }
    }

    /// Fields that do not occur: a notice to a client, or in a reply, names no session, and no event of it; one to a host, or in a reply,
    /// no limit; a look at a terminal has no signature; a list of past sessions starts nothing; a picture's content goes by HTTP.
    private static let ofOthers: Set<String> = Set(
        [
            ".notice.session", ".reply.1.failed.0.session", ".answered.1.failed.session", ".screen.signature",
            ".notice.seq", ".reply.1.failed.0.seq", ".answered.1.failed.seq",
            ".command.1.screen.signature", ".notice.limit", ".reply.1.failed.0.limit", ".answered.1.failed.limit",
        ]
            + [".steer.action", ".command.1.steer.1"].flatMap { place in
                ["prompt.pictures[].content", "launch.pictures[].content"].map { "\(place).\($0)" }
                    + ["mode", "model", "text", "pictures"].map { "\(place).launch.\($0)" }
            })
    /// Fields of steering that are in the event's body.
    private static let ofBodies: Set<String> = [
        ".steeringRequested.launch.text", ".steeringRequested.launch.pictures", ".steeringChanged.past",
        ".steeringChanged.tried",
    ]

    // MARK: - Everything else is refused

    @Test(
        "what the table does not allow is refused by its place, and the rest is taken",
        arguments: WireMessage.Direction.allCases)
    func mutations(_ direction: WireMessage.Direction) {
        let isOfPeers = direction == .hostToRelay || direction == .clientToRelay
        for message in WireTable.messages(direction) {
            let check = FieldCheck("\(direction.rawValue) \(message.type)", Self.codec(direction))
            for fields in WireExamples.of(message.fields) {
                let example = JSONTree.object(fields.merging(["type": .text(message.type)]) { $1 })
                for mutation in WireMutation.all(message.fields, in: example, events: direction == .hostToRelay)
                where (isOfPeers || !mutation.isBound) && mutation.path != message.onlyWith.map({ [.member($0)] }) {
                    if let fault = check.fault(mutation, of: example, isUnread: Self.isUnread) { Issue.record("\(fault)") }
                }
            }
        }
    }

    @Test(
        "what the table does not allow in a head is refused by its place, and the rest is taken", arguments: EventKind.allCases)
    func headMutations(_ kind: EventKind) {
        let check = FieldCheck(kind.rawValue, Self.head)
        for event in Self.events(kind) {
            for mutation in WireMutation.all(WireTable.head(kind).fields, in: event, at: [.member("head")], events: true) {
                if let fault = check.fault(mutation, of: event) { Issue.record("\(fault)") }
            }
        }
    }

    /// Fields from the relay that our own readers ignore: those that they have no use for, take from elsewhere, or pass through.
    private static func isUnread(_ place: String) -> Bool {
        guard place.hasPrefix("relay-to-") else { return false }
        let ends = [".host.connected", ".context", "hold $.sessions", "$.version", "$.approval.approval", "].approval"]
        let within = [
            "welcome $.limits", " $.events[", "reply $.devices[", "reply $.budgets[", "reply $.screen", "push $.push",
        ]
        return ends.contains(where: place.hasSuffix) || within.contains(where: place.contains)
    }
}
