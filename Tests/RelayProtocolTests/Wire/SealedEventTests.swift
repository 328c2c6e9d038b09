import HeliographTestSupport
import RelayProtocol
import Testing

@Suite("The head of a sealed event")
struct SealedEventTests {
    private static func sealed(_ event: Event, line: String? = nil, wraps: [KeyWrap]? = nil) -> [UInt8] {
        SealedEvent("c2VhbGVk", line: line, wraps: wraps).bytes(of: event) { _ in "~alias" }
    }

    private static func event(_ kind: String, _ head: JSONTree) throws -> Event {
        let tree: JSONTree = .object([
            "kind": .text(kind), "at": .plain("1"), "head": head, "body": .object(["text": .text("text of the body")]),
        ])
        return try Event(stored: tree.bytes)
    }

    private static func head(_ bytes: [UInt8]) throws -> JSONTree? { try JSONTree(parsing: bytes)[[.member("head")]] }

    // MARK: - Driven by the table

    @Test("every field of every head has a side", arguments: EventKind.allCases)
    func sides(_ kind: EventKind) {
        func look(_ fields: [WireField], _ place: String) {
            for field in fields {
                #expect(field.side != nil, "\(place).\(field.name) is on no side")
                if field.side == .parts { look(field.type.objectFields, "\(place).\(field.name)") }
            }
        }
        look(WireTable.head(kind).fields, kind.rawValue)
    }

    @Test("what is sealed is not in it, what is not is, and it reads as an event", arguments: EventKind.allCases)
    func planted(_ kind: EventKind) throws {
        let fields = WireTable.head(kind).fields
        for example in WireExamples.of(fields) {
            let bytes = Self.sealed(try Self.event(kind.rawValue, .object(example)))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(try Event(stored: bytes).head.kind == kind.rawValue)
            #expect(!text.contains("text of the body"))
            for mark in Self.sealedTexts(of: .object(example), fields) { #expect(!text.contains("\"\(mark)\""), "\(text)") }
            let head = try #require(try Self.head(bytes))
            for field in fields where field.side == .head {
                #expect(head[[.member(field.name)]] == example[field.name], "\(kind) \(field.name)")
            }
        }
    }

    @Test("what the table does not know is sealed, wherever it is", arguments: EventKind.allCases)
    func unknownFields(_ kind: EventKind) throws {
        for example in WireExamples.of(WireTable.head(kind).fields) {
            let planted = JSONTree.object(example).planting("planted")
            let text = String(decoding: Self.sealed(try Self.event(kind.rawValue, planted)), as: UTF8.self)
            #expect(!text.contains("planted"), "\(text)")
        }
    }

    @Test("nothing is left of a kind that the table does not know")
    func unknownKind() throws {
        let bytes = Self.sealed(try Self.event("mood.changed", .object(["mood": .text("sunny")])))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"kind":"mood.changed","at":1,"head":{},"body":{"sealed":"c2VhbGVk"}}"#)
    }

    /// The examples' texts, each of which is in one place only.
    private static func sealedTexts(of value: JSONTree, _ fields: [WireField]) -> [String] {
        fields.flatMap { field -> [String] in
            guard let inside = value[[.member(field.name)]] else { return [] }
            switch field.side {
            case .head, .added, nil: return []
            case .sealed, .standIn, .named, .alias, .places, .same: return inside.texts.filter { $0.hasPrefix("text ") }
            case .parts:
                if case .list(let entries) = inside {
                    return entries.flatMap { sealedTexts(of: $0, field.type.objectFields) }
                }
                return sealedTexts(of: inside, field.type.objectFields)
            }
        }
    }

    // MARK: - What stands in its place

