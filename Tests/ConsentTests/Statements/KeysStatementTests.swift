import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct KeysStatementTests {
    private let vectors = Vectors.all

    private func counted(_ part: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(part.count)] + part }

    @Test func `the statement is spelled as its documentation says`() throws {
        let host: KeyID = try vectors.fixed("hostID")
        let device: KeyID = try vectors.fixed("deviceID")
        let keys = Array("ihello".utf8)
        let statement = KeysStatement(
            host: host, session: .named("local-shell-1"), command: .named("c9"), seen: "t1.7", keys: keys, count: 258,
            device: device, crypto)
        var spelled = Array("heliograph/v1/keys\u{0}".utf8) + counted(host.bytes)
        spelled += counted(Array("local-shell-1".utf8)) + counted(Array("c9".utf8)) + counted(Array("t1.7".utf8))
        spelled += counted(crypto.sha256(keys)) + [0, 0, 0, 0, 0, 0, 1, 2] + counted(device.bytes)
        #expect(statement.bytes == spelled)
    }

    @Test func `the statement is the vector that pages check, too`() throws {
        let statement = KeysStatement(
            host: try vectors.fixed("hostID"), session: .named("claude-0001"), command: .named("c9"), seen: "t1.7",
            keys: Array("ihello".utf8), count: 41, device: try vectors.fixed("deviceID"), crypto)
        #expect(try statement.bytes == Vectors.details.bytes("keys"))
    }
}
