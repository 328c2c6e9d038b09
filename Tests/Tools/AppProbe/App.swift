import Foundation
import HeliographKit
import LiveActivityKit
import Synchronization

/// A person's wishes, carried out as an app does.
struct App {
    let client: RelayClient
    let reporter: HTTPRelayReporter
    let trust: DeviceTrust
    let alerts: SignedAlerts
    let shown: Latest

    func carryOut(_ words: [String], _ line: String) async throws -> String {
        switch words[0] {
        case "foreground": await client.setForeground(true)
        case "background": await client.setForeground(false)
        case "show": await client.show(session: words.count > 1 ? words[1] : nil)
        case "allow": return "\(try await client.decide(shown.approval(words[1]), .allow))"
        case "deny": return "\(try await client.decide(shown.approval(words[1]), .deny(message: "not now")))"
        case "refuse": return "\(try await client.decide(shown.approval(words[1]), .deny()))"
        case "answer":
            let approval = shown.approval(words[1])
            let question = approval.questions.first { $0.id == words[2] }!
            let taken = question.choices[Int(words[3])!]
            return "\(try await client.decide(approval, .answer([question.answer([taken])])))"
        case "prompt": try await client.prompt(words.dropFirst(2).joined(separator: " "), to: words[1])
        case "register":
            var device = DeviceRegistration(device: "phone1", name: "Ada's phone", environment: .sandbox, system: "18.1")!
            device.alertToken = words[1]
            device.startToken = words[2]
            try await reporter.report(.device(device), of: "phone1")
        case "trust":
            let trusted = try await client.trust(TrustLink(words[1]), as: "Ada's phone")
            return "\(trusted.map(\.name)) \(try trust.code() ?? "")"
        case "code": return try trust.code() ?? ""
        case "invite": return try await client.invite()
        case "accept": return "\(try await client.accept().map(\.name))"
        case "turnAway": try await client.turnAway()
        case "read": await client.read(shown.device(words[1]))
        case "distrust": try await client.distrust(shown.device(words[1]))
        // The notification service: the alert's own fields as JSON.
        case "alert":
            let fields = try JSONSerialization.jsonObject(with: Data(words[1].utf8))
            let payload = try AlertPayload(userInfo: ["heliograph": fields])
            let came = ShownAlert(title: "An agent waits", subtitle: "", body: "Open the app")
            switch await alerts.reading(of: payload, offersAllow: payload.code != nil, came: came) {
            case .words(let alert):
                let text = try JSONSerialization.data(withJSONObject: ["title": alert.title, "body": alert.body])
                return String(decoding: text, as: UTF8.self)
            case let other: return "\(other)"
            }
        // A button of the alert that had these words as JSON, or of a card, whose words are none.
        case "press":
            let text = line.split(separator: " ", maxSplits: 4).dropFirst(4).first
            let said = try text.map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
            let alert = said.map { ShownAlert(title: $0["title"] ?? "", subtitle: "", body: $0["body"] ?? "") }
            let outcome = await DecisionDesk.shared.decide(
                .allow, approval: words[1], code: words[2], shown: alert)
            return "\(outcome)"
        default: return "unknown wish"
        }
        return "done"
    }
}

/// The state that the app shows now.
final class Latest: Sendable {
    private let kept = Mutex(RelayState())

    func set(_ new: RelayState) { kept.withLock { $0 = new } }
    func approval(_ id: String) -> PendingApproval { kept.withLock { $0.approvals.first { $0.id == id }! } }
    func device(_ code: String) -> TrustedDevice { kept.withLock { $0.devices.first { $0.code == code }! } }
}

struct NoCodes: DecisionDesk.Codes {
    func code(of approval: String) async -> String? { nil }
}