    @Test("a request keeps ids, digest and the number of its choices; a rule has answered it, whatever its name")
    func request() throws {
        guard let digest = InputDigest(String(repeating: "ab", count: 32)), let approval = ApprovalID("a1") else {
            throw Unspelled()
        }
        var request = ApprovalRequest(approval: approval, kind: .question, tool: "Ask", title: "Which colour?", digest: digest)
        request.questions = [QuestionOffer(id: "q0", choices: ["Red", "Blue"], isMultiple: true)]
        request.offers = [Offer(id: "always", label: "Always allow ls", rule: "Bash(ls)", scope: .user)]
        request.rule = AppliedRule(name: "no secrets", digest: digest, answer: .deny, message: "not here")
        let bytes = Self.sealed(Event(.approvalRequested(request), at: 1) { $0.field("shown", "{}") }, line: "bGluZQ")
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"kind":"approval.requested","at":1,"head":{"approval":"a1","kind":"question","tool":"sealed","title":"A sealed request","#
                + #""digest":"\#(digest.rawValue)","questions":[{"id":"q0","choices":["1","2"],"multiple":true}],"#
                + #""offers":[{"id":"always","label":"always","scope":"user","effect":"allow"}],"#
                + #""rule":{"name":"sealed","digest":"\#(String(repeating: "0", count: 64))","decision":"deny"}},"#
                + #""body":{"sealed":"c2VhbGVk"},"line":"bGluZQ"}"#)
        #expect(try Event(stored: bytes).line == "bGluZQ")
    }

    @Test("an offer names commands and projects by their aliases, and brings the keys")
    func offer() throws {
        let key = try #require(HostKeyID("c2l4dGVlbi1rZXktYnl0ZQ"))
        let wrap = try #require(KeyWrap(epoch: 1, device: key, wrap: String(repeating: "wrap", count: 20)))
        var offer = SteeringOffer(
            actions: [.start], takesPictures: true, reason: "Only here", commands: ["/deploy"],
            projects: [ProjectOffer(name: "site", folder: "~/site")])
        offer.consent = key
        offer.hasScreen = true
        offer.agents = [StartableAgent(name: "claude", title: "Claude Code", modes: ["plan"], takesPictures: true)]
        let event = Event(.steeringOffered(offer), at: 1)
        let sealed = SealedEvent("c2VhbGVk", wraps: [wrap]).bytes(of: event) { "~" + String($0.reversed()) }
        guard case .steeringOffered(let read) = try Event(stored: sealed).head else { throw Unspelled() }
        var expected = SteeringOffer(
            actions: [.start], takesPictures: true, commands: ["~yolped/"],
            projects: [ProjectOffer(name: "~etis", folder: "sealed")])
        expected.consent = key
        expected.hasScreen = true
        expected.seals = true
        expected.wraps = [wrap]
        expected.sealed = "c2VhbGVk"
        expected.agents = offer.agents
        #expect(read == expected)
    }

    @Test("a reason stays if the wire has a word for it, and says nothing else")
    func reasons() throws {
        let approval = try #require(ApprovalID("a1"))
        func reason(_ head: EventHead) throws -> JSONTree? {
            try Self.head(Self.sealed(Event(head, at: 1)))?[[.member("reason")]]
        }
        #expect(try reason(.approvalStale(approval, reason: "notTrusted")) == .text("notTrusted"))
        #expect(try reason(.approvalStale(approval, reason: "no file secret.txt")) == .text("sealed"))
        #expect(try reason(.sessionEnded(reason: "agentGone", failed: false)) == .text("agentGone"))
        #expect(try reason(.sessionEnded(reason: "no file secret.txt", failed: false)) == nil)
    }

    @Test("a sealed event may be as long as a signed one, and has nothing besides then")
    func length() throws {
        #expect(WireLimits.eventBytesMaxToSeal > 2 * WireLimits.eventBytesMax)
        let long = String(repeating: "A", count: WireLimits.eventBytesMaxToSeal / 3 * 4)
        let message = Event(.message(.assistant, summary: nil), at: 1)
        let sealed = SealedEvent(long).bytes(of: message) { $0 }
        #expect(try Event(stored: sealed).isSealed)
        let text = String(decoding: sealed, as: UTF8.self)
        for other in [text.replacing(#""body":{"#, with: #""body":{"a":1,"#), text.replacing(#""sealed":"#, with: #""text":"#)]
        {
            #expect(throws: WireError.self) { try Event(stored: Array(other.utf8)) }
        }
    }

    private struct Unspelled: Error {}
}

extension WireType {
    /// Fields of the object, or of the objects in the list.
    fileprivate var objectFields: [WireField] {
        switch shape {
        case .object(let object): object.fields
        case .list(let element, _): element.objectFields
        default: []
        }
    }
}

extension JSONTree {
    fileprivate var texts: [String] {
        switch self {
        case .plain: []
        case .text(let text): [text]
        case .list(let elements): elements.flatMap(\.texts)
        case .object(let members): members.values.flatMap(\.texts)
        }
    }

    /// The value with one more member in each object.
    fileprivate func planting(_ mark: String) -> JSONTree {
        switch self {
        case .plain, .text: self
        case .list(let elements): .list(elements.map { $0.planting(mark) })
        case .object(let members): .object(members.mapValues { $0.planting(mark) }.merging([mark: .text(mark)]) { $1 })
        }
    }
}
