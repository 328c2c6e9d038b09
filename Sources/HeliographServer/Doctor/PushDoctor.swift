import ChannelAPNs
import HeliographCrypto
import Dispatch
import Foundation
import PushAPNs
import PushPlanner
import RelayAccess
import RelayProtocol
import Synchronization

/// Problems of pushes: in the files, whether a relay runs or not, and Apple's answers about the keys.
struct PushDoctor {
    let path: String
    /// Further arguments of a command for this relay; see `RelayDoctor.flag`.
    let flag: String
    let asksApple: Bool

    private var setup: String { "heliograph push setup\(flag)" }

    func findings() -> [Finding] {
        let file = "\(path)/\(PushConfigurationFile.name)"
        guard FileManager.default.fileExists(atPath: file) else {
            let missing = asksApple ? [Finding("Pushes", .doubtful, "no key for Apple is set up", mend: setup)] : []
            return missing + profiles(for: nil)
        }
        do throws(ServerError) {
            let configuration = try PushConfigurationFile.read(file)
            let files = authority(configuration) + keys(configuration)
            return files + profiles(for: configuration) + apps(of: configuration)
                + apple(configuration, canAsk: files.allSatisfy { $0.state != .wrong })
        } catch {
            let mend = "fix that field, or run this as the relay's user; or move the file away, then \(setup)"
            return [Finding("Pushes", .wrong, error.description, mend: mend)] + profiles(for: nil)
        }
    }

    // MARK: - Files

    private func keys(_ configuration: PushConfiguration) -> [Finding] {
        var seen: Set<APNsKeyID> = []
        return configuration.client(in: path).teams.flatMap { $0.keys.values.sorted { $0.id.keyID < $1.id.keyID } }
            .filter { seen.insert($0.id).inserted }.map(finding)
    }

    private func finding(_ key: APNsKey) -> Finding {
        let subject = "Push key \(key.id.keyID)"
        guard FileManager.default.fileExists(atPath: key.file) else {
            return Finding(
                subject, .wrong, "\(key.file) is not there", mend: "put Apple's .p8 file there, or \(setup)")
        }
        guard let data = FileManager.default.contents(atPath: key.file) else {
            return Finding(
                subject, .wrong, "\(key.file) cannot be read",
                mend: "run this as the relay's user; if that is who it is, chown and chmod 600 the file")
        }
        do throws(CryptoError) { _ = try ES256PrivateKey(pem: String(decoding: data, as: UTF8.self)) } catch {
            return Finding(
                subject, .wrong, "\(key.file) is no key of Apple's: \(error.message)",
                mend: "copy the .p8 again; Apple offers each only once, so make another key there if it is lost, then \(setup)")
        }
        if let mode = Self.permissions(of: key.file), mode & 0o077 != 0 {
            return Finding(
                subject, .doubtful, "\(key.file) can be read by others (mode \(String(mode, radix: 8)))",
                mend: "chmod 600 \(key.file)")
        }
        return Finding(subject, .well, "a P-256 key of team \(key.id.teamID), for the relay's eyes alone")
    }

