internal import HeliographHook
internal import Glibc
internal import RelayProtocol

/// `heliograph settle`: reports the outcome of a question.
package enum SettleCall {
    package static func run(session: String, approval: String, outcome: String, process: Int32?) -> ProgramExit {
        signal(SIGPIPE, SIG_IGN)
        let body = JSONWriter.object {
            $0.field("session", session)
            $0.field("approval", approval)
            $0.field("outcome", outcome)
        }
        let request = ProgramRequest(process: process ?? getppid())
        guard let (status, said) = request.exchange("settled", body).send() else {
            ProgramRequest.complain("no host daemon answers; is `heliograph host` running?")
            return .unreachable
        }
        guard status == 204 else {
            ProgramRequest.complain(ProgramRequest.sentence(status, said))
            return .refused
        }
        return .done
    }
}
