// app-probe LINK: an app without a screen, as Tests/Integration/test_app.py plays it. It pairs by the link, then takes one wish a line
// on its input, in words, and prints one JSON object a line: each state, and each answer to a wish.

import ConsentKeys
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
        struct Row: Encodable {
            var session, title, status, host: String
            var isSealed: Bool
        }
        struct Ask: Encodable {
            var id, tool, title: String
            var canAllow: Bool
            var obstacle: String?
            var input: [String: String]
            var questions: [String: [String]]
        }
        struct Event: Encodable {
            var number: Int
            var kind: String
            var text, remark: String?
        }
        struct Device: Encodable {
            var id, host, name, code: String
            var broughtBy: String?
            var isOwn, isNew: Bool
        }
        var link: String
        var isComplete: Bool
        var sessions: [Row]
        var approvals: [Ask]
        var events: [Event]
        var devices: [Device]
        var newcomer: [String: String]?
        var trouble: String?

        init(_ state: RelayState) {
            link = "\(state.link)"
            isComplete = state.isComplete
            sessions = state.sessions.map {
                Row(session: $0.id, title: $0.title, status: $0.status.rawValue, host: $0.host, isSealed: $0.isSealed)
            }
            approvals = state.approvals.map { one in
                Ask(
                    id: one.id, tool: one.tool, title: one.title, canAllow: one.canAllow,
                    obstacle: one.obstacle.map { "\($0)" },
                    input: Dictionary(one.input.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first }),
                    questions: Dictionary(
                        one.questions.map { ($0.id, $0.choices.map(\.label)) }, uniquingKeysWith: { first, _ in first }))
            }
            events = state.events.map { Event(number: $0.id, kind: $0.kind, text: $0.text, remark: $0.remark) }
            devices = state.devices.map {
                Device(
                    id: $0.id, host: $0.host.name, name: $0.name, code: $0.code, broughtBy: $0.broughtBy, isOwn: $0.isOwn,
                    isNew: $0.isNew)
            }
            newcomer = state.newcomer.map { ["name": $0.name, "code": $0.code] }
            trouble = state.trouble
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
        let trust = DeviceTrust(MemoryVault(), .openSSL)
        let transport = EngineTransport()
        let client = try RelayClient(
            relay: pairing.relay, credentials: memory, device: "phone1", software: "app-probe", trust: trust,
            transport: transport)
        let alerts = try SignedAlerts(relay: pairing.relay, credentials: memory, trust: trust, transport: transport)
        let shown = Latest()
        DecisionDesk.shared.setUp(reporter: reporter, codes: NoCodes(), signer: alerts) { sentence, approval in
            say(Answer(answer: "told", text: "\(approval): \(sentence)"))
        }
        let app = App(client: client, reporter: reporter, trust: trust, alerts: alerts, shown: shown)
        Task {
            for await state in client.states {
                shown.set(state)
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
                let text = try await app.carryOut(words, line)
                say(Answer(answer: words[0], text: text))
            } catch { say(Answer(answer: words[0], text: "\(error)")) }
        }
    }

    static func say(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Written at once and without the standard library's file lock, which is held while a request is awaited.
        FileHandle.standardOutput.write(try! encoder.encode(value) + Data("\n".utf8))
    }
}
