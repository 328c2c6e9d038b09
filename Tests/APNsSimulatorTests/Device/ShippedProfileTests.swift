import ChannelAPNs
import APNsSimulator
import Foundation
import struct LiveActivityKit.HeliographActivityAttributes
import PushPlanner
import RelayProtocol
import Testing

/// Tests every shipped profile, in every status and at the limits of what a host can send, with the types of its app: with the
/// default `JSONDecoder`, through the whole device.
@Suite("Shipped profiles on a device") struct ShippedProfileTests {
    /// An app that uses `LiveActivityKit`: its own types decode what the relay sends.
    enum KitApp: ActivityModel {
        static let attributesType = "HeliographActivityAttributes"

        typealias Attributes = HeliographActivityAttributes
        typealias ContentState = HeliographActivityAttributes.ContentState

        static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
            CardFace(
                symbol: "app", tint: .blue, title: attributes.title, status: state.status.rawValue,
                detail: state.approval?.summary)
        }
    }

    static let apps: [(profile: String, types: ActivityTypes)] =
        KnownApp.allCases.map { ($0.rawValue, $0.activityTypes) } + [("heliograph", ActivityTypes(KitApp.self))]

    struct Extreme: CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout PushSubject) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout PushSubject) -> Void) {
            testDescription = name
            self.change = change
        }
    }

    private static func text(_ text: String) -> Extreme {
        Extreme("all texts are \(text.prefix(1).debugDescription) × \(text.count)") { subject in
            subject.summary.title = text
            subject.summary.project = text
            subject.summary.workingDirectory = text
            subject.summary.operation = text
            subject.summary.file = text
            subject.summary.error = text
            subject.summary.statusReason = text
            subject.summary.agentName = text
            subject.summary.host.name = text
            subject.summary.todo = TodoProgress(completed: 1, total: 3, current: text)
            subject.approval = approval(.tool, text)
        }
    }

    static let extremes: [Extreme] = [
        Extreme("everything optional is absent") { $0.approval = nil },
        text(String(repeating: "x", count: 4_096)),
        text(String(repeating: "👩‍👩‍👧‍👦", count: 163)),
        text(String(repeating: "\"\\", count: 2_048)),
        text("e" + String(repeating: "\u{301}", count: 2_000)),
        text("\u{202E}"),
        text("\u{0}\u{7F}\n\r\u{2028}"),
        text(""),
        Extreme("numbers are the greatest") { subject in
            subject.summary.costMicroUSD = .max
            subject.summary.operations = .max
            subject.summary.messages = .max
            subject.summary.approvals = .max
            subject.summary.questions = .max
            subject.summary.todo = TodoProgress(completed: .max, total: .max)
            subject.sessions = .max
            subject.budgetLevel = .max
        },
        Extreme("a list of nothing") { $0.summary.todo = TodoProgress(completed: 0, total: 0) },
        Extreme("more done than there is") { $0.summary.todo = TodoProgress(completed: 9, total: 3) },
        Extreme("ended before it began") { subject in
            subject.summary.startedAt = Rig.moment + 86_400_000
            subject.summary.endedAt = 0
        },
        Extreme("moments are the greatest") { subject in
            subject.summary.startedAt = 0
            subject.summary.endedAt = JSONValue.integerMax
        },
        Extreme("a question") { $0.approval = approval(.question, "Which branch?") },
        Extreme("an approval that is whole") { subject in
            subject.text = .full
            subject.approval = approval(.tool, "Run: ls")
        },
        Extreme("generic") { subject in
            subject.text = .generic
            subject.approval = approval(.tool, "Run: ls")
        },
        Extreme("in German") { subject in
            subject.text = .generic
            subject.language = PushLanguage(tag: "de-DE")
            subject.approval = approval(.tool, "Run: ls")
        },
        Extreme("sealed") { subject in
            subject.text = .sealed
            subject.approval = approval(.question, "Which branch?")
        },
    ]

    private static func approval(_ kind: ApprovalKind, _ text: String) -> Approval {
        var request = ApprovalRequest(
            approval: ApprovalID(String(repeating: "a", count: 64))!, kind: kind, tool: text, title: text,
            digest: InputDigest(String(repeating: "0", count: 64))!)
        request.alert = RequestWords(full: "command: ls", summary: "Run: ls", isWhole: true)
        let event = Event(.approvalRequested(request), at: Rig.moment)
        return Approval(
            session: SessionID("s")!, request: request, requestBytes: event.bytes, requestedAt: Rig.moment, seq: 1)
    }

    private static func subject(_ status: SessionStatus, _ extreme: Extreme) -> PushSubject {
        var summary = Summary(
            session: SessionID("s")!, host: Named(id: HostID("h")!, name: "host"), hostIsConnected: true, agentName: "claude",
            startedAt: Rig.moment - 1_230_000)
        summary.status = status
        var subject = PushSubject(summary: summary, approval: nil, text: .summary, now: Rig.moment)
        extreme.change(&subject)
        return subject
    }

    @Test("start, update and end are decoded by the app's own types", arguments: apps.map(\.profile), extremes)
    func decodes(app: String, extreme: Extreme) throws {
        let types = try #require(Self.apps.first { $0.profile == app }?.types)
        let profile = try #require(ProfileSet()[app])
        #expect(profile.attributesType == types.name)
        let words = AlertText(title: "t", subtitle: nil, body: "b", isWhole: false)
        for status in SessionStatus.allCases {
            let subject = Self.subject(status, extreme)
            let rig = Rig { $0 = InstalledApp(bundle: Rig.bundle, activityTypes: [types]) }
            func push(_ kind: DeviceToken.Kind, _ payload: [UInt8]) -> DeviceOutcome? {
                #expect(payload.count <= APNsPayload.bytesMax)
                return rig.push(kind, String(decoding: payload, as: UTF8.self))
            }
            let start = push(
                .pushToStart,
                APNsPayload.start(
                    profile, subject, timestamp: rig.seconds, stale: nil, relevance: 50, alert: words, sound: true,
                    channel: nil,
                    inputPushToken: true))
            #expect(start?.what == .started, "\(status): \(start?.detail ?? "")")
            rig.now += 1_000
            let update = push(
                .activityUpdate,
                APNsPayload.update(
                    profile, subject, timestamp: rig.seconds, stale: rig.seconds + 900, relevance: 50, alert: words,
                    sound: true,
                    broadcast: false))
            #expect(update?.what == .updated, "\(status): \(update?.detail ?? "")")
            rig.now += 1_000
            let end = push(
                .activityUpdate,
                APNsPayload.end(profile, subject, timestamp: rig.seconds, dismissal: rig.seconds + 900, broadcast: false))
            #expect(end?.what == .ended, "\(status): \(end?.detail ?? "")")
        }
    }

    @Test("a status of ours never becomes an end that did not happen", arguments: KnownApp.allCases)
    func staleIsNoEnd(app: KnownApp) throws {
        let profile = try #require(ProfileSet()[app.rawValue])
        let words = ["completed", "Completed", "delivered", "idle", "error", "Error"]
        let subject = Self.subject(.stale, Self.extremes[0])
        let state = try JSONDocument(parsing: profile.contentState(subject, bytesMax: 3_072)).root
        if let status = try state.optionalString("status") { #expect(!words.contains(status)) }
    }
}
