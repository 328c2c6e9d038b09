/// Options of every client command.
package struct ClientOptions: Sendable {
    /// `--relay`; by default the environment's HELIOGRAPH_RELAY.
    package var relay: String?
    /// The token. HELIOGRAPH_TOKEN is better, because other users can read a command line.
    package var token: String?
    /// `--ca-file`; by default HELIOGRAPH_CA_FILE.
    package var certificateAuthorityFile: String?
    /// `--config`; by default `$XDG_CONFIG_HOME/heliograph/client.json`.
    package var configurationFile: String?
    package var isJSON = false
    /// Time for the first connection and the first answer.
    package var patience: Duration = .seconds(10)
    /// The program's name for the relay.
    package var software = "heliograph"
    package var environment = Environment.process
    /// Credentials of last resort: those of a relay whose own data directory can be read here.
    package var fallbackCredentials: @Sendable () -> Credentials? = { nil }
    /// The relay's data directory, if `--data` names it: then that relay is used, wherever this terminal is logged in.
    package var namedData: String?
    /// The data directory of a relay that is set up here, named or not; no login is needed then.
    package var ownData: @Sendable () -> String? = { nil }

    package init() {}
}
