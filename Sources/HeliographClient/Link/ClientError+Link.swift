internal import HeliographLink

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
}
