package import RelayProtocol
package struct Profile: Sendable {
    package struct Dismissal: Sendable { var completed: Int64 = 900_000, failed: Int64 = 14_400_000, cancelled: Int64 = 0 }
    package var name: String
    package var bundle = "org.heliograph.app"
    package var attributesType: String? = "HeliographActivityAttributes"
    package var staleAfter: Int64 = 900_000
    package var maximumAge: Int64 = 27_000_000
    package var dismissal = Dismissal()
    package var textMax = PushText.full
    package func contentState(_ subject: PushSubject, bytesMax: Int) -> [UInt8] {
        JSONWriter.object {
            $0.field("status", subject.summary.status.rawValue)
            $0.field("operations", subject.summary.operations)
            $0.field("approvals", subject.summary.approvals)
            $0.field("now", subject.now)
        }
    }
}
package struct ProfileSet: Sendable {
    var profiles: [String: Profile] = ["heliograph": Profile(name: "heliograph")]
    package subscript(name: String) -> Profile? { profiles[name] }
}
package enum Payload {
    package enum Level: String, Sendable { case passive, active, timeSensitive = "time-sensitive" }
    static func start(
        _ p: Profile, _ s: PushSubject, timestamp: Int64, stale: Int64?, relevance: Int64, alert: AlertText, sound: Bool,
        channel: String?, inputPushToken: Bool
    ) -> [UInt8] { body("start", p, s, timestamp) }
    static func update(_ p: Profile, _ s: PushSubject, timestamp: Int64, stale: Int64?, relevance: Int64, broadcast: Bool)
        -> [UInt8]
    { body("update", p, s, timestamp) }
    static func end(_ p: Profile, _ s: PushSubject, timestamp: Int64, dismissal: Int64?, broadcast: Bool) -> [UInt8] {
        body("end", p, s, timestamp)
    }
    static func alert(
        _ p: Profile, kind: AlertKind, text: AlertText, thread: String, level: Level, session: SessionID?,
        approval: ApprovalID?, code: Bool, mayAllow: Bool, sealed: Bool
    ) -> [UInt8] {
        JSONWriter.object { w in
            w.object("aps") {
                $0.object("alert") {
                    $0.field("title", text.title); $0.field("body", text.body)
                }; $0.field("interruption-level", level.rawValue)
            }
            w.object("heliograph") {
                $0.field("session", session); $0.field("approval", approval); $0.field("kind", kind.rawValue);
                $0.field("code", code ? "CODE" : nil)
            }
        }
    }
    private static func body(_ e: String, _ p: Profile, _ s: PushSubject, _ t: Int64) -> [UInt8] {
        JSONWriter.object { w in
            w.object("aps") {
                $0.field("event", e); $0.field("timestamp", t); $0.raw("content-state", p.contentState(s, bytesMax: 3000))
            }
        }
    }
}
extension AlertText {
    static func compose(kind: AlertKind, subject: PushSubject, textMax: PushText, bytesMax: Int) -> AlertText {
        AlertText(
            title: kind.rawValue, subtitle: nil, body: subject.approval?.request.title ?? subject.summary.status.rawValue,
            isWhole: true)
    }
}
