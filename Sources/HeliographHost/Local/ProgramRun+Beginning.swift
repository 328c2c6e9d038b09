internal import HeliographHook
internal import HostCore

extension ProgramRun {
    /// A run that begins now.
    static func beginning() throws(HostError) -> ProgramRun {
        guard let name = HookRequest.randomCall() else { throw HostError(.system, "the system gives no random bytes") }
        return ProgramRun(name: name, since: HostInstant.now.monotonic)
    }
}
