import APNsSimulator
import Foundation
import RelayProtocol
import Testing

/// The page draws a Lock Screen by the same rules in JavaScript: one table of cases tests both.
@Suite("The page's Lock Screen") struct LockScreenTableTests {
    static let cases = try! JSONDocument(
        parsing: Array(
            Data(
                contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().appending(path: "Web/Fixtures/lockscreen.json")))
    ).root.array()

    /// Start of a case's times, in milliseconds since 1970.
    static let beginning: Int64 = 1_800_000_000_000

    @Test("the device shows what the page's table says", arguments: Self.cases.indices)
    func table(index: Int) throws {
        let entry = Self.cases[index]
        let name = try entry.string("name")
        // The table covers rules for every app; the numbers of the budgets are our own.
        let rig = Rig()
        var activities: [String: ActivityID] = [:]
        var ignored: [Int64] = []
        for (number, push) in try entry.array("pushes").enumerated() {
            rig.now = Self.beginning + Int64(try push.required("at").number() * 1000)
            let session = try push.optionalString("session") ?? ""
            rig.send(try Self.request(push, to: activities[session], on: rig))
            let outcome = try #require(rig.lastOutcome, "\(name): push \(number) reached no device")
            if outcome.what == .started { activities[session] = outcome.activity }
            if outcome.word == "dropped" { ignored.append(Int64(number)) }
        }
        rig.now = Self.beginning + (try entry.integer("now"))
        _ = rig.pass(to: rig.now)
        #expect(rig.screen.lockScreen.map(Self.words) == (try entry.array("screen").map { try $0.string() }), "\(name)")
        #expect(Self.words(rig.screen.island) == (try entry.string("island")), "\(name)")
        #expect(ignored == (try entry.array("ignored").map { try $0.integer() }), "\(name)")
    }

    /// Uses a new connection and provider token, because hours may have passed since the last.
    static func request(_ push: JSONValue, to activity: ActivityID?, on rig: Rig) throws -> PushRequest {
        rig.reconnect()
        let purpose = try push.string("purpose")
        let token: String? =
            switch purpose {
            case "start": rig.token(.pushToStart)
            case "alert": rig.token(.alert)
            default: rig.simulator.allTokens.last { $0.kind == .activityUpdate && $0.activity == activity }?.token
            }
        let body = #"{"aps":"# + String(decoding: try push.required("aps").bytes, as: UTF8.self) + "}"
        return rig.request(
            to: try #require(token), type: purpose == "alert" ? "alert" : "liveactivity", body: body
        )
        .with("authorization", Rig.token(issuedAt: rig.seconds))
        .with("apns-collapse-id", try push.optionalString("collapse"))
    }

    static func words(_ row: Screen.Row) -> String {
        switch row {
        case .card(let card):
            "\(card.face.title): \(card.face.detail ?? "")\(card.isStale ? ", stale" : "")\(card.isEnded ? ", ended" : "")"
        case .notifications(let stack):
            "\(stack.count) × \(stack.top.title.isEmpty ? stack.top.body : stack.top.title)"
        }
    }

    static func words(_ island: Screen.Island) -> String {
        switch island {
        case .empty: "empty"
        case .compact(let card): "compact \(card.face.title)"
        case .minimal(let card, _): "minimal \(card.face.title)"
        case .expanded(let card): "expanded \(card.face.title)"
        }
    }
}
