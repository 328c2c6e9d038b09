import Foundation
import HeliographPlatform
import Logging
import PushPlanner
import RelayAccess
import RelayProtocol
import Synchronization

/// Runs one of the operator's programs, once for each push. Used on any thread.
///
/// Pushes of one notification run one after the other, so that the end of an alert does not overtake the alert; a later push
/// replaces one that waits.
final class ProgramQueue: ReceiverLane {
    private struct Backlog {
        var waiting: [ReceiverJob] = []
        /// The notification that each running job belongs to, by the job's id.
        var running: [String: String?] = [:]
        var accepted: Int64 = 0
        var trouble: String?
        var isStopped = false

        /// Removes and returns the next job that may run now, and counts it as running.
        mutating func next() -> ReceiverJob? {
            guard running.count < ProgramQueue.runningMax, !isStopped else { return nil }
            let busy = Set(running.values.compactMap(\.self))
            guard let place = waiting.firstIndex(where: { !($0.replaces.map(busy.contains) ?? false) && running[$0.id] == nil })
            else { return nil }
            let job = waiting.remove(at: place)
            running[job.id] = .some(job.replaces)
            return job
        }

        mutating func remove(where fits: (ReceiverJob) -> Bool) -> [ReceiverJob] {
            defer { waiting.removeAll(where: fits) }
            return waiting.filter(fits)
        }
    }

    /// Simultaneous processes, each with a thread that waits for it: five approvals at once take two rounds.
    static let runningMax = 4
    /// Limit of waiting jobs: twice what the planner has under way for one device.
    static let waitingMax = 128
    /// Bytes of a program's output that go into the log.
    private static let wordsBytesMax = 500

    /// Exit codes of sysexits.h, which mailers use: EX_TEMPFAIL and EX_NOUSER.
    private static let exitLater: Int32 = 75
    private static let exitGone: Int32 = 67

    private let name: String
    private let program: Receivers.Program
    private let stopping: ChildProcess.Stop
    private let logger: Logger
    private let state = Mutex(Backlog())

    init(_ name: String, _ program: Receivers.Program, _ stopping: ChildProcess.Stop, _ logger: Logger) {
        (self.name, self.program, self.stopping, self.logger) = (name, program, stopping, logger)
    }

    var shown: ReceiverState {
        state.withLock {
            ReceiverState(
                name: name, waiting: $0.waiting.count, running: $0.running.count, accepted: $0.accepted, trouble: $0.trouble)
        }
    }

    func submit(_ job: ReceiverJob) {
        let (superseded, refusal) = state.withLock { state -> ([ReceiverJob], String?) in
            if state.isStopped { return ([], Self.stoppingSentence) }
            let superseded = state.remove { $0.replaces != nil && $0.replaces == job.replaces }
            if state.waiting.count >= Self.waitingMax { return (superseded, "too many pushes wait for this receiver already") }
            state.waiting.append(job)
            return (superseded, nil)
        }
        for job in superseded { job.completion(.notSent("a later one took its place before it was sent")) }
        if let refusal { return job.completion(.notSent(refusal)) }
        startNext()
    }

    func withdraw(_ id: String) {
        for job in state.withLock({ $0.remove { $0.id == id } }) { job.completion(.notSent(PushWay.withdrawnSentence)) }
    }

    /// Fails the jobs that wait. The owner of `stopping` kills the programs that run.
    func stop() {
        let left = state.withLock { state in
            state.isStopped = true
            return state.remove { _ in true }
        }
        for job in left { job.completion(.notSent(Self.stoppingSentence)) }
    }

    private static let stoppingSentence = "the relay was stopping"

    // MARK: - Running

    private func startNext() {
        guard let job = state.withLock({ $0.next() }) else { return }
        let isStarted = BackgroundThread.start { [self] in
            var next: ReceiverJob? = job
            while let job = next { next = end(job, run(job)) }
        }
        if !isStarted { _ = end(job, .notSent("the system starts no more threads")) }
    }

    /// Reports the outcome of a job. Returns the job that this thread runs next.
    private func end(_ job: ReceiverJob, _ outcome: PushOutcome) -> ReceiverJob? {
        let next = state.withLock { state in
            state.running[job.id] = nil
            if case .accepted = outcome {
                state.accepted += 1
                state.trouble = nil
            } else {
                state.trouble = outcome.text
            }
            return state.next()
        }
        job.completion(outcome)
        return next
    }

    private func run(_ job: ReceiverJob) -> PushOutcome {
        guard job.worthUntil > WallClock.milliseconds else { return .notSent("it was not worth sending any more") }
        do throws(HTTPError) {
            let end = try ChildProcess.run(
                apart: program.command, environment: program.variables(of: ProcessInfo.processInfo.environment),
                input: job.document, seconds: program.seconds, until: stopping)
            return outcome(of: end)
        } catch {
            logger.error("a receiver's program cannot be run", metadata: metadata(["error": "\(error.message)"]))
            return .notSent("its program cannot be run")
        }
    }

    private func outcome(of end: ChildProcess.End) -> PushOutcome {
        switch end {
        case .stopped: return .unknown(Self.stoppingSentence)
        case .timedOut:
            logger.notice("a receiver's program was killed", metadata: metadata(["seconds": "\(program.seconds)"]))
            return .unknown("its program did not end within \(program.seconds) seconds and was killed")
        case .exited(let code, let words):
            let last = String(decoding: words.suffix(Self.wordsBytesMax), as: UTF8.self)
            let text = VisibleText.line(last.trimmingCharacters(in: .whitespacesAndNewlines))
            logger.log(
                level: code == 0 ? .debug : .notice, "a receiver's program ended",
                metadata: metadata(["exit.code": "\(code)", "output": "\(text)"]))
            switch code {
            case 0: return .accepted(.production, channel: nil)
            case Self.exitLater: return .refused(.sendLater, text: "exit status \(code)")
            case Self.exitGone: return .refused(.dropToken, text: "exit status \(code)")
            default: return .refused(.fixRequest, text: "exit status \(code)")
            }
        }
    }

    private func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["receiver": "\(name)"]) { first, _ in first }
    }
}
