import Foundation
import ChannelAPNs
import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

/// `Fixtures/content-states.json` is the project's `golden/content-states.json`: content states that each app's own types decode.
@Suite("Golden content states") struct ProfileGoldenTests {
    static let golden = try! JSONDocument(
        parsing: Array(
            Data(
                contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .appending(path: "Fixtures/content-states.json")))
    ).root

    static let apps = ["codingbridge", "opencode", "swiftclimb", "delivery", "epic"]
    static let states = ["working", "approval", "question", "done"]

    static func entry(_ app: String, _ key: String) throws -> JSONValue {
        let entries = try #require(try golden.members().first { $0.key == app }?.value)
        return try #require(try entries.members().first { $0.key == key }?.value)
    }

    static func profile(_ name: String) throws -> Profile { try #require(ProfileSet()[name]) }

    /// The subject of a golden state. Only CodingBridge's question has no to-do list.
    static func subject(_ app: String, _ state: String) -> PushSubject {
        let session = app == "swiftclimb" ? "6f9619ff-8b86-d011-b42d-00cf4fc964ff" : PushSubjects.session
        var subject = PushSubjects.golden(state, session: session)
        if app == "codingbridge", state == "question" { subject.summary.todo = nil }
        if app != "opencode" || state == "working" { return subject }
        subject.summary.file = nil
        return subject
    }

    @Test("each state of each seed's app is what its types decode", arguments: apps, states)
    func contentState(app: String, state: String) throws {
        let made = try Self.profile(app).contentState(Self.subject(app, state), bytesMax: 3_072)
        try expectSame(try JSONDocument(parsing: made).root, as: Self.entry(app, state))
    }

    @Test("so are its attributes", arguments: apps)
    func attributes(app: String) throws {
        let made = try Self.profile(app).attributes(Self.subject(app, "working"))
        try expectSame(try JSONDocument(parsing: made).root, as: Self.entry(app, "attributes"))
    }

    @Test("the key of each is the app's own", arguments: apps)
    func key(app: String) throws {
        let profile = try Self.profile(app)
        #expect(profile.bundle == (try Self.entry(app, "bundleIdExample").string()))
        #expect(profile.attributesType == (try Self.entry(app, "attributes-type").string()))
    }

    /// Expects the same members with the same values, in any order; numbers as they are spelled.
    private func expectSame(_ made: JSONValue, as golden: JSONValue) throws {
        guard made.isObject, golden.isObject else {
            #expect(made.bytes.elementsEqual(golden.bytes), "\(golden.path)")
            return
        }
        let (left, right) = (try made.members(), try golden.members())
        #expect(left.map(\.key).sorted() == right.map(\.key).sorted(), "\(golden.path)")
        for (key, value) in right {
            if let other = left.first(where: { $0.key == key })?.value { try expectSame(other, as: value) }
        }
    }
}
