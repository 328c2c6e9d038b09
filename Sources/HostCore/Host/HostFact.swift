package import Consent
package import HeliographLink
package import RelayProtocol

/// A fact that the host learns.
package enum HostFact: Sendable {
    /// `holds` is what an earlier life of this daemon was last told to hold.
    case started(holds: Holds)
    /// Waiting events are sent while there is a connection; callers keep waiting, for the next life.
    case stopping
    /// One that only the agent of that name has. `isDurable`: whoever is answered for it is answered when what came of it is on disk.
    case told(agent: String, any Sendable, isDurable: Bool = false)
    /// A caller went away before it was answered.
    case hookGone(HookToken)
    /// Answered by `respond`. Of a host that has keys.
    case consentAsked(ConsentRequest, HookToken)
    /// A secret that any host of this machine answers, until this time of the clock that never jumps.
    case secretFound(TrustSecret, until: Int64)
    case agentGone(AgentProcess)
    case linkOpened
    case received(MessageToHost)
    /// `dice` is between 0 and 1, for the jitter.
    case linkClosed(LinkEnd, dice: Double)
    /// Result of `fetchPictures`.
    case picturesFetched(SteeringName, FetchedPictures)
    /// Result of `tryRules`.
    case rulesTried(SteeringName, TriedRules)
    /// Result of `askTerminal`.
    case terminalAnswered(SteeringName, ScreenAnswer)
    /// The holds are not on disk.
    case holdsNotSaved
    case fired(HostTimer)
}
