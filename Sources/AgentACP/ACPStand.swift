package import HostCore
package import RelayProtocol

/// Commands that a session takes, and its readiness to take a prompt now.
package struct ACPStand: Sendable, Equatable {
    package var offer: SteeringOffer
    package var standing: SteeringStanding

    package init(_ offer: SteeringOffer, _ standing: SteeringStanding) {
        self.offer = offer
        self.standing = standing
    }
}
