package import HostCore
package import RelayProtocol

/// What clients can do to a session, and whether it could take a prompt now.
package struct ACPStand: Sendable, Equatable {
    package var offer: SteeringOffer
    package var standing: SteeringStanding

    package init(_ offer: SteeringOffer, _ standing: SteeringStanding) {
        self.offer = offer
        self.standing = standing
    }
}
