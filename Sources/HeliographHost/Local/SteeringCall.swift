internal import AgentLocal
internal import Glibc
internal import HeliographHook
internal import HostCore
package import RelayProtocol

/// `heliograph steering`: reports what people can do to a script's session, waits for one command, and prints it.
package struct SteeringCall {
    package var session: String
    package var actions: [String]
    /// Seconds to wait; nil waits as long as the script lives.
    package var waitSeconds: Int64?
    package var process: Int32?

    package init(session: String, actions: [String]) {
        self.session = session
        self.actions = actions
    }

    package static let actionNames = SteeringAction.Kind.allCases.filter {
        ![.mode, .model, .askAll].contains($0) && !$0.isForHost
    }
    .map(\.rawValue)

    package func run() -> ProgramExit {
        signal(SIGPIPE, SIG_IGN)
        // A program that waits for a command is ready for a prompt.
        let stand = SteeredWord.stands(SteeringOffer(actions: Set(actions.compactMap(SteeringAction.Kind.init))), .idle)
        let end = waitSeconds.map { ContinuousClock.now + .seconds($0) }
        while end.map({ .now < $0 }) ?? true {
            guard let (status, answer) = exchange(stand).send() else { return Self.unreachable() }
            guard status == 200 else { return Self.refused(status, answer) }
            var next = exchange(.waits)
            let isAlive = next.isAgentAlive
            next.isAgentAlive = { isAlive() && end.map { .now < $0 } ?? true }
            guard let (nextStatus, command) = next.wait() else {
                return end.map { .now >= $0 } == true ? .timedOut : Self.unreachable()
            }
            switch nextStatus {
            case 200:
                HookStream.write(Array((JSONLine.text(command) + "\n").utf8))
                return .done
            // There is no command yet, or the daemon was restarted and has forgotten the offer.
            case 204: continue
            case 409 where Self.path(command) == LocalError.offerPath: continue
            default: return Self.refused(nextStatus, command)
            }
        }
        return .timedOut
    }

    private func exchange(_ word: SteeredWord) -> HookExchange {
        ProgramRequest(process: process ?? getppid()).exchange(word.path, word.bytes(in: session))
    }

    private static func path(_ answer: [UInt8]) -> String? { (try? JSONDocument(parsing: answer))?.root.text("path") }

    private static func unreachable() -> ProgramExit {
        ProgramRequest.complain("no host daemon answers; is `heliograph host` running?")
        return .unreachable
    }

    private static func refused(_ status: Int, _ answer: [UInt8]) -> ProgramExit {
        guard status != 204 else {
            ProgramRequest.complain("the host's disk takes nothing now")
            return .failed
        }
        ProgramRequest.complain(ProgramRequest.sentence(status, answer))
        return .refused
    }
}

/// `heliograph steered`: reports the outcome of a command that `steering` printed.
package enum SteeredCall {
    package static func run(
        session: String, command: String, stage: SteeringStage, reason: String?, process: Int32?
    ) -> ProgramExit {
        signal(SIGPIPE, SIG_IGN)
        guard case .steer(let request)? = try? MessageToHost(parsing: Array(command.utf8)) else {
            ProgramRequest.complain("that is no command that `heliograph steering` printed")
            return .refused
        }
        let word = SteeredWord.told(SteeringChange(request.name, stage, reason: reason))
        let exchange = ProgramRequest(process: process ?? getppid()).exchange(word.path, word.bytes(in: session))
        guard let (status, said) = exchange.send() else {
            ProgramRequest.complain("no host daemon answers; is `heliograph host` running?")
            return .unreachable
        }
        guard status == 200 else {
            ProgramRequest.complain(ProgramRequest.sentence(status, said))
            return .refused
        }
        return .done
    }
}
