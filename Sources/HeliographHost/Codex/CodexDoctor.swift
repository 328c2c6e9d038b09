internal import HeliographHook
internal import RelayAccess
internal import RelayProtocol

/// Problems of Codex on this machine, if it is connected.
enum CodexDoctor {
    static func findings(_ paths: HostPaths) -> [Finding] {
        let settings: CodexSettings
        do throws(HostError) {
            guard let known = try CodexSettings.load(paths) else { return [] }
            settings = known
        } catch {
            return [Finding("Codex", .wrong, error.message, mend: "heliograph connect codex")]
        }
        do throws(CodexSocket.AddressError) {
            let socket = try CodexSocket(home: settings.home)
            return [version, Finding("Codex's server", .well, "it listens at \(socket.path)")]
        } catch {
            switch error {
            case .absent:
                return [
                    version,
                    Finding(
                        "Codex's server", .doubtful, "it does not run in \(settings.home): Codex is not reported",
                        mend: "start codex (0.157 or later)"),
                ]
            case .unsafe(let words):
                return [
                    version,
                    Finding("Codex's server", .wrong, "\(words): it is not talked to", mend: "codex app-server daemon stop"),
                ]
            }
        }
    }

    private static var version: Finding {
        do throws(HTTPError) {
            let said = try InstalledProgram.version(of: "codex")
            guard let shortcoming = CodexVersion(said: said)?.shortcoming else {
                return Finding("Codex", .well, VisibleText.line(said))
            }
            return Finding("Codex", .doubtful, "\(VisibleText.line(said)): \(shortcoming.words)", mend: shortcoming.mend)
        } catch {
            return Finding("Codex", .doubtful, "it is not on this PATH", mend: "install it, or open the shell in which it runs")
        }
    }
}
