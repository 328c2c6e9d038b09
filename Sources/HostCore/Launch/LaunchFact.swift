package import RelayProtocol

/// Input of the desk for new sessions, in addition to that of every adapter.
package enum LaunchFact: Sendable {
    /// Projects and agents with which sessions may be started: read again when the host's owner changes them.
    case read([ProjectOffer], [StartableAgent])
    /// The folder of the project that a command names, as it is at this moment; nil: it is not to be used, and why.
    case resolved(SteeringName, folder: String?, reason: String)
    case outcome(SteeringName, LaunchOutcome)
    /// Devices find the host by its session, before there is another, to be trusted.
    case becameSigned
    /// The rules of its owner, for people to see; nil without any.
    case rules(RulesOffer?)
    /// A step of the first prompt.
    case prompted(SteeringChange)
}

package enum LaunchReading: Sendable, Equatable {
    /// Comes back as `read`.
    case readProjects
    /// Comes back as `resolved`.
    case resolve(SteeringName, project: String)
}