    private static func permissions(of file: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    private func authority(_ configuration: PushConfiguration) -> [Finding] {
        guard let file = configuration.client(in: path).authorityFile else { return [] }
        do throws(CryptoError) { _ = try TLSContext(clientProtocols: ["h2"], authorityFile: file) } catch {
            return [
                Finding("Push authority", .wrong, error.message, mend: "take \"authority\" out of push.json: it is for tests")
            ]
        }
        return []
    }

    /// Checks each file: a relay reports only the first invalid one and does not start.
    private func profiles(for configuration: PushConfiguration?) -> [Finding] {
        let paths: [String]
        do throws(ServerError) { paths = try ProfileFiles.paths(in: path) } catch {
            return [
                Finding(
                    "Profiles", .wrong, error.description, mend: "no relay starts with it: run this as its user, or fix it")
            ]
        }
        guard !paths.isEmpty else { return [] }
        var found: [Finding] = []
        var files: [(name: String, bytes: [UInt8])] = []
        for path in paths {
            let mend =
                "heliograph push preview --profile \(path), until it prints pushes; a relay does not start with it as it is"
            let file: (name: String, bytes: [UInt8])
            do throws(ServerError) { file = try ProfileFiles.read(path) } catch {
                found.append(Finding("Profile \(ProfileFiles.name(of: path))", .wrong, error.description, mend: mend))
                continue
            }
            do throws(ProfileError) {
                let profile = try Profile(parsing: file.bytes, name: file.name)
                files.append(file)
                guard let configuration, configuration.team(of: profile.bundle) == nil else { continue }
                found.append(
                    Finding(
                        "Profile \(file.name)", .doubtful, "no key speaks for its app, \(profile.bundle)",
                        mend: "\(setup) … --bundle \(profile.bundle)"))
            } catch {
                found.append(Finding("Profile \(file.name)", .wrong, "\(path), \(error.path): \(error.message)", mend: mend))
            }
        }
        do throws(ProfileError) { _ = try ProfileSet(files: files) } catch {
            found.append(
                Finding(
                    "Profiles", .wrong, error.description, mend: "remove or rename one; no relay starts with both"))
        }
        return found.isEmpty ? [Finding("Profiles", .well, "each of your own (\(paths.count)) can be used")] : found
    }

    /// Apps with a key but without a profile that names them. Unreadable profiles are reported above.
    private func apps(of configuration: PushConfiguration) -> [Finding] {
        configuration.teams.flatMap(\.bundles).sorted().compactMap { bundle in
            guard let lack = try? PushSetup.lack(of: bundle, in: path) else { return nil }
            return Finding("Pushes to \(bundle)", .doubtful, lack, mend: PushSetup.mend(in: path))
        }
    }

    // MARK: - Apple

    private func apple(_ configuration: PushConfiguration, canAsk: Bool) -> [Finding] {
        let status = (try? PushStatus.read(in: path)) ?? nil
        let troubles = status.flatMap { try? PushStatus.troubles($0) } ?? []
        let found = troubles.map { Finding("Pushes", .wrong, $0, mend: "heliograph push status\(flag)") }
        if asksApple {
            // Keys that cannot be read are reported above.
            return found + (canAsk ? answers(configuration, isRunning: status != nil) : [])
        }
        guard let status else { return found }
        let words = (try? PushStatus.words(status)) ?? []
        guard !words.isEmpty else {
            let text = "Apple has not been asked since the relay started; heliograph doctor --ask-apple\(flag) asks"
            return found.isEmpty ? [Finding("Apple", .well, text)] : found
        }
        return found
            + words.map { word in
                let service = word.service == APNsService.devices.rawValue ? "" : ", \(word.service)"
                let subject = "Apple, \(word.team), \(word.environment)\(service)"
                let time = Date(timeIntervalSince1970: Double(word.at) / 1000).formatted(.iso8601)
                guard let refusal = word.refusal else { return Finding(subject, .well, "took the key, last at \(time)") }
                return Finding(subject, .wrong, "said \(refusal), last at \(time)", mend: Self.mend(refusal, setup))
            }
    }

    private func answers(_ configuration: PushConfiguration, isRunning: Bool) -> [Finding] {
        let answers: [AppleQuestion.Verdict]
        do {
            answers = isRunning ? try askThroughRelay() : try ask(configuration)
        } catch {
            return [Finding("Apple", .wrong, "could not be asked: \(error)", mend: "heliograph push status\(flag)")]
        }
        return answers.map { answer in
            let subject = "Apple, \(answer.team), \(answer.environment), \(answer.bundle)"
            if let refusal = answer.refusal {
                return Finding(subject, .wrong, "says \(refusal)", mend: Self.mend(refusal, setup))
            }
            guard let trouble = answer.trouble else { return Finding(subject, .well, "takes the key for this app") }
            return Finding(
                subject, .doubtful, "its answer is not known: \(trouble)",
                mend: "check the connection from here to Apple: port 443 of api.push.apple.com, without a proxy")
        }
    }

    /// Asks through the running relay, which has the connection and the provider token: Apple refuses two tokens within twenty
    /// minutes.
    private func askThroughRelay() throws -> [AppleQuestion.Verdict] {
        do {
            return try AppleQuestion.answers(
                in: AdminSocket(in: Storage(directory: path).folder).body(of: AdminPath.pushQuestion))
        } catch let fault as HTTPError {
            throw ServerError(.push, fault.message)
        }
    }

    /// Asks Apple directly, with the relay's last provider token if that is recent.
    private func ask(_ configuration: PushConfiguration) throws -> [AppleQuestion.Verdict] {
        let client = try APNsClient(configuration.client(in: path))
        let (isDone, answers) = (DispatchSemaphore(value: 0), Answers())
        Task.detached {
            let found = await AppleQuestion.ask(configuration, client)
            answers.found.withLock { $0 = found }
            isDone.signal()
        }
        isDone.wait()
        client.stop()
        return answers.found.withLock { $0 }
    }

    private final class Answers: Sendable {
        let found = Mutex<[AppleQuestion.Verdict]>([])
    }

    /// Advice about Apple's answer.
    private static func mend(_ refusal: String, _ setup: String) -> String {
        switch APNsReason(rawValue: refusal) {
        case .invalidProviderToken:
            "\(setup) with the key, its own id and its own team, as the developer account shows them; check the clock, too: date -u"
        case .expiredProviderToken:
            "set this machine's clock (date -u): Apple takes no token that is over an hour old by its own"
        case .topicDisallowed, .badTopic, .deviceTokenNotForTopic, .topicMismatch, .unrelatedKeyIDInToken:
            "the key's team has no such app, or the key is not for it: \(setup) with the right --bundle, --team and --key"
        case .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            "the key is for the other environment: \(setup) --sandbox-only, or with a key that is for both"
        case .tooManyProviderTokenUpdates: "wait for twenty minutes; another relay that uses this key needs one of its own"
        default:
            "look in the developer account whether the key is still there and is for APNs; else make another, then \(setup)"
        }
    }
}
