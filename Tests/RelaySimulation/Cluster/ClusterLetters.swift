import RelayCore
import RelayModel
import RelayProtocol

/// Letters between clients and hosts of a cluster, and the check that each reaches its addressees only: in its workspace, at the
/// client or host that it names, with the right sender, and once.
final class ClusterLetters {
    private struct Written {
        let client: ClientKey
        let key: HostKeyID
        let isAnswer: Bool
        var readers: Set<ClusterSocket.Role> = []
    }

    private unowned let world: ClusterWorld
    /// Hosts' keys, by their number in the workspace; keys are the same in every workspace, like names.
    private static let keys = (0..<keysMax).map { HostKeyID("host-\($0)" + String(repeating: "A", count: 16))! }
    private static let keysMax = 10
    /// A key that no host has.
    private static let nobodys = HostKeyID(String(repeating: "A", count: 22))!
    /// All letters; the content of a letter is its index here.
    private var letters: [Written] = []
    private(set) var answers = 0

    init(world: ClusterWorld) { self.world = world }

    static func key(ofHost ordinal: Int) -> HostKeyID { keys[ordinal % keysMax] }

    // MARK: Writing

    /// A host of the client's workspace, or at times a key that no host has.
    func correspondent(of client: ClientKey) -> HostKeyID {
        let hosts = world.hosts.filter { $0.identity.workspace == client.workspace }
        return world.dice.chance(0.1) ? Self.nobodys : world.dice.pick(hosts).key
    }

    func letter(of client: ClientKey, to key: HostKeyID) -> Letter {
        write(Written(client: client, key: key, isAnswer: false))
    }

    func answer(of key: HostKeyID, to client: ClientKey) -> Letter {
        write(Written(client: client, key: key, isAnswer: true))
    }

    private func write(_ written: Written) -> Letter {
        letters.append(written)
        return Letter(Array("\(letters.count - 1)".utf8))!
    }

    // MARK: Reading

    func reached(_ host: HostIdentity, _ key: HostKeyID, as role: ClusterSocket.Role, _ letter: Letter, from: Named<ClientTag>)
    {
        let name = world.name(of: role)
        guard let (written, isFirst) = read(letter, by: role, in: host.workspace) else { return }
        guard !written.isAnswer, written.key == key else {
            return world.report(.letters, "\(name) gets a letter to \(written.isAnswer ? "a client" : "\(written.key)")")
        }
        if from.id != written.client.client {
            world.report(.letters, "\(name) gets a letter of \(written.client.client) as one of \(from.id)")
        }
        if !isFirst { world.report(.letters, "\(name) gets a letter twice") }
    }

    func reached(_ client: ClientKey, as role: ClusterSocket.Role, _ letter: Letter, from key: HostKeyID) {
        let name = world.name(of: role)
        guard let (written, isFirst) = read(letter, by: role, in: client.workspace) else { return }
        guard written.isAnswer, written.client == client else {
            return world.report(
                .letters, "\(name) gets a letter to \(written.isAnswer ? "\(written.client.client)" : "a host")")
        }
        if key != written.key { world.report(.letters, "\(name) gets a letter of \(written.key) as one of \(key)") }
        if !isFirst { world.report(.letters, "\(name) gets a letter twice") }
        answers += 1
    }

    /// A relay replied that it sent a letter to this key.
    func sent(to key: HostKeyID, by name: String) {
        if key == Self.nobodys { world.report(.letters, "a letter of \(name) is sent to keys that nobody has") }
    }

    func isAnswerable(_ key: HostKeyID) -> Bool { key != Self.nobodys }

    private func read(
        _ letter: Letter, by role: ClusterSocket.Role, in workspace: WorkspaceID
    ) -> (written: Written, isFirst: Bool)? {
        guard let number = Int(String(decoding: letter.bytes, as: UTF8.self)), letters.indices.contains(number) else {
            world.report(.letters, "\(world.name(of: role)) gets a letter that nobody wrote")
            return nil
        }
        let isFirst = letters[number].readers.insert(role).inserted
        let written = letters[number]
        guard written.client.workspace == workspace else {
            world.report(.wall, "\(world.name(of: role)) of \(workspace) gets a letter of \(written.client.workspace)")
            return nil
        }
        return (written, isFirst)
    }
}
