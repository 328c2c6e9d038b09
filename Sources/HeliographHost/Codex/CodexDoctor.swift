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
                        mend:
                            "start codex; if that starts none, `codex app-server --listen unix://`, then `codex --remote unix://`"
                    ),
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
            return Finding("Codex", .well, VisibleText.line(try InstalledProgram.version(of: "codex")))
        } catch {
            return Finding("Codex", .doubtful, "it is not on this PATH", mend: "install it, or open the shell in which it runs")
        }
    }
}
