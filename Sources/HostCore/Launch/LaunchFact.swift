package import RelayProtocol

/// What the desk for new sessions learns besides what every adapter does.
package enum LaunchFact: Sendable {
    /// Where sessions may be started, and what: read again when the host's owner changes it.
    case read([ProjectOffer], [StartableAgent])
    /// The folder of the project that a command names, as it is at this moment; nil: it is not to be used, and why.
    case resolved(SteeringName, folder: String?, reason: String)
    case outcome(SteeringName, LaunchOutcome)
    /// What has become of the first prompt.
    case prompted(SteeringChange)
}

package enum LaunchReading: Sendable, Equatable {
    /// Comes back as `read`.
    case readProjects
    /// Comes back as `resolved`.
    case resolve(SteeringName, project: String)
}
