import ChannelAPNs
import PushPlanner
import RelayProtocol

/// Profiles of apps. What is taken at load makes payloads of every subject: whole, within Apple's limits, strict JSON without a null.
enum ProfileTarget {
    static func run(_ input: [UInt8]) {
        let profile: Profile
        do throws(ProfileError) {
            profile = try Profile(parsing: input, name: "fuzz")
        } catch {
            require(!error.path.isEmpty && !error.message.isEmpty, "a refusal names no place")
            return
        }
        // Texts are as hostile as the input: they are its end. One session of the many: inputs are cheaper than payloads.
        let text = String(decoding: input.suffix(600), as: UTF8.self)
        let variant = input.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        let statuses = SessionStatus.allCases
        let subject = Subjects.make(statuses[variant % statuses.count], text, variant: variant / statuses.count)
        checkAlerts(profile, subject)
        if profile.attributesType != nil { checkCards(profile, subject) }
    }

    private static func checkCards(_ profile: Profile, _ subject: PushSubject) {
        let now = subject.now / 1_000
        let words = AlertText.compose(
            kind: .approval, subject: subject, textMax: profile.textMax, bytesMax: Payload.alertTextBytesMax)
        for asks in [false, true] {
            check(
                APNsPayload.start(
                    profile, subject, timestamp: now, stale: now, relevance: 100, alert: words, sound: true,
                    channel: asks ? nil : String(repeating: "c", count: APNsPayload.channelBytesMax), inputPushToken: asks),
                bytesMax: APNsPayload.bytesMax)
        }
        for broadcast in [false, true] {
            let bytesMax = broadcast ? APNsPayload.broadcastBytesMax : APNsPayload.bytesMax
            check(
                APNsPayload.update(
                    profile, subject, timestamp: now, stale: nil, relevance: profile.relevance(of: subject.summary.status),
                    alert: words, sound: true, broadcast: broadcast), bytesMax: bytesMax)
            check(
                APNsPayload.end(profile, subject, timestamp: now, dismissal: now, broadcast: broadcast), bytesMax: bytesMax)
        }
    }

    private static func checkAlerts(_ profile: Profile, _ subject: PushSubject) {
        for kind in AlertKind.allCases {
            for sealed in [false, true] {
                let words = AlertText.compose(
                    kind: kind, subject: subject, textMax: profile.textMax, bytesMax: Payload.alertTextBytesMax)
                let asks = kind == .approval || kind == .question
                check(
                    APNsPayload.alert(
                        profile, kind: kind, text: words, thread: subject.summary.session.rawValue, level: .timeSensitive,
                        expiresAt: asks ? subject.now : nil, session: subject.summary.session,
                        approval: asks ? subject.approval?.request.approval : nil, code: asks, mayAllow: words.isWhole,
                        sealed: sealed), bytesMax: APNsPayload.bytesMax)
            }
        }
    }

    private static func check(_ payload: [UInt8], bytesMax: Int) {
        require(payload.count <= bytesMax, "a payload of \(payload.count) bytes where \(bytesMax) are taken")
        do throws(WireError) {
            let root = try JSONDocument(parsing: payload).root
            require(!holdsNull(root), "a payload with a null: \(String(decoding: payload, as: UTF8.self))")
        } catch { fatalError("finding: a payload that is no JSON: \(error): \(String(decoding: payload, as: UTF8.self))") }
    }

    private static func holdsNull(_ value: JSONValue) -> Bool {
        if let members = try? value.members() { return members.contains { holdsNull($0.value) } }
        if let elements = try? value.array() { return elements.contains(where: holdsNull) }
        return value.isNull
    }
}
