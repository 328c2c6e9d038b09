/// The wire's version and the paths it is spoken on.
///
/// History: 1 is the first.
package enum ProtocolVersion {
    package static let current: Int64 = 1
    package static let subprotocol = "heliograph.v1"
    package static let hostPath = "/v1/host"
    package static let clientPath = "/v1/client"
    package static let pairPath = "/v1/pair"
    package static let registerPath = "/v1/register"
    package static let mePath = "/v1/me"
    package static let schemaPath = "/v1/schema.json"
}
