package import RelayProtocol

/// Input of the desk for new sessions, in addition to that of every adapter.
package enum LaunchFact: Sendable {
    /// Projects and agents with which sessions may be started. They are read again when the host's owner changes them.
    case read([ProjectOffer], [StartableAgent])
    /// The folder of the project that a command names, as it is now; nil with the reason if it must not be used.
    case resolved(SteeringName, folder: String?, reason: String)
    case outcome(SteeringName, LaunchOutcome)
    /// The host requires signatures now. Devices find it by its session, which it therefore needs before any other session.
    case becameSigned
    /// The owner's rules, for people to see; nil if there are none.
    case rules(RulesOffer?)
    /// A step of the first prompt.
    case prompted(SteeringChange)
}

package enum LaunchReading: Sendable, Equatable {
    /// Reads projects and agents; `read` reports them.
    case readProjects
    /// Resolves a project's folder; `resolved` reports it.
    case resolve(SteeringName, project: String)
}
