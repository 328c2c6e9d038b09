import APNsSimulator
import Foundation
import RelayProtocol
import Testing

/// `Fixtures/content-states.json`: content states that each app's own types decode.
@Suite("Golden payloads") struct GoldenTests {
    static let golden = try! JSONDocument(
        parsing: Array(
            Data(
                contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .appending(path: "Fixtures/content-states.json")))
    ).root

    static let states = ["working", "approval", "question", "done"]

    static func member(_ value: JSONValue, _ key: String) throws -> JSONValue {
        try #require(try value.members().first { $0.key == key }?.value)
    }

    static func bytes(_ app: KnownApp, _ key: String) throws -> String {
        String(decoding: try member(try member(golden, app.rawValue), key).bytes, as: UTF8.self)
    }

    /// A rig whose phone has this app, with a card started by a golden push.
    static func rig(_ app: KnownApp) throws -> Rig {
        let rig = Rig { $0 = InstalledApp(bundle: Rig.bundle, activityTypes: [app.activityTypes]) }
        let type = try bytes(app, "attributes-type")
        let body =
            #"{"aps":{"timestamp":\#(rig.seconds),"event":"start","attributes-type":\#(type),"attributes":"#
            + #"\#(try bytes(app, "attributes")),"content-state":\#(try bytes(app, "working")),"alert":{"title":"t"}}}"#
        #expect(rig.push(.pushToStart, body)?.what == .started)
        rig.now += 1000
        return rig
    }

    @Test("each state of each profile decodes into the app's own types", arguments: KnownApp.allCases, states)
    func decodes(app: KnownApp, state: String) throws {
        let rig = try Self.rig(app)
        #expect(rig.push(.activityUpdate, rig.change(state: try Self.bytes(app, state)))?.what == .updated)
        #expect(rig.card?.face.title.isEmpty == false)
    }

    @Test("an approval is what the apps make of it")
    func faces() throws {
        let bridge = try Self.rig(.codingbridge)
        _ = bridge.push(.activityUpdate, bridge.change(state: try Self.bytes(.codingbridge, "approval")))
        let face = try #require(bridge.card?.face)
        #expect(face.needsPerson)
        #expect(face.detail == "Run: swift test")
        #expect(face.progressText == "3 of 7")
        #expect(face.clock == .text("20:30"))
        let epic = try Self.rig(.epic)
        _ = epic.push(.activityUpdate, epic.change(state: try Self.bytes(.epic, "approval")))
        #expect(epic.card?.face.badge == 1)
        #expect(epic.card?.face.clock == .text("$0.41"))
    }

    @Test("dates are seconds since 2001")
    func dates() throws {
        let rig = try Self.rig(.delivery)
        #expect(rig.card?.face.clock == .until(1_795_178_696_000))
    }

    @Test("Unix seconds decode without an error, 31 years ahead")
    func unixSeconds() throws {
        let rig = try Self.rig(.delivery)
        let state = try Self.bytes(.delivery, "working").replacing("816871496", with: "1795178696")
        #expect(rig.push(.activityUpdate, rig.change(state: state))?.what == .updated)
        #expect(rig.card?.face.clock == .until((1_795_178_696 + 978_307_200) * 1000))
    }

    static let wrong: [(KnownApp, String, String)] = [
        (.delivery, "816871496", #""2026-11-20T12:44:56Z""#),
        (.delivery, #""onTheWay""#, #""on_the_way""#),
        (.epic, #""lastUpdate""#, #""updatedAt""#),
        (.opencode, #""Generating Code""#, #""generating""#),
        (.swiftclimb, #""count": 12"#, #""count": "12""#),
        (.codingbridge, #""completed": 3,"#, ""),
    ]

    @Test("what an app cannot decode leaves its card as it was", arguments: wrong)
    func undecodable(app: KnownApp, part: String, replacement: String) throws {
        let rig = try Self.rig(app)
        let state = try Self.bytes(app, "working")
        #expect(state.contains(part))
        let outcome = rig.push(.activityUpdate, rig.change(state: state.replacing(part, with: replacement)))
        #expect(outcome?.what == .dropped(.undecodable))
        #expect(outcome?.detail?.isEmpty == false)
    }

    @Test("unknown keys are ignored, and 12.0 is a whole number")
    func lenient() throws {
        let rig = try Self.rig(.swiftclimb)
        let state = #"{"count":12.0,"lastUpdated":816870896.5,"more":[1]}"#
        #expect(rig.push(.activityUpdate, rig.change(state: state))?.what == .updated)
    }

    @Test("two apps call their type alike, and only the bundle tells them apart")
    func sameName() throws {
        #expect(KnownApp.opencode.activityTypes.name == KnownApp.epic.activityTypes.name)
        let rig = try Self.rig(.opencode)
        let outcome = rig.push(.activityUpdate, rig.change(state: try Self.bytes(.epic, "working")))
        #expect(outcome?.what == .dropped(.undecodable))
    }
}
