internal import HeliographLink
internal import RelayProtocol

extension ClientError {
    init(_ fault: LinkError) {
        let exit: ClientExit =
            switch fault.kind {
            case .unauthorised: .unauthorised
            case .refused: .refused
            case .unreachable: .unreachable
            case .failed: .failed
            }
        let isUnknown = fault.kind == .unauthorised
        self.init(exit, fault.message, advice: isUnknown ? "Pair again: heliograph login LINK" : fault.advice)
    }

    /// An error for a command that the relay refused, if the command has no text of its own for it. `deed`: the action that this
    /// terminal may not do and `role` may.
    static func notTaken(_ notice: Notice, _ deed: String, role: String = "client") -> ClientError {
        let code = ErrorCode(rawValue: notice.code)
        guard code == .forbidden else {
            return ClientError(code == .notFound ? .notFound : .refused, VisibleText.line(notice.message))
        }
        return ClientError(
            .unauthorised, "this terminal was not paired to \(deed)",
            advice: "On the relay's machine: heliograph pair --role \(role). Here: heliograph login LINK")
    }
}
