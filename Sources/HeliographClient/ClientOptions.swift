/// What every client command takes.
package struct ClientOptions: Sendable {
    /// `--relay`; the environment's HELIOGRAPH_RELAY otherwise.
    package var relay: String?
    /// HELIOGRAPH_TOKEN is better: a command line can be read by others.
    package var token: String?
    /// `--ca-file`; HELIOGRAPH_CA_FILE otherwise.
    package var certificateAuthorityFile: String?
    /// `--config`; `$XDG_CONFIG_HOME/heliograph/client.json` otherwise.
    package var configurationFile: String?
    package var isJSON = false
    /// For the first connection and the first answer.
    package var patience: Duration = .seconds(10)
    /// Told to the relay.
    package var software = "heliograph"
    package var environment = Environment.process
    /// Asked last: for a relay whose own data directory can be read here.
    package var fallbackCredentials: @Sendable () -> Credentials? = { nil }
    /// That directory, if `--data` names it: then that relay is meant, wherever this terminal is logged in.
    package var namedData: String?
    /// The data directory, named or not, if a relay is set up in it: no login is needed then.
    package var ownData: @Sendable () -> String? = { nil }

    package init() {}
}
