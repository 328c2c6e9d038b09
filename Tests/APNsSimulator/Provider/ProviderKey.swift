/// A signing key of the developer's account.
package struct ProviderKey: Sendable {
    package let id: String
    package let team: String
    /// PEM.
    package let publicKey: String
    package var environments: Set<PushEnvironment>
    /// Bundle ids that the key is limited to; nil for a key of the whole team.
    package var topics: Set<String>?
    package var isRevoked = false

    package init(
        id: String, team: String, publicKey: String, environments: Set<PushEnvironment> = [.sandbox, .production],
        topics: Set<String>? = nil
    ) {
        self.id = id
        self.team = team
        self.publicKey = publicKey
        self.environments = environments
        self.topics = topics
    }

    /// True if both may be used on one connection: a rotated key has the same scope.
    func isRelated(to other: ProviderKey) -> Bool { team == other.team && topics == other.topics }
}
