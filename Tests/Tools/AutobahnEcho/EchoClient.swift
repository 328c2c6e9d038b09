import WebSocketEngine

/// Asks the suite's server how many cases it has, runs one after the other, and has the report written.
final class EchoClient: ClientHandler {
    private enum Step { case count, run(Int), report }

    private unowned let loop: EventLoop
    private let port: UInt16
    private let agent: String
    private var step = Step.count
    private var caseCount = 0

    init(_ loop: EventLoop, port: UInt16, agent: String) {
        (self.loop, self.port, self.agent) = (loop, port, agent)
    }

    func start() throws { try connect(to: "/getCaseCount") }

    func opened(_ connection: ConnectionID, subprotocol: String?) {}

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        switch step {
        case .count: caseCount = Int(String(decoding: message.bytes, as: UTF8.self)) ?? 0
        case .run: loop.echo(message, to: connection)
        case .report: break
        }
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        do {
            switch step {
            case .count:
                guard caseCount > 0 else { fatalError("the suite's server does not say how many cases it has: \(reason)") }
                try run(1)
            case .run(let number) where number < caseCount: try run(number + 1)
            case .run:
                step = .report
                try connect(to: "/updateReports?agent=\(agent)")
            case .report: loop.stop()
            }
        } catch { fatalError("cannot connect: \(error)") }
    }

    private func run(_ number: Int) throws {
        step = .run(number)
        try connect(to: "/runCase?case=\(number)&agent=\(agent)")
    }

    private func connect(to path: String) throws {
        var configuration = ClientConfiguration(host: "127.0.0.1", port: port, path: path)
        configuration.limits = AutobahnEcho.limits
        configuration.liveness = AutobahnEcho.liveness
        configuration.connectTimeout = AutobahnEcho.patience
        _ = try loop.connect(configuration, handler: self)
    }
}
