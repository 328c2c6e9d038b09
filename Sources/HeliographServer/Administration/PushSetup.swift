import ChannelAPNs
import HeliographCrypto
import HeliographPlatform
import Foundation
import PushAPNs
import RelayProtocol

/// Arguments of `heliograph push setup`.
package struct PushSetup {
    package var team: String
    package var key: String
    /// The `.p8` file from Apple.
    package var file: String
    package var bundle: String
    package var isSandboxOnly = false

    package init(team: String, key: String, file: String, bundle: String) {
        self.team = team
        self.key = key
        self.file = file
        self.bundle = bundle
    }

}

extension PushSetup {
    /// Copies the key into the data directory and adds it to `push.json`; a running relay uses it from its next push on. Returns
    /// the apps that this team now sends to. Throws before anything is changed.
    package func perform(in directory: String) throws -> [String] {
        guard PushConfiguration.Team.isAppleName(team) else {
            throw ServerError(.push, "--team \(team): Apple names teams by ten capital letters and digits.")
        }
        guard PushConfiguration.Team.isAppleName(key) else {
            throw ServerError(.push, "--key \(key): Apple names keys by ten capital letters and digits.")
        }
        guard PushConfiguration.Team.isBundle(bundle) else {
            throw ServerError(.push, "--bundle \(bundle): a bundle id is letters, digits, hyphens and points.")
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ServerError(.push, "--file \(file) cannot be read.")
        }
        do throws(CryptoError) { _ = try ES256PrivateKey(pem: String(decoding: data, as: UTF8.self)) } catch {
            throw ServerError(.push, "--file \(file) is no key of Apple's: \(error.message)")
        }

        let folder = try Storage(directory: directory).makeFolder()
        // Locked, so that of two commands at the same time neither change is lost.
        let lock: EditLock
        do throws(FolderError) { lock = try EditLock(folder: folder) } catch { throw ServerError(.file, error.message) }
        let path = "\(folder)/\(PushConfigurationFile.name)"
        let isThere = FileManager.default.fileExists(atPath: path)
        var configuration = isThere ? try PushConfigurationFile.read(path) : PushConfiguration()
        let name = "AuthKey_\(key).p8"
        try configuration.add(self, file: name)
        // Only a configuration that the relay will accept is written.
        _ = try PushConfiguration(parsing: configuration.bytes)
        try PrivateFile.write(Array(data), to: "\(folder)/\(name)")
        try PrivateFile.write(configuration.bytes + [UInt8(ascii: "\n")], to: path)
        _ = consume lock
        return configuration.teams.first { $0.team == team }?.bundles ?? []
    }
}

extension PushSetup {
    /// Reason why no push reaches this app although it has a key: there is no profile for it, neither in the data directory nor
    /// built in. Nil if there is one.
    package static func lack(of bundle: String, in directory: String) throws -> String? {
        let profiles = try ProfileSet(files: ProfileFiles.read(in: directory))
        guard !profiles.all.contains(where: { $0.bundle == bundle }) else { return nil }
        return "no profile is for \(bundle)"
    }

    /// The remedy for `lack`.
    package static func mend(in directory: String) -> String {
        "put one into \(directory)/profiles (heliograph push profiles heliograph prints one to begin with), start the relay anew, and have the app name it"
    }
}

extension PushConfiguration {
    /// Adds the key for this app. The team's earlier key for the same environments is replaced; its apps are kept.
    mutating func add(_ setup: PushSetup, file: String) throws(ServerError) {
        if let other = team(of: setup.bundle), other != setup.team {
            throw ServerError(.push, "\(setup.bundle) belongs to team \(other) already.")
        }
        let environments: [PushEnvironment] = setup.isSandboxOnly ? [.sandbox] : PushEnvironment.allCases
        var bundles: [String] = []
        for team in teams where team.team == setup.team {
            for bundle in team.bundles where !bundles.contains(bundle) { bundles.append(bundle) }
        }
        if !bundles.contains(setup.bundle) { bundles.append(setup.bundle) }
        for index in teams.indices where teams[index].team == setup.team {
            teams[index].environments.removeAll(where: environments.contains)
            teams[index].bundles = bundles
        }
        let broadcasts = teams.first { $0.team == setup.team }?.broadcasts ?? []
        teams.removeAll { $0.environments.isEmpty }
        teams.append(
            Team(
                team: setup.team, key: setup.key, file: file, bundles: bundles, broadcasts: broadcasts,
                environments: environments))
    }
}
