// app-probe LINK: an app without a screen, as Tests/Integration/test_app.py plays it. It pairs by the link, then takes one wish a line
// on its input, in words, and prints one JSON object a line: each state, and each answer to a wish.

import Foundation
import HeliographKit
import LiveActivityKit
import Synchronization

/// The token in memory, as a keychain would keep it.
final class Memory: RelayCredentials {
    private let kept: Mutex<String>

    init(_ token: String) { kept = Mutex(token) }

    func token() -> String { kept.withLock { $0 } }
}

@main enum AppProbe {
    struct Answer: Encodable {
        var answer: String
        var text: String
    }

    struct State: Encodable {
        struct Row: Encodable { var session, title, status, host: String }
        struct Ask: Encodable {
            var id, tool, title: String
            var canAllow: Bool
            var input: [String: String]
            var questions: [String: [String]]
        }
        struct Event: Encodable {
            var number: Int
            var kind: String
            var text: String?
        }
        var link: String
        var isComplete: Bool
        var sessions: [Row]
        var approvals: [Ask]
        var events: [Event]

        init(_ state: RelayState) {
            link = "\(state.link)"
            isComplete = state.isComplete
            sessions = state.sessions.map { Row(session: $0.id, title: $0.title, status: $0.status.rawValue, host: $0.host) }
            approvals = state.approvals.map { one in
                Ask(
                    id: one.id, tool: one.tool, title: one.title, canAllow: one.canAllow,
                    input: Dictionary(one.input.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first }),
                    questions: Dictionary(
                        one.questions.map { ($0.id, $0.choices.map(\.label)) }, uniquingKeysWith: { first, _ in first }))
            }
            events = state.events.map { Event(number: $0.id, kind: $0.kind, text: $0.text) }
        }
    }

    static func main() async throws {
        let exchange = URLSessionExchange()
        let pairing: Pairing
        do { pairing = try await PairingLink(CommandLine.arguments[1]).redeem(name: "Ada's phone", exchange: exchange) } catch {
            return say(Answer(answer: "pair", text: "\(error)"))
        }
        say(Answer(answer: "pair", text: pairing.name))
        let memory = Memory(pairing.token)
        let reporter = try HTTPRelayReporter(relay: pairing.relay, credentials: memory, exchange: exchange)
        let client = try RelayClient(
            relay: pairing.relay, credentials: memory, device: "phone1", software: "app-probe", transport: EngineTransport())
        let latest = Mutex<[PendingApproval]>([])
        let shown = Approvals(latest)
        Task {
            for await state in client.states {
                shown.set(state.approvals)
                say(State(state))
            }
        }
        // A thread of its own, as reading would hold up everything else.
        let (wishes, wish) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            while let line = readLine() { wish.yield(line) }
            wish.finish()
        }
        for await line in wishes {
            let words = line.split(separator: " ").map(String.init)
            do {
                let text = try await carryOut(words, client, reporter, shown)
                say(Answer(answer: words[0], text: text))
            } catch { say(Answer(answer: words[0], text: "\(error)")) }
        }
    }

    final class Approvals: Sendable {
        private let kept: Mutex<[PendingApproval]>
        init(_ kept: consuming Mutex<[PendingApproval]>) { self.kept = kept }
        func set(_ new: [PendingApproval]) { kept.withLock { $0 = new } }
        func named(_ id: String) -> PendingApproval { kept.withLock { $0.first { $0.id == id }! } }
    }

    static func carryOut(
        _ words: [String], _ client: RelayClient, _ reporter: HTTPRelayReporter, _ shown: Approvals
    ) async throws -> String {
        switch words[0] {
        case "foreground": await client.setForeground(true)
        case "background": await client.setForeground(false)
        case "show": await client.show(session: words.count > 1 ? words[1] : nil)
        case "allow": return "\(try await client.decide(shown.named(words[1]), .allow))"
        case "deny": return "\(try await client.decide(shown.named(words[1]), .deny(message: "not now")))"
        case "answer":
            let approval = shown.named(words[1])
            let question = approval.questions.first { $0.id == words[2] }!
            let taken = question.choices[Int(words[3])!]
            return "\(try await client.decide(approval, .answer([question.answer([taken])])))"
        case "register":
            var device = DeviceRegistration(device: "phone1", name: "Ada's phone", environment: .sandbox, system: "18.1")!
            device.alertToken = words[1]
            device.startToken = words[2]
            try await reporter.report(.device(device), of: "phone1")
        default: return "unknown wish"
        }
        return "done"
    }

    static func say(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // At once, and without the lock of the standard library's files, one of which is held while a wish is waited for.
        FileHandle.standardOutput.write(try! encoder.encode(value) + Data("\n".utf8))
    }
}
