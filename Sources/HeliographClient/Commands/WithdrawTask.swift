internal import HeliographLink
internal import RelayProtocol

/// Options of `heliograph withdraw`.
package struct WithdrawOptions: Sendable {
    /// Id of the session, a unique prefix, or `latest`; nil for the only session that takes prompts.
    package var session: String?
    /// Id of the prompt's command, or a prefix; nil for the only waiting one.
    package var prompt: String?

    package init(session: String? = nil, prompt: String? = nil) {
        self.session = session
        self.prompt = prompt
    }
}

/// Withdraws a prompt that waits at its host, and follows the log until it is reported as withdrawn, or as too late.
final class WithdrawTask: ClientTask {
    private enum Stage {
        /// The session is being looked up. Becomes `following`.
        case looking
        /// The session's log is being read, which shows the waiting prompts. Becomes `sent`.
        case following(SessionID)
        case sent(CommandID, SessionID, SteeringName)
    }

    /// Time for the outcome. The host answers at once if it still has the prompt; otherwise the outcome was reported before.
    private static let outcomeMax = Duration.seconds(10)

    var givesUpEarly: Bool { if case .looking = stage { true } else { false } }
    private unowned let run: ClientRun
    private let options: WithdrawOptions
    private var stage = Stage.looking
    private var waiting = WaitingPrompts()

    init(_ run: ClientRun, _ options: WithdrawOptions) {
        self.run = run
        self.options = options
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        do throws(ClientError) {
            switch (stage, news) {
            case (.looking, .changed(.workspaceKnown)):
                let session = try SteeredLookup.find(options.session, for: .prompt, in: run.view)
                stage = .following(session)
                run.follow(session)
            case (.following(let session), .changed(.events(let events, _))) where events.session == session:
                for bytes in events.events { waiting.take(bytes) }
            case (.following(let session), .changed(.sessionKnown(let known))) where known == session:
                let name = try waiting.find(options.prompt)
                stage = .sent(run.submit(.withdraw(session, name)), session, name)
                run.after(Self.outcomeMax) { [run] in
                    run.fail(
                        ClientError(
                            .timedOut, "its host does not say whether it still had it", advice: "heliograph watch \(session)"))
                }
            case (.following(let session), .notFollowed(let other, let notice)) where other == session:
                throw SteerTask.fault(notice)
            case (.sent(_, let session, let name), .changed(.events(let events, _))) where events.session == session:
                for bytes in events.events { try reached(bytes, name) }
            case (.sent(let id, _, _), .replied(let replied, .failed(let notice, _))) where replied == id:
                throw SteerTask.fault(notice)
            case (.sent(let id, _, _), .replied(let replied, let reply)) where replied == id:
                if run.options.isJSON { run.terminal.print(JSONLine.text(MessageToClient.reply(id, reply).bytes)) }
            default: break
            }
        } catch { run.fail(error) }
    }

    private func reached(_ bytes: [UInt8], _ name: SteeringName) throws(ClientError) {
        guard case .steeringChanged(let change)? = (try? Event(stored: bytes))?.head, change.name == name else { return }
        if change.stage == .withdrawn {
            if !run.options.isJSON { run.terminal.print(run.terminal.palette.paint("✓ taken back", .green)) }
            return run.finish(.done)
        }
        if change.stage != .queued { throw ClientError(.refused, "too late: \(SteeringText.word(of: change.stage))") }
    }
}

/// The prompts that wait at the host of a session, read from its log.
struct WaitingPrompts {
    private var asked: [SteeringName: String] = [:]
    private(set) var names: [SteeringName] = []

    /// Takes the events of the log, in order.
    mutating func take(_ bytes: [UInt8]) {
        switch (try? Event(stored: bytes))?.head {
        case .steeringRequested(let call)? where call.action == .prompt:
            let body = (try? JSONDocument(parsing: bytes))?.root.optional("body")
            asked[call.name] = (try? body?.optionalString("text")) ?? ""
        case .steeringChanged(let change)? where change.stage == .queued:
            if !names.contains(change.name) { names.append(change.name) }
        case .steeringChanged(let change)?:
            names.removeAll { $0 == change.name }
            asked[change.name] = nil
        default: break
        }
    }

    func find(_ wanted: String?) throws(ClientError) -> SteeringName {
        let matching = names.filter { name in wanted.map { name.command.rawValue.hasPrefix($0) } ?? true }
        switch matching.count {
        case 1: return matching[0]
        case 0:
            let what = wanted.map { "no prompt “\($0)” waits there" } ?? "no prompt waits there"
            throw ClientError(.notFound, what, advice: "Only a prompt that waits for its agent to be free can be taken back.")
        default:
            let short = ShortNames.shortest(of: names.map(\.command.rawValue))
            let lines = matching.prefix(5).map { "  \(short[$0.command.rawValue] ?? "")  \(firstLine(of: $0))" }
            throw ClientError(.usage, "\(matching.count) prompts wait there: say which", advice: lines.joined(separator: "\n"))
        }
    }

    private func firstLine(of name: SteeringName) -> String {
        DisplayWidth.cut(VisibleText.line(asked[name].map { String($0.prefix { $0 != "\n" }) } ?? ""), to: 60)
    }
}
