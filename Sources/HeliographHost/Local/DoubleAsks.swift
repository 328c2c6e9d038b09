internal import AgentLocal
internal import HostCore
internal import WebSocketEngine

/// Questions about calls that another agent's hooks ask about too, as a connected Claude Code's `--permission-prompt-tool` does.
///
/// Two cards for one call could get two answers. Such a question is asked only if its caller still waits after the hook's has ended.
final class DoubleAsks {
    /// Time in which a call that has begun is asked about by its hook: Claude Code calls hook and tool at once.
    private static let hookWithin = Duration.seconds(2)
    /// Time in which an agent takes its question back once its hook has an answer.
    private static let leavesWithin = Duration.seconds(5)
    private static let checkedEvery = Duration.milliseconds(250)
    /// Held at a time; one more is asked at once.
    private static let countMax = 32

    private struct Held {
        let fact: LocalFact
        let call: String
        /// Checks that are left until it is asked.
        var checksLeft: Int
        var timer: TimerID?
    }

    private let seat: DriverSeat
    private var held: [HookToken: Held] = [:]

    init(_ seat: DriverSeat) { self.seat = seat }

    /// Returns false if the question is to be asked at once. `fact`: the question, for the adapter.
    func hold(_ fact: LocalFact, about call: String, _ token: HookToken) -> Bool {
        guard held.count < Self.countMax, seat.standing(call) != .unknown else { return false }
        held[token] = Held(fact: fact, call: call, checksLeft: Self.checks(in: Self.hookWithin))
        check(token)
        return true
    }

    func forget(_ token: HookToken) {
        if let timer = held.removeValue(forKey: token)?.timer { seat.loop.cancel(timer) }
    }

    private func check(_ token: HookToken) {
        guard var ask = held[token] else { return }
        switch seat.standing(ask.call) {
        case .asked: ask.checksLeft = Self.checks(in: Self.leavesWithin)
        case .begun, .unknown:
            guard ask.checksLeft > 0 else {
                held[token] = nil
                return seat.tell(ask.fact)
            }
            ask.checksLeft -= 1
        }
        ask.timer = seat.loop.schedule(after: Self.checkedEvery) { [weak self] in self?.check(token) }
        held[token] = ask
    }

    private static func checks(in time: Duration) -> Int { Int(time / checkedEvery) }
}
