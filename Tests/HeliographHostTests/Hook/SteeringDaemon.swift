import Foundation
import Glibc
import HostCore
import RelayProtocol
import Synchronization
import Testing

/// A daemon that takes each request on a thread of its own: it gives one command, if it has one, and keeps the other requests for
/// commands open.
final class SteeringDaemon: Sendable {
    static let name = SteeringName(client: ClientID("phone")!, command: CommandID("k1")!)

    private struct State {
        var order: [String] = []
        var outcomes: [SteeringChange] = []
        var command: [UInt8]?
    }

    private let state: Mutex<State>
    private let outcomesTake: Duration

    /// `waits`, `waits no more` and `outcome`, in order of arrival.
    var order: [String] { state.withLock(\.order) }
    var outcomes: [SteeringChange] { state.withLock(\.outcomes) }

    init(at path: String, command: SteeringRequest? = nil, outcomesTake: Duration = .zero) throws {
        self.outcomesTake = outcomesTake
        state = Mutex(State(command: command.map { MessageToHost.steer($0).bytes }))
        let listener = try #require(FakeDaemon.listener(at: path))
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    static func interrupt(of session: SessionID) -> SteeringRequest {
        SteeringRequest(command: name.command, session: session, by: Named(id: name.client, name: "Ada"), action: .interrupt)
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        let request = Self.read(connection)
        if request.contains("/steering/next ") {
            let command = state.withLock { state in
                state.order.append("waits")
                defer { state.command = nil }
                return state.command
            }
            if let command { return Self.answer(connection, command) }
            _ = Self.read(connection)
            return state.withLock { $0.order.append("waits no more") }
        }
        if request.contains("/steered ") {
            if outcomesTake > .zero { Thread.sleep(forTimeInterval: outcomesTake / .seconds(1)) }
            state.withLock { state in
                state.order.append("outcome")
                if case .told(let change)? = Self.word("steered", in: request) { state.outcomes.append(change) }
            }
        }
        Self.answer(connection, Array("{}".utf8))
    }

    private static func word(_ path: String, in request: String) -> SteeredWord? {
        guard let head = request.range(of: "\r\n\r\n") else { return nil }
        return try? SteeredWord.read(path, Array(request[head.upperBound...].utf8))?.word
    }

    private static func answer(_ connection: Int32, _ body: [UInt8]) {
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until nothing arrives for a moment, or the end.
    private static func read(_ connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { break }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains("\r\n\r\n"), text.hasSuffix("}") { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
