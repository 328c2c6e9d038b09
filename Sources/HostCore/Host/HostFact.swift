package import Consent
package import HeliographLink
package import RelayProtocol

/// A fact that the host learns.
package enum HostFact: Sendable {
    /// The daemon starts. `holds`: the last ones that an earlier life of it received.
    case started(holds: Holds)
    /// The daemon stops. Waiting events are still sent while there is a connection; callers keep waiting, for the next life.
    case stopping
    /// A fact that only the named agent has. `isDurable`: its caller is answered once the resulting events are on disk.
    case told(agent: String, any Sendable, isDurable: Bool = false)
    /// A caller went away before it was answered.
    case hookGone(HookToken)
    /// A request about consent, answered by `respond`. Only for a host that has keys.
    case consentAsked(ConsentRequest, HookToken)
    /// A secret that any host of this machine answers, until this time of the clock that never jumps.
    case secretFound(TrustSecret, until: Int64)
    case agentGone(AgentProcess)
    case linkOpened
    case received(MessageToHost)
    /// The connection ended. `dice`: a random number between 0 and 1, for the jitter.
    case linkClosed(LinkEnd, dice: Double)
    /// Result of `fetchPictures`.
    case picturesFetched(SteeringName, FetchedPictures)
    /// Result of `tryRules`.
    case rulesTried(SteeringName, TriedRules)
    /// Result of `askTerminal`.
    case terminalAnswered(SteeringName, ScreenAnswer)
    case holdsNotSaved
    case fired(HostTimer)
}
